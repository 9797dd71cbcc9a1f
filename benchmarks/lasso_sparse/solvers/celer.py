"""celer's path, told the means that it must not subtract from the stored entries."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package = "celer", "celer"
    tolerances = LADDER[1:]

    def prepare(self, data):
        from celer import celer_path
        from scipy.sparse import csc_matrix

        self.path, self.data, self.X = celer_path, data, csc_matrix(data.X)

    def run(self):
        import numpy as np

        m, mean = np.asarray(self.X.mean(axis=0)).ravel(), self.data.y.mean()
        _, coefs, _ = self.path(
            self.X,
            self.data.y - mean,
            "lasso",
            alphas=self.data.alphas,
            X_offset=m,
            X_scale=np.ones_like(m),
            tol=self.tol,
            max_iter=100,
        )
        self.found = coefs.T, mean - m @ coefs

    def result(self):
        return self.found
