"""glmnet's Fortran through python-glmnet."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "python-glmnet", "python-glmnet", "glmnet"
    tolerances = LADDER

    def prepare(self, data):
        import numpy as np
        from glmnet import LogitNet

        self.X, self.y = np.asfortranarray(data.X), data.y
        self.model = LogitNet(
            alpha=1, lambda_path=data.alphas, standardize=False, n_splits=0, tol=self.tol, max_iter=10**7
        )

    def run(self):
        self.model.fit(self.X, self.y)

    def result(self):
        return self.model.coef_path_[0].T, self.model.intercept_path_[0]
