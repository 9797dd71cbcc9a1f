"""celer's path in a loop over the folds."""

from benchmarks.lasso.solvers import celer
from benchmarks.lasso_cv.by_hand import ByHand


class Solver(ByHand):
    name, package = "celer, loop over folds", "celer"
    path = celer.Solver
    tolerances = path.tolerances
