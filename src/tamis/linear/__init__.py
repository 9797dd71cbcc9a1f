"""Sparse linear models: datafit + penalty, with the evidence."""

from tamis.linear.lasso import Lasso, LassoCV
from tamis.linear.path import Path, sparse_path

__all__ = ["Lasso", "LassoCV", "Path", "sparse_path"]
