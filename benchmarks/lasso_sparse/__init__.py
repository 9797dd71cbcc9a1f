"""A lasso path on a sparse matrix, judged by its suboptimality."""
