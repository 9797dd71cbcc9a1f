"""skglm's proximal Newton method from alpha to alpha, each started where the last ended, compiled in the warm-up."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package = "skglm", "skglm"
    tolerances = LADDER

    def prepare(self, data):
        import numpy as np
        from skglm.datafits import Logistic
        from skglm.penalties import L1
        from skglm.solvers import ProxNewton
        from skglm.utils.jit_compilation import compiled_clone

        self.X, self.y, self.alphas = np.asfortranarray(data.X), data.y, data.alphas
        self.datafit, self.penalty = compiled_clone(Logistic()), compiled_clone(L1(1.0))
        self.solver = ProxNewton(tol=self.tol, fit_intercept=True, max_iter=1000)

    def run(self):
        import numpy as np

        w, Xw, self.found = np.zeros(self.X.shape[1] + 1), np.zeros(len(self.y)), []
        for alpha in self.alphas:
            self.penalty.alpha = alpha
            w, _, _ = self.solver.solve(self.X, self.y, self.datafit, self.penalty, w, Xw)
            self.found.append(w.copy())  # it goes on in the same arrays, w and Xw

    def result(self):
        import numpy as np

        path = np.array(self.found)
        return path[:, :-1], path[:, -1]
