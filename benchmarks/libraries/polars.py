"""polars reads; NumPy multiplies."""

import numpy as np  # noqa: F401  paid for before the clock starts

from benchmarks.competitor import Competitor


class GramParquet(Competitor):
    """It reads the whole file."""

    question, name, package = "gram_parquet", "polars whole file + NumPy", "polars"

    def prepare(self, data):
        import polars

        self.polars, self.path = polars, data

    def run(self):
        X = self.polars.read_parquet(self.path).to_numpy()
        C = X - X.mean(axis=0)
        self.S = C.T @ C

    def result(self):
        return self.S
