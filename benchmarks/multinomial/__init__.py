"""Multinomial paths, judged by their suboptimality."""
