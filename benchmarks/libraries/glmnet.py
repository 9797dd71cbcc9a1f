"""glmnet's Fortran through python-glmnet."""

import numpy as np

from benchmarks.competitor import LADDER, Estimator


class Glmnet(Estimator):
    """Arrays in Fortran order."""

    name, package, module = "python-glmnet", "python-glmnet", "glmnet"
    tolerances = LADDER

    def prepare(self, data):
        self.X, self.y = self.layout(data.X), data.y
        self.options = {
            "alpha": 1,
            "lambda_path": data.alphas,
            "standardize": False,
            "n_splits": 0,
            "tol": self.tol,
            "max_iter": 10**7,
        }

    def layout(self, X):
        return np.asfortranarray(X)


class Lasso(Glmnet):
    question = "lasso"

    def prepare(self, data):
        from glmnet import ElasticNet

        super().prepare(data)
        self.model = ElasticNet(**self.options)

    def result(self):
        return self.model.coef_path_.T, self.model.intercept_path_


class LassoCV(Glmnet):
    """Its own cross-validation, given the folds as groups of rows."""

    question, name = "lasso_cv", "python-glmnet, n_splits=5"
    tolerances = LADDER[2:]

    def prepare(self, data):
        from glmnet import ElasticNet

        super().prepare(data)
        self.fold = data.fold
        folds = {"n_splits": 5, "scoring": "mean_squared_error", "n_jobs": self.threads}
        self.model = ElasticNet(**self.options | folds)

    def run(self):
        self.model.fit(self.X, self.y, groups=self.fold)

    def result(self):
        m, k = self.model, self.model.lambda_max_inx_
        return self.answer(abs(m.cv_mean_score_), m.lambda_path_[k], m.coef_path_[:, k], m.intercept_path_[k])


class LassoSparse(Lasso):
    """It takes rows first and turns them to columns itself."""

    question = "lasso_sparse"
    tolerances = LADDER[1:]

    def layout(self, X):
        from scipy.sparse import csr_matrix

        return csr_matrix(X)


class Logistic(Glmnet):
    question = "logistic"

    def prepare(self, data):
        from glmnet import LogitNet

        super().prepare(data)
        self.model = LogitNet(**self.options)

    def result(self):
        return self.model.coef_path_[0].T, self.model.intercept_path_[0]


class Multinomial(Logistic):
    question = "multinomial"

    def fits(self, data):
        return not data.rows

    def prepare(self, data):
        super().prepare(data)
        self.y = data.labels

    def result(self):
        return self.model.coef_path_.transpose(2, 0, 1), self.model.intercept_path_.T
