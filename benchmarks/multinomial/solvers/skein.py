"""skein-glm's multinomial path, which penalises the classes of a column together."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "skein-glm", "skein-glm", "skein_glm"
    tolerances = LADDER[1:]
    apart = True

    def fits(self, data):
        return data.rows

    def prepare(self, data):
        import numpy as np
        from skein_glm import MultinomialLassoPathClassifier

        self.X, self.y = np.ascontiguousarray(data.X), data.labels
        alphas = data.alphas / data.y.shape[1]  # its loss is divided by the number of classes
        self.model = MultinomialLassoPathClassifier(
            lambdas=alphas, tol=self.tol, outer_tol=self.tol, max_iter=10**6, max_outer=10**4
        )

    def run(self):
        self.model.fit(self.X, self.y)

    def result(self):
        return self.model.coefs_, self.model.intercepts_
