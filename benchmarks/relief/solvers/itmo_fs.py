"""ITMO-FS's measure, given scaled columns."""

from benchmarks.competitor import Competitor
from benchmarks.near_rows import scaled
from benchmarks.relief.datasets import RELIEFF


class Solver(Competitor):
    name, package, module = "ITMO-FS reliefF_measure", "ITMO-FS", "ITMO_FS.filters.univariate"

    def fits(self, data):
        return data.method == RELIEFF

    def prepare(self, data):
        from ITMO_FS.filters.univariate import reliefF_measure

        self.measure, self.X, self.y, self.k = reliefF_measure, scaled(data.X), data.y, data.k

    def run(self):
        self.weights = self.measure(self.X, self.y, self.k)

    def result(self):
        return self.weights
