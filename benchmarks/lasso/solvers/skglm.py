"""skglm's path of working sets with Anderson acceleration, compiled in the warm-up.

On a centred copy, which it solves several times faster than with its own intercept.
"""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package = "skglm", "skglm"
    tolerances = LADDER

    def prepare(self, data):
        import numpy as np
        from skglm.datafits import Quadratic
        from skglm.penalties import L1
        from skglm.solvers import AndersonCD
        from skglm.utils.jit_compilation import compiled_clone

        self.X, self.y, self.alphas = np.asfortranarray(data.X), data.y, data.alphas
        self.datafit, self.penalty = compiled_clone(Quadratic()), compiled_clone(L1(1.0))
        self.solver = AndersonCD(tol=self.tol, fit_intercept=False, max_iter=1000)

    def run(self):
        m, mean = self.X.mean(axis=0), self.y.mean()
        _, coefs, _ = self.solver.path(self.X - m, self.y - mean, self.datafit, self.penalty, self.alphas)
        self.found = coefs.T, mean - m @ coefs

    def result(self):
        return self.found
