"""The ReliefF package."""

from benchmarks.competitor import Competitor
from benchmarks.relief.datasets import RELIEFF


class Solver(Competitor):
    name, package = "ReliefF", "ReliefF"

    def fits(self, data):
        return data.method == RELIEFF

    def prepare(self, data):
        from ReliefF import ReliefF

        self.X, self.y = data.X, data.y
        self.selector = ReliefF(n_neighbors=data.k)

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return self.selector.feature_scores
