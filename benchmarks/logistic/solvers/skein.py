"""skein-glm's logistic path."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "skein-glm", "skein-glm", "skein_glm"
    tolerances = LADDER[1:]
    apart = True

    def prepare(self, data):
        import numpy as np
        from skein_glm import LogisticLassoPathRegressor

        self.X, self.y = np.ascontiguousarray(data.X), (data.y + 1) / 2
        self.model = LogisticLassoPathRegressor(lambdas=data.alphas, tol=self.tol, max_iter=10**6)

    def run(self):
        self.model.fit(self.X, self.y)

    def result(self):
        return self.model.coefs_, self.model.intercepts_
