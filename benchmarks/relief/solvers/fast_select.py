"""fast-select, compiled by Numba, in float32."""

from benchmarks.competitor import Competitor
from benchmarks.relief.datasets import RELIEFF
from benchmarks.relief.objective import FAST_SELECT


class Solver(Competitor):
    name, package = FAST_SELECT, "fast-select"

    def prepare(self, data):
        from fast_select import MultiSURF, ReliefF

        self.X, self.y = data.X, data.y
        shared = {"n_features_to_select": 10, "backend": "cpu", "n_jobs": self.threads}
        if data.method == RELIEFF:
            self.selector = ReliefF(n_neighbors=data.k, **shared)
        else:
            self.selector = MultiSURF(**shared)

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return self.selector.feature_importances_
