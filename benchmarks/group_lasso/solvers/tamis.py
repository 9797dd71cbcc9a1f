"""Ours, at the loosest tolerance that satisfies the judge, as everybody else."""

from benchmarks.competitor import OURS, Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, role = "tamis", "tamis", OURS
    tolerances = LADDER

    def prepare(self, data):
        from tamis import sparse_path
        from tamis.penalties import Group, SparseGroup

        self.path, self.data = sparse_path, data
        self.penalty = SparseGroup(data.labels, l1_ratio=data.penalty.l1_ratio) if data.sparse else Group(data.labels)

    def run(self):
        self.found = self.path(
            self.data.X, self.data.y, penalty=self.penalty, alphas=self.data.alphas, tol=self.tol, n_jobs=self.threads
        )

    def result(self):
        return self.found.coefs, self.found.intercepts
