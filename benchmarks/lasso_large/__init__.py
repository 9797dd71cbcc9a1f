"""A lasso path on 4 GB of rows, beside passes over them."""
