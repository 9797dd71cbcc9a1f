"""ITMO-FS's SequentialForwardSelection."""

from benchmarks.competitor import Competitor
from benchmarks.forward_linear.datasets import FOLDS
from benchmarks.forward_linear.objective import Chosen


class Solver(Competitor):
    name, package, module = "ITMO-FS SequentialForwardSelection", "ITMO-FS", "ITMO_FS.wrappers"

    def fits(self, data):
        return data.countable

    def prepare(self, data):
        from ITMO_FS.wrappers import SequentialForwardSelection
        from sklearn.linear_model import LinearRegression
        from sklearn.model_selection import KFold

        self.X, self.y, self.folds = data.X, data.y, KFold(FOLDS)
        self.selector = SequentialForwardSelection(LinearRegression(), data.k, "r2")

    def run(self):
        self.selector.fit(self.X, self.y, cv=self.folds)

    def result(self):
        return Chosen(self.selector.selected_features, None)
