"""skein-glm's group paths."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "skein-glm", "skein-glm", "skein_glm"
    tolerances = LADDER[1:]
    apart = True

    def prepare(self, data):
        import numpy as np
        from skein_glm import GroupLassoPathRegressor, SparseGroupLassoPathRegressor

        self.X, self.y = np.ascontiguousarray(data.X), data.y
        root = np.full(data.X.shape[1] // data.penalty.size, np.sqrt(data.penalty.size))
        options = {"lambdas": data.alphas, "weights": root, "tol": self.tol, "max_iter": 10**6}
        if data.sparse:
            self.model = SparseGroupLassoPathRegressor(data.labels, data.penalty.l1_ratio, **options)
        else:
            self.model = GroupLassoPathRegressor(data.labels, **options)

    def run(self):
        self.model.fit(self.X, self.y)

    def result(self):
        return self.model.coefs_, self.model.intercepts_
