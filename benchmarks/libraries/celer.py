"""celer's paths of working sets with dual extrapolation."""

import numpy as np

from benchmarks.by_hand import CentredPath, LoopOverFolds
from benchmarks.competitor import LADDER, Competitor, Estimator


class Celer(Competitor):
    """Arrays in Fortran order."""

    name, package = "celer", "celer"
    tolerances = LADDER

    def prepare(self, data):
        from celer import celer_path

        self.path, self.X, self.y, self.alphas = celer_path, self.layout(data.X), data.y, data.alphas

    def layout(self, X):
        return np.asfortranarray(X)

    def celer_path(self, X, y, problem, **options):
        """Coefficients (p, m)."""
        return self.path(X, y, problem, alphas=self.alphas, tol=self.tol, max_iter=100, **options)[1]


class Lasso(Celer, CentredPath):
    question = "lasso"

    def coefs(self, X, y):
        return self.celer_path(X, y, "lasso")


class LassoCV(Estimator):
    question, name, package = "lasso_cv", "celer LassoCV", "celer"
    tolerances = LADDER[1:]

    def prepare(self, data):
        from celer import LassoCV

        self.X, self.y = np.asfortranarray(data.X), data.y
        self.model = LassoCV(alphas=data.alphas, cv=data.splits(), tol=self.tol, max_iter=100, n_jobs=self.threads)

    def result(self):
        m = self.model
        return self.answer(m.mse_path_.mean(axis=1), m.alpha_, m.coef_, m.intercept_)


class LassoCVFolds(LoopOverFolds):
    name, package = "celer, loop over folds", "celer"
    path = Lasso
    tolerances = path.tolerances


class LassoSparse(Celer):
    """Told the means that it must not subtract from the stored entries."""

    question = "lasso_sparse"
    tolerances = LADDER[1:]

    def layout(self, X):
        from scipy.sparse import csc_matrix

        return csc_matrix(X)

    def run(self):
        m, mean = np.asarray(self.X.mean(axis=0)).ravel(), self.y.mean()
        coefs = self.celer_path(self.X, self.y - mean, "lasso", X_offset=m, X_scale=np.ones_like(m))
        self.found = coefs.T, mean - m @ coefs

    def result(self):
        return self.found


class GroupLasso(Celer, CentredPath):
    question = "group_lasso"

    def fits(self, data):
        return not data.sparse

    def prepare(self, data):
        super().prepare(data)
        self.size = data.penalty.size
        self.weights = np.full(data.X.shape[1] // self.size, np.sqrt(self.size))

    def coefs(self, X, y):
        return self.celer_path(X, y, "grouplasso", groups=self.size, weights=self.weights)
