"""Data = low rank + sparse."""
