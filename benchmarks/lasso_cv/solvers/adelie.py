"""Adelie, loop over folds: its own cross-validation draws its folds itself."""

from benchmarks.lasso.solvers import adelie
from benchmarks.lasso_cv.by_hand import ByHand


class Solver(ByHand):
    name, package = "adelie, loop over folds", "adelie"
    path = adelie.Solver
    tolerances = path.tolerances
