"""Low rank + sparse."""

from benchmarks.competitor import OURS, Competitor


class _LowRank(Competitor):
    name, role, package, module = "tamis", OURS, "tamis", "tamis.lowrank"


class RobustPCA(_LowRank):
    """Defaults."""

    question = "robust_pca"

    def prepare(self, data):
        from tamis import RobustPCA

        self.X, self.model = data.X, RobustPCA(random_state=0)

    def run(self):
        self.model.fit(self.X)

    def result(self):
        return self.model.low_rank_

    def meters(self):
        return {"iterations": float(self.model.n_iter_)}


class Completion(_LowRank):
    """The rank given, or the defaults."""

    question = "completion"

    def prepare(self, data):
        from scipy.sparse import csr_array

        from tamis import MatrixCompletion

        self.X = csr_array((data.values, (data.rows, data.columns)), shape=data.M.shape)
        given = {} if data.rank is None else {"method": "factored", "rank": data.rank}
        self.model = MatrixCompletion(**given, random_state=0)

    def run(self):
        self.model.fit(self.X)

    def result(self):
        return self.model.completed()


class CompletionLarge(_LowRank):
    """``tol`` is that of the sweeps."""

    question = "completion_large"
    tolerances = (1e-3,)

    def prepare(self, data):
        from tamis import MatrixCompletion

        self.data = data
        self.model = MatrixCompletion("factored", rank=data.rank, tol=self.tol, random_state=0)

    def run(self):
        self.model.fit((self.data.rows, self.data.columns, self.data.values))

    def result(self):
        at = self.data.at
        return self.answer(self.model.predict(*at), *self.model.interval(*at))


class NuclearNorm(_LowRank):
    question = "nuclear_norm"

    def prepare(self, data):
        from tamis import MatrixCompletion

        self.X = data.X
        tol = 1e-9 if data.alpha else 1e-8
        self.model = MatrixCompletion("soft_impute", alpha=data.alpha, tol=tol, max_iter=20_000, random_state=0)

    def run(self):
        self.model.fit(self.X)

    def result(self):
        return self.model.completed()


class NuclearNormALS(NuclearNorm):
    """The penalised problem by alternating least squares, without biases."""

    name, role = "tamis, als", "rival"

    def fits(self, data):
        return data.alpha > 0

    def prepare(self, data):
        from tamis import MatrixCompletion

        self.X = data.X
        self.model = MatrixCompletion("als", alpha=data.alpha, biases=False, tol=1e-9, max_iter=5000, random_state=0)


class GraphRobustPCA(_LowRank):
    question = "graph_robust_pca"

    def prepare(self, data):
        from tamis import GraphRobustPCA

        self.data, self.kind = data, GraphRobustPCA

    def run(self):
        self.found = [self.kind(row_graph=self.data.graph).fit(X).low_rank_ for X in self.data.X]

    def result(self):
        return self.found


class PlainRobustPCA(GraphRobustPCA):
    """Without the graph."""

    name, role = "tamis, RobustPCA", "rival"

    def run(self):
        from tamis import RobustPCA

        self.found = [RobustPCA(random_state=0).fit(X).low_rank_ for X in self.data.X]


class CertifiedRobustPCA(GraphRobustPCA):
    """Without the graph, and at the optimum of the convex problem, where "alm" is only near it."""

    name, role = "tamis, RobustPCA, certified", "rival"

    def run(self):
        from tamis import RobustPCA

        self.found = [RobustPCA(certify=True, tol=1e-5).fit(X).low_rank_ for X in self.data.X]


class Video(_LowRank):
    """What ``tamis separate`` runs, on frames in memory."""

    question = "video"

    def prepare(self, data):
        from tamis import RobustPCA
        from tamis.studies.separate_video import background_model

        self.data = data
        self.make = (lambda: RobustPCA("online", random_state=0)) if data.online else (lambda: background_model(data.X))

    def run(self):
        X, model = self.data.X, self.make()
        if not self.data.online:
            self.found = model.fit(X).sparse_ != 0
            return
        self.found = []
        for first in range(0, len(X), 50):
            self.found.append(model.partial_fit(X[first : first + 50]).sparse_ != 0)

    def result(self):
        import numpy as np

        return np.concatenate(self.found) if isinstance(self.found, list) else self.found
