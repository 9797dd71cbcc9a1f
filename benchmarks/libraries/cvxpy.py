"""cvxpy, with the solvers it is given."""

import numpy as np

from benchmarks.competitor import Competitor


class _BasisPursuit(Competitor):
    package = "cvxpy"
    solver: str
    apart = True

    def fits(self, data):
        return data.A is not None

    def prepare(self, data):
        import cvxpy

        self.cvxpy, self.data = cvxpy, data

    def run(self):
        self.found = [self._one(y) for y in self.data.Y]

    def _one(self, y):
        s = self.cvxpy.Variable(self.data.n)
        self.cvxpy.Problem(self.cvxpy.Minimize(self.cvxpy.norm1(s)), [self.data.A @ s == y]).solve(solver=self.solver)
        return s.value

    def result(self):
        return np.array(self.found)


class BasisPursuitClarabel(_BasisPursuit):
    question, name, solver = "basis_pursuit", "cvxpy, Clarabel", "CLARABEL"


class BasisPursuitHighs(_BasisPursuit):
    question, name, solver = "basis_pursuit", "cvxpy, HiGHS", "HIGHS"


class BpdnClarabel(Competitor):
    question, name, package, apart = "bpdn", "cvxpy, Clarabel", "cvxpy", True

    def fits(self, data):
        return data.A is not None

    def prepare(self, data):
        import cvxpy

        self.cvxpy, self.data = cvxpy, data

    def run(self):
        s, d = self.cvxpy.Variable(self.data.n), self.data
        fit = 0.5 * self.cvxpy.sum_squares(d.y - d.A @ s) + d.lam * self.cvxpy.norm1(s)
        self.cvxpy.Problem(self.cvxpy.Minimize(fit)).solve(solver="CLARABEL")
        self.found = s.value

    def result(self):
        return self.found


class NuclearNorm(Competitor):
    question, name, package = "nuclear_norm", "cvxpy, SCS", "cvxpy"
    tolerances = tuple(10.0**-k for k in range(5, 10))
    apart = True

    def prepare(self, data):
        import cvxpy

        self.cvxpy, self.data = cvxpy, data

    def run(self):
        from benchmarks.judging.semidefinite import nuclear_norm_completion

        options = {"eps_abs": self.tol, "eps_rel": self.tol, "max_iters": 200_000}
        self.M = nuclear_norm_completion(self.data.X, self.data.alpha, "SCS", **options)

    def result(self):
        return self.M
