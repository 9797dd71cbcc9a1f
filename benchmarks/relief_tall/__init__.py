"""ReliefF on many rows: all of them asked, or as many as settle the first columns."""
