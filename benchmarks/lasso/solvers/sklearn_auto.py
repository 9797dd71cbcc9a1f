"""scikit-learn's path on a centred copy, left to decide for itself."""

from benchmarks.lasso.solvers import sklearn_precompute


class Solver(sklearn_precompute.Solver):
    name, precompute = "scikit-learn, precompute='auto'", "auto"

    def fits(self, data):
        return True
