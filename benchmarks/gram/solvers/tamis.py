"""Ours: one pass, centred as it goes."""

from benchmarks.competitor import OURS, Competitor


class Solver(Competitor):
    name, package, role = "tamis", "tamis", OURS
    module = "tamis.stats.gram"

    def prepare(self, data):
        from tamis.sources import as_source
        from tamis.stats import collect
        from tamis.stats.gram import Gram

        self.X, self.as_source, self.collect, self.Gram = data, as_source, collect, Gram

    def run(self):
        (self.gram,) = self.collect(self.as_source(self.X), self.Gram())

    def result(self):
        return self.gram.scatter
