"""scikit-learn's LassoCV, fold after fold, all threads in BLAS."""

from benchmarks.lasso_cv.solvers import sklearn


class Solver(sklearn.Solver):
    name = "scikit-learn LassoCV"

    def jobs(self):
        return 1
