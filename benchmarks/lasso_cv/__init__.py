"""Cross-validation of a lasso path, end to end."""
