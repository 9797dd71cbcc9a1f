"""fast-select, compiled by Numba, in float32."""

import numpy as np

from benchmarks.competitor import Estimator

FEW = 100  # rows or columns that compile it


class FastSelect(Estimator):
    name, package = "fast-select", "fast-select"

    def prepare(self, data):
        self.X, self.y = data.X, data.y

    def relieff(self, n_features, k):
        from fast_select import ReliefF

        return ReliefF(n_features, n_neighbors=k, backend="cpu", n_jobs=self.threads)

    def result(self):
        return self.model.feature_importances_


class MrmrDiscrete(FastSelect):
    """It counts all pairs of columns."""

    question, name = "mrmr_discrete", "fast-select mRMR"

    def prepare(self, data):
        from fast_select import mRMR

        self.X, self.y = np.ascontiguousarray(data.X, dtype=np.int32), data.y.astype(np.int32)
        self.model = mRMR(data.k, method="MID", backend="cpu")

    def result(self):
        return self.answer(self.model.top_features_, self.model.relevance_scores_)


class Relief(FastSelect):
    question = "relief"

    def prepare(self, data):
        from fast_select import MultiSURF

        super().prepare(data)
        self.model = self.relieff(10, data.k)
        if data.method != "ReliefF":
            self.model = MultiSURF(n_features_to_select=10, backend="cpu", n_jobs=self.threads)


class ReliefGenotypes(FastSelect):
    """Its loop does not come back to the interpreter, so it runs apart, and is compiled by a few columns."""

    question, apart = "relief_genotypes", True

    def prepare(self, data):
        self.X, self.y = data.X.astype(np.float32), data.y
        self.model = self.relieff(2, data.k)
        self.model.fit(np.ascontiguousarray(self.X[:, :FEW]), self.y)


class ReliefTall(FastSelect):
    """Its loop does not come back to the interpreter, so it runs apart, and is compiled by a few rows."""

    question, apart = "relief_tall", True

    def prepare(self, data):
        super().prepare(data)
        self.model = self.relieff(len(data.relevant), data.k)
        self.model.fit(self.X[:FEW], self.y[:FEW])

    def result(self):
        return self.answer(self.model.feature_importances_)
