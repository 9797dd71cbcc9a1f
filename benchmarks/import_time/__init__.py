"""What importing costs beyond NumPy."""
