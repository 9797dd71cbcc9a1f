"""The product of the matrix with itself: the least that any closed form needs."""

from benchmarks.competitor import YARDSTICK, Competitor
from benchmarks.forward_linear.objective import PRODUCT


class Solver(Competitor):
    name, package, role = PRODUCT, "numpy", YARDSTICK

    def fits(self, data):
        return not data.countable

    def prepare(self, data):
        self.X = data.X

    def run(self):
        self.product = self.X.T @ self.X

    def result(self):
        return self.product
