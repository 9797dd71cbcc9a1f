"""fast-select's mRMR, which counts all pairs of columns."""

from benchmarks.competitor import Competitor
from benchmarks.mrmr_discrete.objective import Chosen


class Solver(Competitor):
    name, package = "fast-select mRMR", "fast-select"

    def prepare(self, data):
        import numpy as np
        from fast_select import mRMR

        self.X, self.y = np.ascontiguousarray(data.X, dtype=np.int32), data.y.astype(np.int32)
        self.selector = mRMR(data.k, method="MID", backend="cpu")

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return Chosen(self.selector.top_features_, self.selector.relevance_scores_)
