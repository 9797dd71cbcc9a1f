"""scikit-learn's saga from alpha to alpha, each started where the last ended."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "scikit-learn, saga", "scikit-learn", "sklearn.linear_model"
    tolerances = LADDER[1:]
    options = {"solver": "saga", "random_state": 0}  # noqa: RUF012

    def prepare(self, data):
        import numpy as np
        from sklearn.linear_model import LogisticRegression

        self.X, self.y, self.alphas = np.ascontiguousarray(data.X), data.y, data.alphas
        self.model = LogisticRegression(l1_ratio=1.0, tol=self.tol, max_iter=10**5, warm_start=True, **self.options)

    def run(self):
        self.coefs, self.intercepts = [], []
        for alpha in self.alphas:
            self.model.set_params(C=1 / (len(self.y) * alpha)).fit(self.X, self.y)
            self.coefs.append(self.model.coef_.copy())
            self.intercepts.append(self.model.intercept_.copy())

    def result(self):
        import numpy as np

        return np.array(self.coefs)[:, 0], np.array(self.intercepts)[:, 0]
