"""Ours, as it comes: nothing tuned."""

from benchmarks.competitor import OURS, Competitor


class Solver(Competitor):
    name, package, role = "tamis", "tamis", OURS

    def prepare(self, data):
        from tamis import sparse_path
        from tamis.penalties import Group, SparseGroup

        self.path, self.data = sparse_path, data
        self.penalty = SparseGroup(data.labels, l1_ratio=data.penalty.l1_ratio) if data.sparse else Group(data.labels)

    def run(self):
        self.found = self.path(
            self.data.X, self.data.y, penalty=self.penalty, alphas=self.data.alphas, n_jobs=self.threads
        )

    def result(self):
        return self.found.coefs, self.found.intercepts
