"""Sparse linear models and sparse codes."""

import numpy as np

from benchmarks.competitor import LADDER, OURS, Competitor, Estimator


class Path(Competitor):
    """``sparse_path`` as it comes."""

    name, package, role = "tamis", "tamis", OURS

    def prepare(self, data):
        from tamis import sparse_path

        self.path, self.X, self.y = sparse_path, data.X, data.y
        self.options = {"alphas": data.alphas, "n_jobs": self.threads}

    def run(self):
        self.found = self.path(self.X, self.y, **self.options)

    def result(self):
        return self.found.coefs, self.found.intercepts


class Lasso(Path):
    question = "lasso"


class LassoSparse(Path):
    question = "lasso_sparse"


class LassoLarge(Path):
    """With the tolerance of float64, which the judge asks for."""

    question = "lasso_large"

    def prepare(self, data):
        super().prepare(data)
        self.options["tol"] = 1e-7


class LassoCV(Estimator):
    question, name, package, role = "lasso_cv", "tamis", "tamis", OURS

    def prepare(self, data):
        from tamis import LassoCV

        self.X, self.y = data.X, data.y
        self.model = LassoCV(alphas=data.alphas, cv=data.splits(), n_jobs=self.threads)

    def result(self):
        m = self.model
        return self.answer(m.mse_path_.mean(axis=1), m.alpha_, m.coef_, m.intercept_)


class TunedPath(Path):
    """At the loosest tolerance that satisfies the judge, as everybody else."""

    tolerances = LADDER

    def prepare(self, data):
        super().prepare(data)
        self.options["tol"] = self.tol


class Logistic(TunedPath):
    question = "logistic"

    def prepare(self, data):
        super().prepare(data)
        self.X = np.asfortranarray(data.X)
        self.options["datafit"] = "logistic"


class Multinomial(TunedPath):
    question = "multinomial"

    def prepare(self, data):
        from tamis.penalties import L1, Group

        super().prepare(data)
        self.y = data.labels
        self.options |= {"datafit": "multinomial", "penalty": Group() if data.rows else L1()}


class GroupLasso(TunedPath):
    question = "group_lasso"

    def prepare(self, data):
        from tamis.penalties import Group, SparseGroup

        super().prepare(data)
        if data.sparse:
            self.options["penalty"] = SparseGroup(data.labels, l1_ratio=data.penalty.l1_ratio)
        else:
            self.options["penalty"] = Group(data.labels)


class Omp(Competitor):
    question, name, role = "omp", "tamis", OURS
    package, module = "tamis", "tamis.solvers.omp"

    def prepare(self, data):
        from tamis.solvers.omp import omp_codes

        self.code, self.data = omp_codes, data

    def run(self):
        self.found = self.code(self.data.X, self.data.D, n_nonzero=self.data.n_nonzero)

    def result(self):
        return self.found.Z


class Poisson(TunedPath):
    question = "poisson"

    def prepare(self, data):
        super().prepare(data)
        self.X = np.asfortranarray(data.X)
        self.options["datafit"] = "poisson"


class Concave(TunedPath):
    question = "concave"

    def prepare(self, data):
        super().prepare(data)
        self.X = np.asfortranarray(data.X)
        self.options["penalty"] = data.penalty


class SparseSvm(Estimator):
    question, name, package, role = "sparse_svm", "tamis", "tamis", OURS
    tolerances = LADDER

    def prepare(self, data):
        from tamis import SparseSVC

        self.X, self.y = data.X, data.y
        self.model = SparseSVC(alpha=data.alphas[0], fit_intercept=False, tol=self.tol, n_jobs=self.threads)

    def result(self):
        return self.model.coef_, np.zeros(1)


class QuantileLasso(Estimator):
    question, name, package, role = "quantile", "tamis", "tamis", OURS
    tolerances = LADDER

    def prepare(self, data):
        from tamis import SparseRegressor
        from tamis.datafits import Quantile

        self.X, self.y = data.X, data.y
        self.model = SparseRegressor(Quantile(data.tau), alpha=data.alpha, tol=self.tol, n_jobs=self.threads)

    def result(self):
        return self.model.coef_, self.model.intercept_


class BestSubset(Estimator):
    question, name, package, role = "best_subset", "tamis", "tamis", OURS

    def prepare(self, data):
        from tamis import BestSubset

        self.X, self.y = data.X, data.y
        options = {"time_limit": data.seconds, "tol": 0.01, "n_jobs": self.threads}
        self.model = BestSubset(data.K, data.ridge, **options)

    def result(self):
        return self.answer(self.model.coef_, self.model.intercept_, self.model.certificate_.relative_gap)


class BestSubsetGap(BestSubset):
    question = "best_subset_gap"


class BestSubsetSizes(Competitor):
    """One fit for each size."""

    question, name, package, role = "best_subset_sizes", "tamis", "tamis", OURS

    def prepare(self, data):
        from tamis import BestSubset

        self.X, self.y = data.X, data.y
        self.models = [BestSubset(int(K), tol=0.0, n_jobs=self.threads) for K in data.sizes]

    def run(self):
        for model in self.models:
            model.fit(self.X, self.y)

    def result(self):
        coefs, intercepts = (np.array([getattr(m, name) for m in self.models]) for name in ("coef_", "intercept_"))
        return self.answer(coefs, intercepts, max(m.certificate_.relative_gap for m in self.models))


class RidgeDask(Estimator):
    """``fit`` takes Dask arrays."""

    question, name, role = "ridge_dask", "tamis", OURS
    package, module = "tamis", "tamis.linear"

    def prepare(self, data):
        from tamis import SparseRegressor

        self.X, self.y = data.on_dask()
        self.model = SparseRegressor(penalty="l2", alpha=data.alpha, fit_intercept=False)

    def result(self):
        return self.model.coef_
