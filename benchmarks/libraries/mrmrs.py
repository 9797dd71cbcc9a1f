"""mrmrs, in Rust, on a polars frame."""

from benchmarks.competitor import Competitor


class MrmrCorrelation(Competitor):
    question, name, package = "mrmr_correlation", "mrmrs", "mrmrs"

    def prepare(self, data):
        import polars
        from mrmrs import mrmr

        self.mrmr, self.k = mrmr, data.k
        self.X = polars.DataFrame(data.X, schema=[str(j) for j in range(data.X.shape[1])])
        self.y = polars.Series(data.y)

    def run(self):
        self.found = self.mrmr(X=self.X, y=self.y, number_of_features=self.k, task_type="classification")

    def result(self):
        return [int(feature.name) for feature in self.found]
