"""Sparse codes of many signals by orthogonal matching pursuit."""
