"""scikit-learn's path, told the means that it must not subtract from the stored entries."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "scikit-learn", "scikit-learn", "sklearn.linear_model"
    tolerances = LADDER[1:]

    def prepare(self, data):
        from sklearn.linear_model import lasso_path

        self.path, self.data = lasso_path, data

    def run(self):
        import numpy as np

        X, y = self.data.X, self.data.y
        m, mean = X.mean(axis=0), y.mean()
        _, coefs, _ = self.path(
            X,
            y - mean,
            alphas=self.data.alphas,
            precompute=False,
            X_offset=m,
            X_scale=np.ones_like(m),
            tol=self.tol,
            max_iter=10**6,
        )
        self.found = coefs.T, mean - m @ coefs

    def result(self):
        return self.found
