"""scikit-learn's liblinear: no warm start, and a penalised intercept that hardly counts as a column of 10⁵."""

from benchmarks.logistic.solvers import sklearn_saga


class Solver(sklearn_saga.Solver):
    name = "scikit-learn, liblinear"
    options = {"solver": "liblinear", "intercept_scaling": 1e5, "random_state": 0}  # noqa: RUF012
