"""Statistics of one pass."""

from benchmarks.competitor import OURS, Competitor


class Gram(Competitor):
    """One pass, centred as it goes."""

    question, name, role = "gram", "tamis", OURS
    package, module = "tamis", "tamis.stats.gram"

    def prepare(self, data):
        from tamis.sources import as_source
        from tamis.stats import collect
        from tamis.stats.gram import Gram

        self.X, self.as_source, self.collect, self.Gram = data, as_source, collect, Gram

    def run(self):
        (self.gram,) = self.collect(self.as_source(self.X), self.Gram())

    def result(self):
        return self.gram.scatter


class GramParquet(Gram):
    """``as_source`` takes the path of the file where it took the matrix."""

    question = "gram_parquet"
