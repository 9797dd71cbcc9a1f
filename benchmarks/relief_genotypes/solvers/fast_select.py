"""fast-select: its loop does not come back to the interpreter, so it runs apart, and is compiled by a few columns."""

from benchmarks.competitor import Competitor

FEW = 100


class Solver(Competitor):
    name, package, apart = "fast-select", "fast-select", True

    def prepare(self, data):
        import numpy as np
        from fast_select import ReliefF

        self.X, self.y = data.X.astype(np.float32), data.y
        self.selector = ReliefF(2, n_neighbors=data.k, backend="cpu", n_jobs=self.threads)
        self.selector.fit(np.ascontiguousarray(self.X[:, :FEW]), self.y)

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return self.selector.feature_importances_
