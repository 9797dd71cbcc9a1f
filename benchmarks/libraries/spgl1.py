"""SPGL1: spectral projected gradients on a Lasso whose radius is found by Newton's method."""

import numpy as np

from benchmarks.by_hand import partial_cosine
from benchmarks.competitor import Competitor


class BasisPursuit(Competitor):
    question, name, package = "basis_pursuit", "SPGL1", "spgl1"
    tolerances = (1e-6, 1e-8, 1e-9, 1e-10)

    def prepare(self, data):
        from spgl1 import spg_bp

        self.solve, self.Y = spg_bp, data.Y
        self.A = data.A if data.A is not None else partial_cosine(data.n, data.rows)

    def run(self):
        options = {"opt_tol": self.tol, "bp_tol": self.tol, "iter_lim": 10_000, "verbosity": 0}
        self.found = [self.solve(self.A, y, **options)[0] for y in self.Y]

    def result(self):
        return np.array(self.found)


class Bpdn(Competitor):
    """The least ‖s‖₁ within the radius of the least objective."""

    question, name, package = "bpdn", "SPGL1", "spgl1"
    tolerances = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)

    def prepare(self, data):
        from spgl1 import spg_bpdn

        self.solve, self.data = spg_bpdn, data
        self.A = data.A if data.A is not None else partial_cosine(data.n, data.rows)

    def run(self):
        options = {"opt_tol": self.tol, "bp_tol": self.tol, "dec_tol": self.tol, "iter_lim": 10_000, "verbosity": 0}
        self.found = self.solve(self.A, self.data.y, self.data.radius, **options)[0]

    def result(self):
        return self.found
