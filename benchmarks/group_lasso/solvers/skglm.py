"""skglm's block descent from alpha to alpha, each started where the last ended, compiled in the warm-up."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package = "skglm", "skglm"
    tolerances = LADDER

    def prepare(self, data):
        import numpy as np
        from skglm.datafits import QuadraticGroup
        from skglm.penalties import WeightedGroupL2, WeightedL1GroupL2
        from skglm.solvers import GroupBCD
        from skglm.utils.data import grp_converter
        from skglm.utils.jit_compilation import compiled_clone

        self.X, self.y, self.alphas = np.asfortranarray(data.X), data.y, data.alphas
        p, size = data.X.shape[1], data.penalty.size
        indices, pointers = grp_converter(size, p)
        root = np.full(p // size, np.sqrt(size))
        if data.sparse:
            ratio = data.penalty.l1_ratio
            penalty = WeightedL1GroupL2(1.0, (1 - ratio) * root, np.full(p, ratio), pointers, indices)
        else:
            penalty = WeightedGroupL2(1.0, root, pointers, indices)
        self.datafit, self.penalty = compiled_clone(QuadraticGroup(pointers, indices)), compiled_clone(penalty)
        # The fixed point is the only score of a working set that its sparse groups know.
        self.solver = GroupBCD(tol=self.tol, max_iter=1000, ws_strategy="fixpoint" if data.sparse else "subdiff")

    def run(self):
        import numpy as np

        m, mean = self.X.mean(axis=0), self.y.mean()
        C, r = self.X - m, self.y - mean
        w, Cw, found = np.zeros(len(m)), np.zeros(len(r)), []
        for alpha in self.alphas:
            self.penalty.alpha = alpha
            w, _, _ = self.solver.solve(C, r, self.datafit, self.penalty, w, Cw)
            found.append(w.copy())  # it goes on in the same arrays, w and Cw
        coefs = np.array(found)
        self.found = coefs, mean - coefs @ m

    def result(self):
        return self.found
