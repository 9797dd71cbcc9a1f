"""PyProximal, on the operators of PyLops."""

import numpy as np

from benchmarks.competitor import Competitor
from benchmarks.libraries.pylops import STEPS, operator


class BasisPursuit(Competitor):
    """Douglas and Rachford's splitting between ‖s‖₁ and A s = y, whose projection is exact for rows of a transform."""

    question, name, package = "basis_pursuit", "PyProximal DouglasRachfordSplitting", "pyproximal"
    tolerances = STEPS

    def fits(self, data):
        return data.A is None

    def prepare(self, data):
        import pyproximal

        self.solve = pyproximal.optimization.primal.DouglasRachfordSplitting
        self.f, self.g = pyproximal.L1(), pyproximal.AffineSet(operator(data), data.Y[0], 1)
        self.n = data.n

    def run(self):
        self.found = self.solve(self.f, self.g, np.zeros(self.n), tau=0.5, niter=int(self.tol))[0]

    def result(self):
        return self.found[None]


class Bpdn(Competitor):
    question, name, package = "bpdn", "PyProximal AcceleratedProximalGradient", "pyproximal"
    tolerances = STEPS

    def prepare(self, data):
        import pyproximal

        self.solve = pyproximal.optimization.primal.AcceleratedProximalGradient
        self.f, self.g = pyproximal.L2(Op=operator(data), b=data.y), pyproximal.L1(sigma=data.lam)
        self.n = data.n
        self.step = 1.0 if data.A is None else 1 / float(np.linalg.norm(data.A, 2)) ** 2

    def run(self):
        self.found = self.solve(
            self.f, self.g, np.zeros(self.n), tau=self.step, niter=int(self.tol), acceleration="fista"
        )

    def result(self):
        return self.found
