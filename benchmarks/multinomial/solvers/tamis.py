"""Ours, at the loosest tolerance that satisfies the judge, as everybody else."""

from benchmarks.competitor import OURS, Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, role = "tamis", "tamis", OURS
    tolerances = LADDER

    def prepare(self, data):
        from tamis import sparse_path
        from tamis.penalties import L1, Group

        self.path, self.data, self.labels = sparse_path, data, data.labels
        self.penalty = Group() if data.rows else L1()

    def run(self):
        self.found = self.path(
            self.data.X,
            self.labels,
            datafit="multinomial",
            penalty=self.penalty,
            alphas=self.data.alphas,
            tol=self.tol,
            n_jobs=self.threads,
        )

    def result(self):
        return self.found.coefs, self.found.intercepts
