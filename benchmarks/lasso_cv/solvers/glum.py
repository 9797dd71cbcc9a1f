"""glum's own cross-validation."""

from benchmarks.competitor import Competitor
from benchmarks.lasso_cv.objective import Chosen
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package = "glum GeneralizedLinearRegressorCV", "glum"
    tolerances = LADDER

    def prepare(self, data):
        import numpy as np
        from glum import GeneralizedLinearRegressorCV
        from sklearn.model_selection import PredefinedSplit

        self.X, self.y = np.asfortranarray(data.X), data.y
        self.model = GeneralizedLinearRegressorCV(
            family="gaussian",
            l1_ratio=1.0,
            alphas=list(data.alphas),
            cv=PredefinedSplit(data.fold),
            gradient_tol=self.tol,
            max_iter=1000,
        )

    def run(self):
        self.model.fit(self.X, self.y)

    def result(self):
        m = self.model
        return Chosen(m.deviance_path_.mean(axis=0).ravel(), m.alpha_, m.coef_, m.intercept_)
