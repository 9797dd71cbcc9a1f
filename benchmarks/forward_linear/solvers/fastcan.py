"""fastcan's greedy search for the largest canonical correlation with all rows, which is another question."""

from benchmarks.competitor import YARDSTICK, Competitor


class Solver(Competitor):
    name, package, role = "fastcan FastCan, no folds", "fastcan", YARDSTICK

    def fits(self, data):
        return data.countable  # beyond, it takes minutes in compiled code that no cap can stop

    def prepare(self, data):
        import numpy as np
        from fastcan import FastCan

        self.X, self.y = np.asfortranarray(data.X), data.y[:, None]
        self.selector = FastCan(data.k, verbose=0)

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return self.selector.indices_
