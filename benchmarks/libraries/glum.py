"""glum's paths of iteratively reweighted least squares, which squares need only once."""

import numpy as np

from benchmarks.competitor import LADDER, Estimator

MOST = 8 * 10**9  # bytes


class Glum(Estimator):
    """Arrays in Fortran order."""

    name, package = "glum", "glum"
    tolerances = LADDER

    def prepare(self, data):
        self.X, self.y = self.layout(data.X), data.y

    def layout(self, X):
        return np.asfortranarray(X)

    def regressor(self, alphas, family="gaussian", **options):
        from glum import GeneralizedLinearRegressor

        options |= {"alpha": list(alphas), "alpha_search": True, "gradient_tol": self.tol}
        return GeneralizedLinearRegressor(family=family, l1_ratio=1.0, **options)

    def result(self):
        return self.model.coef_path_, self.model.intercept_path_


class Lasso(Glum):
    question = "lasso"

    def prepare(self, data):
        super().prepare(data)
        self.model = self.regressor(data.alphas, max_iter=1000)


class LassoCV(Glum):
    """Its own cross-validation."""

    question, name = "lasso_cv", "glum GeneralizedLinearRegressorCV"

    def prepare(self, data):
        from glum import GeneralizedLinearRegressorCV
        from sklearn.model_selection import PredefinedSplit

        super().prepare(data)
        self.model = GeneralizedLinearRegressorCV(
            family="gaussian",
            l1_ratio=1.0,
            alphas=list(data.alphas),
            cv=PredefinedSplit(data.fold),
            gradient_tol=self.tol,
            max_iter=1000,
        )

    def result(self):
        m = self.model
        return self.answer(m.deviance_path_.mean(axis=0).ravel(), m.alpha_, m.coef_, m.intercept_)


class LassoSparse(Glum):
    """It keeps the whole p × p Hessian."""

    question = "lasso_sparse"
    hessian = 0  # bytes

    def fits(self, data):
        self.hessian = 8 * data.X.shape[1] ** 2
        return True

    def available(self):
        if self.hessian > MOST:
            return f"needs a dense matrix of {self.hessian / 1e9:.0f} GB"
        return super().available()

    def layout(self, X):
        from scipy.sparse import csc_matrix

        return csc_matrix(X)

    def prepare(self, data):
        super().prepare(data)
        self.model = self.regressor(data.alphas)


class Logistic(Glum):
    question = "logistic"

    def prepare(self, data):
        super().prepare(data)
        self.y = np.where(data.y > 0, 1.0, 0.0)
        self.model = self.regressor(data.alphas, family="binomial", max_iter=1000)


class Poisson(Glum):
    question = "poisson"

    def prepare(self, data):
        super().prepare(data)
        self.model = self.regressor(data.alphas, family="poisson", max_iter=1000)
