"""Ours, as it comes: nothing tuned."""

from benchmarks.competitor import OURS, Competitor


class Solver(Competitor):
    name, package, role = "tamis", "tamis", OURS

    def prepare(self, data):
        from tamis import sparse_path

        self.path, self.data = sparse_path, data

    def run(self):
        self.found = self.path(self.data.X, self.data.y, alphas=self.data.alphas, n_jobs=self.threads)

    def result(self):
        return self.found.coefs, self.found.intercepts
