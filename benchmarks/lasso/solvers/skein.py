"""skein-glm's elastic-net path at the lasso end."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "skein-glm", "skein-glm", "skein_glm"
    tolerances = LADDER[1:]
    apart = True

    def prepare(self, data):
        import numpy as np
        from skein_glm import ElasticNetPathRegressor

        self.X, self.y = np.ascontiguousarray(data.X), data.y  # it copies any other order
        self.model = ElasticNetPathRegressor(alpha=1.0, lambdas=data.alphas, tol=self.tol, max_iter=10**6)

    def run(self):
        self.model.fit(self.X, self.y)

    def result(self):
        return self.model.coefs_, self.model.intercepts_
