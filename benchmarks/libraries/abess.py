"""abess: best subsets by splicing."""

import numpy as np

from benchmarks.competitor import Competitor


class SparsePCA(Competitor):
    question, name, package = "sparse_pca", "abess SparsePCA", "abess"

    def prepare(self, data):
        from abess.decomposition import SparsePCA

        self.X, self.p = data.X - data.X.mean(axis=0), data.X.shape[1]
        self.models = [SparsePCA(support_size=data.n_nonzero) for _ in range(data.k)]

    def run(self):
        """One component after the other, each on what those before have left."""
        X, self.V = self.X, []
        for model in self.models:
            v = np.asarray(model.fit(X).coef_, dtype=float).reshape(self.p, -1)[:, 0]
            v = v / (np.linalg.norm(v) or 1.0)
            self.V.append(v)
            X = X - np.outer(X @ v, v)

    def result(self):
        return np.array(self.V)


class BestSubset(Competitor):
    question, name, package = "best_subset", "abess", "abess"

    def fits(self, data):
        return data.ridge == 0

    def prepare(self, data):
        from abess import LinearRegression

        self.X, self.y = data.X, data.y
        self.model = LinearRegression(support_size=[data.K], thread=self.threads)

    def run(self):
        self.model.fit(self.X, self.y)

    def result(self):
        return self.answer(self.model.coef_, self.model.intercept_, np.nan)


class BestSubsetSizes(Competitor):
    """One fit for each size."""

    question, name, package = "best_subset_sizes", "abess", "abess"

    def prepare(self, data):
        from abess import LinearRegression

        self.X, self.y = data.X, data.y
        self.models = [LinearRegression(support_size=[int(K)], thread=self.threads) for K in data.sizes]

    def run(self):
        for model in self.models:
            model.fit(self.X, self.y)

    def result(self):
        coefs, intercepts = (np.array([getattr(m, name) for m in self.models]) for name in ("coef_", "intercept_"))
        return self.answer(coefs, intercepts, np.nan)


class BestSubsetGap(BestSubset):
    """Its subset without the ridge, and without a proof."""

    question = "best_subset_gap"

    def fits(self, data):
        return True
