"""Sparse linear models: datafit + penalty, with the evidence."""

from tamis.linear.best_subset import BestSubset
from tamis.linear.best_subset_classifier import BestSubsetClassifier
from tamis.linear.classifier import SparseClassifier, SparseClassifierCV
from tamis.linear.elastic_net import ElasticNet
from tamis.linear.elastic_net_cv import ElasticNetCV
from tamis.linear.group_lasso import GroupLasso
from tamis.linear.lasso import Lasso
from tamis.linear.lasso_cv import LassoCV
from tamis.linear.logistic import SparseLogisticRegression
from tamis.linear.path import Path, sparse_path
from tamis.linear.regressor import SparseRegressor, SparseRegressorCV
from tamis.linear.svc import SparseSVC

__all__ = [
    "BestSubset",
    "BestSubsetClassifier",
    "ElasticNet",
    "ElasticNetCV",
    "GroupLasso",
    "Lasso",
    "LassoCV",
    "Path",
    "SparseClassifier",
    "SparseClassifierCV",
    "SparseLogisticRegression",
    "SparseRegressor",
    "SparseRegressorCV",
    "SparseSVC",
    "sparse_path",
]
