"""scikit-learn's path on a centred copy, with its Gram matrix precomputed by scikit-learn."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "scikit-learn, precompute=True", "scikit-learn", "sklearn.linear_model"
    tolerances = LADDER
    precompute: bool | str = True

    def fits(self, data):
        return data.X.shape[1] <= 2_000  # its whole Gram

    def prepare(self, data):
        import numpy as np
        from sklearn.linear_model import lasso_path

        self.path, self.X, self.y, self.alphas = lasso_path, np.asfortranarray(data.X), data.y, data.alphas

    def run(self):
        m, mean = self.X.mean(axis=0), self.y.mean()
        _, coefs, _ = self.path(
            self.X - m,
            self.y - mean,
            alphas=self.alphas,
            precompute=self.precompute,
            tol=self.tol,
            max_iter=10**6,
            copy_X=False,
        )
        self.found = coefs.T, mean - m @ coefs

    def result(self):
        return self.found
