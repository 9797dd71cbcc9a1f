"""python-glmnet's own cross-validation, given the folds as groups of rows."""

from benchmarks.competitor import Competitor
from benchmarks.lasso_cv.objective import Chosen
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "python-glmnet, n_splits=5", "python-glmnet", "glmnet"
    tolerances = LADDER[2:]

    def prepare(self, data):
        import numpy as np
        from glmnet import ElasticNet

        self.data, self.X = data, np.asfortranarray(data.X)
        self.model = ElasticNet(
            alpha=1,
            lambda_path=data.alphas,
            standardize=False,
            n_splits=5,
            scoring="mean_squared_error",
            n_jobs=self.threads,
            tol=self.tol,
            max_iter=10**7,
        )

    def run(self):
        self.model.fit(self.X, self.data.y, groups=self.data.fold)

    def result(self):
        m, k = self.model, self.model.lambda_max_inx_
        return Chosen(abs(m.cv_mean_score_), m.lambda_path_[k], m.coef_path_[:, k], m.intercept_path_[k])
