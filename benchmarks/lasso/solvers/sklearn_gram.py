"""scikit-learn's path on a Gram matrix centred by algebra, G − n m mᵀ.

It spares the copy of X, at the price of cancellation when means are large.
"""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "scikit-learn, Gram centred by hand", "scikit-learn", "sklearn.linear_model"
    tolerances = LADDER

    def fits(self, data):
        return data.X.shape[1] <= 2_000  # its whole Gram

    def prepare(self, data):
        import numpy as np
        from sklearn.linear_model import lasso_path

        self.path, self.X, self.y, self.alphas = lasso_path, np.asfortranarray(data.X), data.y, data.alphas

    def run(self):
        import numpy as np

        n = len(self.y)
        m, mean = self.X.mean(axis=0), self.y.mean()
        G = self.X.T @ self.X - n * np.outer(m, m)
        q = self.X.T @ self.y - n * mean * m
        # check_input=False: scikit-learn would refuse a Gram matrix that is not that of X itself.
        _, coefs, _ = self.path(
            self.X,
            self.y - mean,
            alphas=self.alphas,
            precompute=G,
            Xy=q,
            tol=self.tol,
            max_iter=10**6,
            copy_X=False,
            check_input=False,
        )
        self.found = coefs.T, mean - m @ coefs

    def result(self):
        return self.found
