"""A sparse logistic path, judged by its suboptimality."""
