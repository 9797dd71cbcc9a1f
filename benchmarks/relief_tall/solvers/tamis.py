"""Ours, every row asked."""

from benchmarks.competitor import OURS, Competitor
from benchmarks.near_rows import Weighed


class Solver(Competitor):
    name, package, role, module = "tamis", "tamis", OURS, "tamis.selection"
    n_samples = None

    def prepare(self, data):
        from tamis import ReliefF

        self.X, self.y = data.X, data.y
        self.selector = ReliefF(
            len(data.telling), n_neighbors=data.k, n_samples=self.n_samples, n_jobs=self.threads, random_state=0
        )

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return Weighed(self.selector.relevance_, self.selector.n_samples_)
