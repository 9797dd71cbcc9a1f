"""Components."""

import numpy as np

from benchmarks.competitor import OURS, SWEEPS, Competitor, OneThread


class PCA(Competitor):
    question, name, role = "pca", "tamis", OURS
    package, module = "tamis", "tamis.components"

    def prepare(self, data):
        from tamis import PCA

        self.X, self.model = data.X, PCA(data.k)

    def run(self):
        self.model.fit(self.X)

    def result(self):
        return self.model.components_


class PCAOneThread(OneThread, PCA):
    question = "pca_one_thread"

    def prepare(self, data):
        super().prepare(data)
        self.model.set_params(n_jobs=1)


class PCASparse(PCA):
    question = "pca_sparse"


class PCAParquet(PCA):
    """``fit`` takes the path of the file where it took the matrix."""

    question = "pca_parquet"

    def prepare(self, data):
        from tamis import PCA

        self.X, self.model = data, PCA(10)

    def result(self):
        return self.model.explained_variance_


class PCADask(PCA):
    """``fit`` takes the Dask array where it took the matrix."""

    question = "pca_dask"

    def prepare(self, data):
        from tamis import PCA

        self.X, self.model = data.on_dask()[0], PCA(data.k)


class SparsePCA(PCA):
    """The default method, elastic nets."""

    question = "sparse_pca"

    def prepare(self, data):
        from tamis import SparsePCA

        self.X, self.model = data.X, SparsePCA(data.k, n_nonzero=data.n_nonzero)


class SparsePCAPower(PCA):
    """The generalised power method."""

    question, name, role = "sparse_pca", "tamis, power", "yardstick"

    def prepare(self, data):
        from tamis import SparsePCA

        self.X, self.model = data.X, SparsePCA(data.k, method="power", n_nonzero=data.n_nonzero)


class SparsePCAWide(PCA):
    """Elastic nets with an infinite ridge: soft thresholds."""

    question = "sparse_pca_wide"

    def prepare(self, data):
        from tamis import SparsePCA
        from tamis.components import Elastic

        method = Elastic(self.ridge, tol=1e-4)
        self.X, self.model = data.X, SparsePCA(data.k, method=method, n_nonzero=data.n_nonzero)

    ridge = None


class SparsePCAWideRidge(SparsePCAWide):
    """With a finite ridge each step is an elastic net."""

    name, role, ridge = "tamis, finite ridge", "yardstick", 10.0


class NMF(Competitor):
    """``tol`` is the number of rounds."""

    question, name, role = "nmf", "tamis", OURS
    package, module = "tamis", "tamis.components"
    tolerances = SWEEPS

    def prepare(self, data):
        from tamis import NMF

        self.data = data
        self.model = NMF(data.W.shape[1], datafit=data.datafit, init=(data.W, data.H), max_iter=int(self.tol), tol=0.0)

    def run(self):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model.fit(self.data.X)

    def result(self):
        return np.asarray(self.model.transform(self.data.X)), self.model.components_
