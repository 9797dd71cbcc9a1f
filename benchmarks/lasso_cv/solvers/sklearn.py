"""scikit-learn's LassoCV, folds in threads."""

from benchmarks.competitor import Competitor
from benchmarks.lasso_cv.objective import Chosen
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "scikit-learn LassoCV, n_jobs", "scikit-learn", "sklearn.linear_model"
    tolerances = LADDER[1:]

    def prepare(self, data):
        import numpy as np
        from sklearn.linear_model import LassoCV

        self.X, self.y = np.asfortranarray(data.X), data.y
        self.model = LassoCV(alphas=data.alphas, cv=data.splits(), tol=self.tol, max_iter=10**6, n_jobs=self.jobs())

    def jobs(self):
        return self.threads

    def run(self):
        self.model.fit(self.X, self.y)

    def result(self):
        m = self.model
        return Chosen(m.mse_path_.mean(axis=1), m.alpha_, m.coef_, m.intercept_)
