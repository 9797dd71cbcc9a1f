"""Adelie, covariance, loop over folds: its own cross-validation draws its folds itself."""

from benchmarks.lasso.solvers import adelie_covariance
from benchmarks.lasso_cv.by_hand import ByHand


class Solver(ByHand):
    name, package = "adelie, covariance, loop over folds", "adelie"
    path = adelie_covariance.Solver
    tolerances = path.tolerances
