"""Ours."""

from benchmarks.alone import Alone
from benchmarks.competitor import OURS
from benchmarks.lasvegas_overhead.datasets import SEED
from benchmarks.wrapper_overhead.objective import Chosen


class Solver(Alone):
    name, package, role, module = "tamis", "tamis", OURS, "tamis.selection"

    def prepare(self, data):
        from tamis.selection import LasVegasWrapper

        self.X, self.y = data.X, data.y
        self.wrapper = LasVegasWrapper(
            data.learner, patience=data.patience, cv=data.splits, n_jobs=1, random_state=SEED
        )

    def work(self):
        self.wrapper.fit(self.X, self.y)

    def result(self):
        w = self.wrapper
        return Chosen(w.selected_features_, w.score_, len(w.history_))
