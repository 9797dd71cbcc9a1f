"""The careful way by hand: two passes over the batches, nothing held but the Gram matrix."""

from benchmarks.competitor import Competitor


class Solver(Competitor):
    name, package = "pyarrow batches + NumPy, two passes", "pyarrow"

    def prepare(self, data):
        import numpy as np
        from pyarrow import dataset, parquet  # noqa: F401  dataset would be imported by the first reading

        self.np, self.parquet, self.path = np, parquet, data

    def run(self):
        n, total = 0, 0.0
        for X in self._batches():
            n, total = n + len(X), total + X.sum(axis=0)
        m = total / n
        self.S = 0.0
        for X in self._batches():
            X -= m
            self.S = self.S + X.T @ X

    def _batches(self):
        with self.parquet.ParquetFile(self.path) as file:
            for batch in file.iter_batches(batch_size=16_384):
                yield self.np.column_stack([column.to_numpy() for column in batch.columns])

    def result(self):
        return self.S
