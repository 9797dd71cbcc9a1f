"""Group lasso and sparse group lasso paths, judged by their suboptimality."""
