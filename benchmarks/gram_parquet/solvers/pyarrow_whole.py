"""What one writes by hand: read the whole file, make a matrix, centre a copy, multiply."""

from benchmarks.competitor import Competitor


class Solver(Competitor):
    name, package = "pyarrow whole file + NumPy", "pyarrow"

    def prepare(self, data):
        import numpy as np
        from pyarrow import dataset, parquet  # noqa: F401  dataset would be imported by the first reading

        self.np, self.parquet, self.path = np, parquet, data

    def run(self):
        table = self.parquet.read_table(self.path)
        X = self.np.column_stack([column.to_numpy() for column in table.columns])
        X -= X.mean(axis=0)
        self.S = X.T @ X

    def result(self):
        return self.S
