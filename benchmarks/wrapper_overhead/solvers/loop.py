"""The fits alone."""

from benchmarks.alone import LOOP, Alone
from benchmarks.competitor import YARDSTICK


class Solver(Alone):
    name, package, module, role = LOOP, "scikit-learn", "sklearn", YARDSTICK

    def prepare(self, data):
        self.score, self.subsets = data.score, [columns for columns, _ in data.asked]

    def work(self):
        self.scores = [self.score(columns) for columns in self.subsets]

    def result(self):
        return self.scores
