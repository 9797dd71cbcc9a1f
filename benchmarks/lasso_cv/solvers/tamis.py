"""Ours, as it comes: nothing tuned."""

from benchmarks.competitor import OURS, Competitor
from benchmarks.lasso_cv.objective import Chosen


class Solver(Competitor):
    name, package, role = "tamis", "tamis", OURS

    def prepare(self, data):
        from tamis import LassoCV

        self.data = data
        self.model = LassoCV(alphas=data.alphas, cv=data.splits(), n_jobs=self.threads)

    def run(self):
        self.model.fit(self.data.X, self.data.y)

    def result(self):
        m = self.model
        return Chosen(m.mse_path_.mean(axis=1), m.alpha_, m.coef_, m.intercept_)
