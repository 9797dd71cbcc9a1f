"""fast-select: its loop does not come back to the interpreter, so it runs apart, and is compiled by a few rows."""

from benchmarks.competitor import Competitor
from benchmarks.near_rows import Weighed

FEW = 100


class Solver(Competitor):
    name, package, apart = "fast-select", "fast-select", True

    def prepare(self, data):
        from fast_select import ReliefF

        self.X, self.y = data.X, data.y
        self.selector = ReliefF(len(data.telling), n_neighbors=data.k, backend="cpu", n_jobs=self.threads)
        self.selector.fit(self.X[:FEW], self.y[:FEW])

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return Weighed(self.selector.feature_importances_)
