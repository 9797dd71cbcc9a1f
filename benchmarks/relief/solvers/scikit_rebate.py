"""scikit-rebate, whose workers are processes: apart, so that they end with it."""

from benchmarks.competitor import Competitor
from benchmarks.relief.datasets import RELIEFF
from benchmarks.relief.objective import REBATE

FEW = 60  # rows that start the workers


class Solver(Competitor):
    name, package, apart = REBATE, "skrebate", True

    def prepare(self, data):
        from skrebate import MultiSURF, ReliefF

        self.X, self.y = data.X, data.y
        if data.method == RELIEFF:
            self.selector = ReliefF(n_neighbors=data.k, n_jobs=self.threads)
        else:
            self.selector = MultiSURF(n_jobs=self.threads)
        self.selector.fit(self.X[:FEW], self.y[:FEW])

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return self.selector.feature_importances_
