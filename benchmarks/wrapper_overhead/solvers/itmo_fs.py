"""ITMO-FS's SequentialForwardSelection."""

from benchmarks.alone import Alone
from benchmarks.wrapper_overhead.objective import Chosen


class Solver(Alone):
    name, package, module = "ITMO-FS SequentialForwardSelection", "ITMO-FS", "ITMO_FS.wrappers"

    def prepare(self, data):
        from ITMO_FS.wrappers import SequentialForwardSelection

        self.data, self.selector = data, SequentialForwardSelection(data.learner, data.k, data.scoring)

    def work(self):
        self.selector.fit(self.data.X, self.data.y, cv=self.data.splits)

    def result(self):
        return Chosen(self.selector.selected_features)
