"""What one writes by hand around pyarrow's Parquet reader."""

import numpy as np

from benchmarks.competitor import Competitor


class GramParquet(Competitor):
    package = "pyarrow"

    def prepare(self, data):
        from pyarrow import dataset, parquet  # noqa: F401  dataset would be imported by the first reading

        self.parquet, self.path = parquet, data

    def result(self):
        return self.S


class GramParquetBatches(GramParquet):
    """The careful way: two passes over the batches, nothing held but the Gram matrix."""

    question, name = "gram_parquet", "pyarrow batches + NumPy, two passes"

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
                yield np.column_stack([column.to_numpy() for column in batch.columns])


class GramParquetWhole(GramParquet):
    """Read the whole file, make a matrix, centre it, multiply."""

    question, name = "gram_parquet", "pyarrow whole file + NumPy"

    def run(self):
        table = self.parquet.read_table(self.path)
        X = np.column_stack([column.to_numpy() for column in table.columns])
        X -= X.mean(axis=0)
        self.S = X.T @ X
