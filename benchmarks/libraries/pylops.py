"""PyLops, with its own operators."""

import numpy as np

from benchmarks.competitor import RIVAL, Competitor

STEPS = (100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0)  # in the place of tolerances: its stopping rule is of the step


def operator(data):
    """The matrix, or rows of the cosine transform, as PyLops has them."""
    import pylops

    if data.A is not None:
        return pylops.MatrixMult(data.A)
    return pylops.Restriction(data.n, data.rows) * pylops.signalprocessing.DCT(data.n)


class BasisPursuit(Competitor):
    """FISTA with a small penalty: it comes as near as its iterations and this penalty allow."""

    question, name, package, role = "basis_pursuit", "PyLops fista", "pylops", RIVAL
    tolerances = (400.0, 3200.0)
    eps = 1e-4

    def fits(self, data):
        return data.A is None

    def prepare(self, data):
        from pylops.optimization.sparsity import fista

        self.solve, self.Op, self.y = fista, operator(data), data.Y[0]

    def run(self):
        self.found = self.solve(self.Op, self.y, niter=int(self.tol), eps=2 * self.eps, alpha=1.0, tol=0.0)[0]

    def result(self):
        return self.found[None]


class Bpdn(Competitor):
    question, name, package = "bpdn", "PyLops fista", "pylops"
    tolerances = STEPS

    def prepare(self, data):
        from pylops.optimization.sparsity import fista

        # Its objective is ‖y − A s‖² + ε‖s‖₁, its step 1/‖A‖², which is given here.
        self.solve, self.Op, self.data = fista, operator(data), data
        self.step = 1.0 if data.A is None else 1 / float(np.linalg.norm(data.A, 2)) ** 2

    def run(self):
        eps = 2 * self.data.lam
        self.found = self.solve(self.Op, self.data.y, niter=int(self.tol), eps=eps, alpha=self.step, tol=0.0)[0]

    def result(self):
        return self.found


class OmpOne(Competitor):
    question, name, package = "omp_one", "PyLops omp", "pylops"
    tolerances = (10.0, 40.0, 160.0)

    def prepare(self, data):
        import pylops
        from pylops.optimization.sparsity import omp

        self.solve, self.Op, self.data = omp, pylops.MatrixMult(data.A), data

    def run(self):
        self.found = self.solve(self.Op, self.data.y, self.data.n_nonzero, niter_inner=int(self.tol), sigma=0.0)[0]

    def result(self):
        return self.found
