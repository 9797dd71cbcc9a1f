"""ReliefF and MultiSURF on continuous columns."""
