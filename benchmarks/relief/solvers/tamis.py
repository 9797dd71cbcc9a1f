"""Ours."""

from benchmarks.competitor import OURS, Competitor
from benchmarks.relief.datasets import RELIEFF


class Solver(Competitor):
    name, package, role, module = "tamis", "tamis", OURS, "tamis.selection"

    def prepare(self, data):
        from tamis import MultiSURF, ReliefF

        self.X, self.y = data.X, data.y
        if data.method == RELIEFF:
            self.selector = ReliefF(n_neighbors=data.k, n_jobs=self.threads)
        else:
            self.selector = MultiSURF(n_jobs=self.threads)

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return self.selector.relevance_
