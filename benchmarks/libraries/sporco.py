"""SPORCO, on matrices."""

import numpy as np

from benchmarks.competitor import Competitor

STEPS = (100.0, 200.0, 400.0, 800.0, 1600.0)  # in the place of tolerances: the iterations


class _Bpdn(Competitor):
    package = "sporco"
    tolerances = STEPS

    def fits(self, data):
        return data.A is not None

    def run(self):
        solver = self.solver(self.A, self.y, self.lam, self.options)
        self.found = np.asarray(solver.solve()).ravel()

    def _keep(self, data, solver, options):
        self.solver, self.options = solver, solver.Options(options)
        self.A, self.y, self.lam = data.A, data.y[:, None], data.lam

    def result(self):
        return self.found


class BpdnAdmm(_Bpdn):
    question, name = "bpdn", "SPORCO admm BPDN"

    def prepare(self, data):
        from sporco.admm.bpdn import BPDN

        self._keep(data, BPDN, {"MaxMainIter": int(self.tol), "RelStopTol": 0.0, "Verbose": False})


class BpdnPgm(_Bpdn):
    question, name = "bpdn", "SPORCO pgm BPDN"

    def prepare(self, data):
        from sporco.pgm.bpdn import BPDN

        L = float(np.linalg.norm(data.A, 2)) ** 2
        self._keep(data, BPDN, {"MaxMainIter": int(self.tol), "RelStopTol": 0.0, "L": L, "Verbose": False})
