"""numpy.cov, which also centres a copy."""

from benchmarks.competitor import Competitor


class Solver(Competitor):
    name, package = "numpy.cov", "numpy"

    def prepare(self, data):
        self.X = data

    def run(self):
        import numpy as np

        self.C = np.cov(self.X, rowvar=False, bias=True)

    def result(self):
        return len(self.X) * self.C
