"""scikit-learn's liblinear, which knows no warm start and penalises its intercept: as a column of 10⁵ it hardly counts."""

from benchmarks.logistic.solvers import sklearn_saga


class Solver(sklearn_saga.Solver):
    name = "scikit-learn, liblinear"
    options = {"solver": "liblinear", "intercept_scaling": 1e5, "random_state": 0}  # noqa: RUF012
