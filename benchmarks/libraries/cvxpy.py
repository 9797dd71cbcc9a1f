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


class RobustPCA(Competitor):
    """The convex problem, small ones."""

    question, name, package = "robust_pca", "cvxpy, SCS", "cvxpy"
    tolerances = (1e-4, 1e-6)
    apart = True

    def fits(self, data):
        return len(data.X) <= 500

    def prepare(self, data):
        import cvxpy

        self.cvxpy, self.X = cvxpy, data.X

    def run(self):
        cp = self.cvxpy
        L = cp.Variable(self.X.shape)
        problem = cp.Problem(cp.Minimize(cp.normNuc(L) + cp.sum(cp.abs(self.X - L)) / np.sqrt(max(self.X.shape))))
        problem.solve(solver="SCS", eps_abs=self.tol, eps_rel=self.tol)
        self.L = L.value

    def result(self):
        return self.L
