"""A lasso path, judged by its suboptimality."""
