"""Ours, around any learner."""

from benchmarks.alone import Alone
from benchmarks.competitor import OURS
from benchmarks.wrapper_overhead.objective import Chosen


class Solver(Alone):
    name, package, role, module = "tamis", "tamis", OURS, "tamis.selection"

    def prepare(self, data):
        from tamis.selection import CrossValidated, SubsetSelector

        self.X, self.y = data.X, data.y
        evaluation = CrossValidated(data.learner, cv=data.splits)
        self.selector = SubsetSelector("forward", evaluation, n_features=data.k, n_jobs=1)

    def work(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        s = self.selector
        return Chosen(s.selected_features_, s.score_, len(s.history_))
