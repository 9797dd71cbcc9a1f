"""What every alpha needs at least once, the correlations of all columns, and one Gram of the columns in use."""

from benchmarks.competitor import YARDSTICK, Competitor
from benchmarks.lasso_large.objective import PASSES


class Solver(Competitor):
    name, package, role = PASSES, "numpy", YARDSTICK

    def prepare(self, data):
        self.data = data
        self.r = (data.y - data.y.mean()).astype(data.X.dtype)

    def run(self):
        for _ in self.data.alphas:
            self.data.X.T @ self.r
        C = self.data.X[:, self.data.support]
        self.G = C.T @ C

    def result(self):
        return self.G
