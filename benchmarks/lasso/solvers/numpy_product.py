"""NumPy's product: what the statistics road cannot go below."""

from benchmarks.competitor import YARDSTICK, Competitor


class Solver(Competitor):
    name, package, role = "NumPy X.T @ X", "numpy", YARDSTICK

    def fits(self, data):
        n, p = data.X.shape
        return n >= 20 * p

    def prepare(self, data):
        self.X = data.X

    def run(self):
        self.G = self.X.T @ self.X

    def result(self):
        return self.G
