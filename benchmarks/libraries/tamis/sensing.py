"""Recoveries of sparse codes."""

import numpy as np

from benchmarks.competitor import OURS, Competitor


class BasisPursuit(Competitor):
    question, name, role = "basis_pursuit", "tamis", OURS
    package, module = "tamis", "tamis.sensing"

    def prepare(self, data):
        from tamis.operators import DCT, Restriction
        from tamis.sensing import basis_pursuit

        self.A = data.A if data.A is not None else Restriction(data.n, data.rows) @ DCT(data.n)
        self.recover, self.Y = basis_pursuit, data.Y

    def run(self):
        self.found = [self.recover(self.A, y) for y in self.Y]

    def result(self):
        return np.array([found.code for found in self.found])


class OmpOne(Competitor):
    question, name, role = "omp_one", "tamis", OURS
    package, module = "tamis", "tamis.sensing"

    def prepare(self, data):
        from tamis.sensing import omp

        self.omp, self.data = omp, data

    def run(self):
        self.found = self.omp(self.data.A, self.data.y, n_nonzero=self.data.n_nonzero)

    def result(self):
        return self.found.code
