"""skglm's working sets, compiled in the warm-up."""

import numpy as np

from benchmarks import competitor
from benchmarks.by_hand import CentredPath, LoopOverFolds
from benchmarks.competitor import LADDER, Competitor


class Skglm(Competitor):
    """Arrays in Fortran order."""

    name, package = "skglm", "skglm"
    tolerances = LADDER

    def prepare(self, data):
        self.X, self.y, self.alphas = self.layout(data.X), data.y, data.alphas

    def layout(self, X):
        return np.asfortranarray(X)

    def compile(self, datafit, penalty):
        from skglm.utils.jit_compilation import compiled_clone

        self.datafit, self.penalty = compiled_clone(datafit), compiled_clone(penalty)

    def anderson(self, fit_intercept):
        """Working sets with Anderson acceleration for squares and ℓ₁."""
        from skglm.datafits import Quadratic
        from skglm.penalties import L1
        from skglm.solvers import AndersonCD

        self.compile(Quadratic(), L1(1.0))
        self.solver = AndersonCD(tol=self.tol, fit_intercept=fit_intercept, max_iter=1000)

    def path(self, X, y):
        """Coefficients (p, m)."""
        return self.solver.path(X, y, self.datafit, self.penalty, self.alphas)[1]

    def warm_path(self, X, y, size):
        """Coefficients alpha by alpha, each started where the last ended."""
        w, Xw, found = np.zeros(size), np.zeros(len(y)), []
        for alpha in self.alphas:
            self.penalty.alpha = alpha
            w, _, _ = self.solver.solve(X, y, self.datafit, self.penalty, w, Xw)
            found.append(w.copy())  # it goes on in the same arrays, w and Xw
        return found


class Lasso(Skglm, CentredPath):
    """On a centred copy, which it solves several times faster than with its own intercept."""

    question = "lasso"

    def prepare(self, data):
        super().prepare(data)
        self.anderson(fit_intercept=False)

    def coefs(self, X, y):
        return self.path(X, y)


class LassoCV(LoopOverFolds):
    """Its own cross-validation draws its folds itself."""

    name, package = "skglm, loop over folds", "skglm"
    path = Lasso
    tolerances = path.tolerances


class LassoSparse(Skglm):
    """With its own intercept."""

    question = "lasso_sparse"
    tolerances = LADDER[1:]

    def layout(self, X):
        from scipy.sparse import csc_matrix

        return csc_matrix(X)

    def prepare(self, data):
        super().prepare(data)
        self.anderson(fit_intercept=True)

    def run(self):
        self.found = self.path(self.X, self.y)

    def result(self):
        return self.found[:-1].T, self.found[-1]


class Logistic(Skglm):
    """Its proximal Newton method."""

    question = "logistic"

    def prepare(self, data):
        from skglm.datafits import Logistic
        from skglm.penalties import L1
        from skglm.solvers import ProxNewton

        super().prepare(data)
        self.compile(Logistic(), L1(1.0))
        self.solver = ProxNewton(tol=self.tol, fit_intercept=True, max_iter=1000)

    def run(self):
        self.found = self.warm_path(self.X, self.y, self.X.shape[1] + 1)

    def result(self):
        path = np.array(self.found)
        return path[:, :-1], path[:, -1]


class Poisson(Logistic):
    """Its proximal Newton method."""

    question = "poisson"

    def prepare(self, data):
        from skglm.datafits import Poisson
        from skglm.penalties import L1
        from skglm.solvers import ProxNewton

        Skglm.prepare(self, data)
        self.compile(Poisson(), L1(1.0))
        self.solver = ProxNewton(tol=self.tol, fit_intercept=True, max_iter=1000)


class Concave(Skglm, CentredPath):
    """From alpha to alpha on a centred copy."""

    question = "concave"

    def prepare(self, data):
        from skglm.datafits import Quadratic
        from skglm.penalties import SCAD, MCPenalty
        from skglm.solvers import AndersonCD

        super().prepare(data)
        penalty = MCPenalty(1.0, data.gamma) if data.penalty == "mcp" else SCAD(1.0, data.gamma)
        self.compile(Quadratic(), penalty)
        self.solver = AndersonCD(tol=self.tol, fit_intercept=False, max_iter=1000)

    def coefs(self, X, y):
        return np.array(self.warm_path(X, y, X.shape[1])).T


class GroupLasso(Skglm, CentredPath):
    """Its block descent."""

    question = "group_lasso"

    def prepare(self, data):
        from skglm.datafits import QuadraticGroup
        from skglm.penalties import WeightedGroupL2, WeightedL1GroupL2
        from skglm.solvers import GroupBCD
        from skglm.utils.data import grp_converter

        super().prepare(data)
        p, size = data.X.shape[1], data.penalty.size
        indices, pointers = grp_converter(size, p)
        root = np.full(p // size, np.sqrt(size))
        if data.sparse:
            ratio = data.penalty.l1_ratio
            penalty = WeightedL1GroupL2(1.0, (1 - ratio) * root, np.full(p, ratio), pointers, indices)
        else:
            penalty = WeightedGroupL2(1.0, root, pointers, indices)
        self.compile(QuadraticGroup(pointers, indices), penalty)
        # The fixed point is the only score of a working set that its sparse groups know.
        self.solver = GroupBCD(tol=self.tol, max_iter=1000, ws_strategy="fixpoint" if data.sparse else "subdiff")

    def coefs(self, X, y):
        return np.array(self.warm_path(X, y, X.shape[1])).T


class ImportTime(competitor.ImportTime):
    name, package, module = "skglm", "skglm", "skglm"
