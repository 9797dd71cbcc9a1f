"""Ours, bytes as they are."""

from benchmarks.competitor import OURS, Competitor


class Solver(Competitor):
    name, package, role, module = "tamis", "tamis", OURS, "tamis.selection"

    def prepare(self, data):
        from tamis import ReliefF

        self.X, self.y = data.X, data.y
        self.selector = ReliefF(n_neighbors=data.k, n_jobs=self.threads)

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return self.selector.relevance_
