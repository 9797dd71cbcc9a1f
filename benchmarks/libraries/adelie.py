"""adelie's group elastic net at its lasso end, every column its own group where none are given."""

import numpy as np

from benchmarks.by_hand import LoopOverFolds
from benchmarks.competitor import LADDER, Competitor


class Adelie(Competitor):
    """Arrays in Fortran order."""

    name, package = "adelie", "adelie"
    tolerances = LADDER

    def prepare(self, data):
        import adelie

        self.adelie, self.X, self.y, self.alphas = adelie, self.layout(data.X), data.y, data.alphas

    def layout(self, X):
        return np.asfortranarray(X)

    def grpnet(self, glm, **options):
        self.state = self.adelie.solver.grpnet(self.X, glm, **self.shared(), **options)

    def shared(self):
        return {
            "lmda_path": self.alphas,
            "tol": self.tol,
            "n_threads": self.threads,
            "early_exit": False,
            "progress_bar": False,
        }

    def result(self):
        return self.state.betas.toarray(), self.state.intercepts


class Lasso(Adelie):
    question = "lasso"

    def run(self):
        self.grpnet(self.adelie.glm.gaussian(self.y))


class LassoCovariance(Adelie):
    """Its covariance method on a centred copy's Gram matrix, which the caller computes."""

    question, name = "lasso", "adelie, covariance"

    def fits(self, data):
        return data.X.shape[1] <= 2_000  # its whole Gram

    def run(self):
        n = len(self.y)
        self.m, self.mean = self.X.mean(axis=0), self.y.mean()
        C = self.X - self.m
        G, q = C.T @ C / n, C.T @ (self.y - self.mean) / n
        self.state = self.adelie.solver.gaussian_cov(G.T, q, rdev_tol=0, **self.shared())

    def result(self):
        coefs = self.state.betas.toarray()
        return coefs, self.mean - coefs @ self.m


class LassoCV(LoopOverFolds):
    """Its own cross-validation draws its folds itself."""

    name, package = "adelie, loop over folds", "adelie"
    path = Lasso
    tolerances = path.tolerances


class LassoCVCovariance(LassoCV):
    name = "adelie, covariance, loop over folds"
    path = LassoCovariance


class LassoSparse(Lasso):
    question = "lasso_sparse"
    tolerances = LADDER[1:]

    def layout(self, X):
        import adelie
        from scipy.sparse import csc_matrix

        return adelie.matrix.sparse(csc_matrix(X), n_threads=self.threads)


class Logistic(Adelie):
    question = "logistic"

    def prepare(self, data):
        super().prepare(data)
        self.y = (data.y + 1) / 2

    def run(self):
        self.grpnet(self.adelie.glm.binomial(self.y), irls_tol=self.tol)


class Multinomial(Adelie):
    """It penalises the classes of a column together."""

    question = "multinomial"

    def fits(self, data):
        return data.rows

    def prepare(self, data):
        super().prepare(data)
        self.y = np.ascontiguousarray(data.y)
        self.alphas = data.alphas / data.y.shape[1]  # its loss is divided by the number of classes

    def run(self):
        weights = np.ones(self.X.shape[1])
        self.grpnet(self.adelie.glm.multinomial(self.y), penalty=weights, irls_tol=self.tol)

    def result(self):
        coefs, intercepts = super().result()
        return coefs.reshape(-1, self.X.shape[1], self.y.shape[1]).transpose(0, 2, 1), intercepts


class GroupLasso(Adelie):
    question = "group_lasso"

    def fits(self, data):
        return not data.sparse

    def prepare(self, data):
        super().prepare(data)
        self.groups = np.arange(0, data.X.shape[1], data.penalty.size)

    def run(self):
        self.grpnet(self.adelie.glm.gaussian(self.y), groups=self.groups)


class Poisson(Adelie):
    question = "poisson"

    def run(self):
        self.grpnet(self.adelie.glm.poisson(self.y), irls_tol=self.tol)
