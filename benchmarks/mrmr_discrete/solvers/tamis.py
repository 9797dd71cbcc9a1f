"""Ours; the information of every column is the score of its first round."""

from benchmarks.competitor import OURS, Competitor
from benchmarks.mrmr_discrete.objective import Chosen


class Solver(Competitor):
    name, package, role, module = "tamis", "tamis", OURS, "tamis.selection"

    def prepare(self, data):
        from tamis.selection import MRMR, SubsetSelector

        self.X, self.y = data.X, data.y
        self.selector = SubsetSelector("forward", MRMR(), n_features=data.k, discrete=True, n_jobs=self.threads)

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return Chosen(self.selector.selected_features_, self.selector.scores_)
