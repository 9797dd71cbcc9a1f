"""Ours, in closed form from the folds' Gram matrices."""

from benchmarks.competitor import OURS, Competitor
from benchmarks.forward_linear.objective import Chosen


class Solver(Competitor):
    name, package, role, module = "tamis", "tamis", OURS, "tamis.selection"

    def prepare(self, data):
        from tamis.selection import LinearFit, SubsetSelector

        self.X, self.y = data.X, data.y
        self.selector = SubsetSelector("forward", LinearFit(), n_features=data.k, n_jobs=self.threads)

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return Chosen(self.selector.selected_features_, self.selector.score_)
