"""Skglm, loop over folds: its own cross-validation draws its folds itself."""

from benchmarks.lasso.solvers import skglm
from benchmarks.lasso_cv.by_hand import ByHand


class Solver(ByHand):
    name, package = "skglm, loop over folds", "skglm"
    path = skglm.Solver
    tolerances = path.tolerances
