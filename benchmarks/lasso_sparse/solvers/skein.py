"""skein-glm's elastic-net path at the lasso end."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "skein-glm", "skein-glm", "skein_glm"
    tolerances = LADDER[1:]
    apart = True

    def prepare(self, data):
        from scipy.sparse import csc_matrix
        from skein_glm import ElasticNetPathRegressor

        self.X, self.y = csc_matrix(data.X), data.y
        self.model = ElasticNetPathRegressor(alpha=1.0, lambdas=data.alphas, tol=self.tol, max_iter=10**6)

    def run(self):
        self.model.fit(self.X, self.y)

    def result(self):
        return self.model.coefs_, self.model.intercepts_
