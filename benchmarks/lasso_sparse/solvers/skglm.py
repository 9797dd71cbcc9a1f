"""skglm's path of working sets with its own intercept, compiled in the warm-up."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package = "skglm", "skglm"
    tolerances = LADDER[1:]

    def prepare(self, data):
        from scipy.sparse import csc_matrix
        from skglm.datafits import Quadratic
        from skglm.penalties import L1
        from skglm.solvers import AndersonCD
        from skglm.utils.jit_compilation import compiled_clone

        self.X, self.y, self.alphas = csc_matrix(data.X), data.y, data.alphas
        self.datafit, self.penalty = compiled_clone(Quadratic()), compiled_clone(L1(1.0))
        self.solver = AndersonCD(tol=self.tol, fit_intercept=True, max_iter=1000)

    def run(self):
        _, self.coefs, _ = self.solver.path(self.X, self.y, self.datafit, self.penalty, self.alphas)

    def result(self):
        return self.coefs[:-1].T, self.coefs[-1]
