"""Ours, at the loosest tolerance that satisfies the judge, as everybody else."""

from benchmarks.competitor import OURS, Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, role = "tamis", "tamis", OURS
    tolerances = LADDER

    def prepare(self, data):
        import numpy as np

        from tamis import sparse_path

        self.path, self.data, self.X = sparse_path, data, np.asfortranarray(data.X)

    def run(self):
        self.found = self.path(
            self.X, self.data.y, datafit="logistic", alphas=self.data.alphas, tol=self.tol, n_jobs=self.threads
        )

    def result(self):
        return self.found.coefs, self.found.intercepts
