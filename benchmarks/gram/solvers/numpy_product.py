"""NumPy's product, not centred: the least anybody can do."""

from benchmarks.competitor import YARDSTICK, Competitor


class Solver(Competitor):
    name, package, role = "NumPy X.T @ X", "numpy", YARDSTICK

    def prepare(self, data):
        self.X = data

    def run(self):
        self.G = self.X.T @ self.X

    def result(self):
        return self.G
