"""pandas, which has a covariance of its own."""

from benchmarks.competitor import Competitor


class GramParquet(Competitor):
    """It reads the whole file, and its covariance also looks for missing values."""

    question, name, package = "gram_parquet", "pandas read_parquet + cov", "pandas"

    def prepare(self, data):
        import pandas

        self.pandas, self.path = pandas, data

    def run(self):
        frame = self.pandas.read_parquet(self.path)
        self.S = len(frame) * frame.cov(ddof=0).to_numpy()

    def result(self):
        return self.S
