"""celer's path of working sets with dual extrapolation, on a centred copy."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package = "celer", "celer"
    tolerances = LADDER

    def prepare(self, data):
        import numpy as np
        from celer import celer_path

        self.path, self.X, self.y, self.alphas = celer_path, np.asfortranarray(data.X), data.y, data.alphas

    def run(self):
        m, mean = self.X.mean(axis=0), self.y.mean()
        _, coefs, _ = self.path(self.X - m, self.y - mean, "lasso", alphas=self.alphas, tol=self.tol, max_iter=100)
        self.found = coefs.T, mean - m @ coefs

    def result(self):
        return self.found
