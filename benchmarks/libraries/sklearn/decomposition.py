"""scikit-learn's matrix decompositions."""

import warnings

import numpy as np

from benchmarks.competitor import SWEEPS, Competitor, OneThread


class _PCA(Competitor):
    package, module = "scikit-learn", "sklearn.decomposition"
    solver = "auto"

    def prepare(self, data):
        from sklearn.decomposition import PCA

        self.X = data.X
        options = {} if self.tol is None else {"iterated_power": int(self.tol)}
        self.model = PCA(data.k, svd_solver=self.solver, random_state=0, **options)

    def run(self):
        self.model.fit(self.X)

    def result(self):
        return self.model.components_


class PCACovariance(_PCA):
    question, name, solver = "pca", "scikit-learn PCA covariance_eigh", "covariance_eigh"

    def fits(self, data):
        return data.X.shape[1] <= 1000


class PCACovarianceOneThread(OneThread, PCACovariance):
    question = "pca_one_thread"


class PCAFull(_PCA):
    question, name, solver = "pca", "scikit-learn PCA full", "full"

    def fits(self, data):
        return min(data.X.shape) <= 100


class PCAFullOneThread(OneThread, PCAFull):
    question = "pca_one_thread"


class PCAArpack(_PCA):
    question, name, solver = "pca", "scikit-learn PCA arpack", "arpack"


class PCARandomized(_PCA):
    """``tol`` is the number of power iterations."""

    question, name, solver = "pca", "scikit-learn PCA randomized", "randomized"
    tolerances = (4.0, 7.0, 12.0, 20.0, 40.0)


class PCARandomizedOneThread(OneThread, PCARandomized):
    question = "pca_one_thread"


class Incremental(_PCA):
    question, name = "pca", "scikit-learn IncrementalPCA"

    def fits(self, data):
        return data.X.shape[1] <= 1000

    def prepare(self, data):
        from sklearn.decomposition import IncrementalPCA

        self.X, self.model = data.X, IncrementalPCA(data.k)


class ArpackSparse(PCAArpack):
    question = "pca_sparse"


class IncrementalParquet(Competitor):
    """The batches of a file one after the other, as its documentation has it for data beyond memory."""

    question, name = "pca_parquet", "scikit-learn IncrementalPCA, pyarrow batches"
    package, module = "scikit-learn", "sklearn.decomposition"

    def prepare(self, data):
        from pyarrow import parquet
        from sklearn.decomposition import IncrementalPCA

        self.file, self.model = parquet.ParquetFile(data), IncrementalPCA(10)

    def run(self):
        for batch in self.file.iter_batches(batch_size=16_384):
            self.model.partial_fit(np.column_stack([column.to_numpy() for column in batch.columns]))

    def result(self):
        return self.model.explained_variance_


class Truncated(_PCA):
    """Of rows that the user has centred."""

    question, name = "pca", "scikit-learn TruncatedSVD of centred rows"
    tolerances = (5.0, 10.0, 20.0, 40.0)

    def fits(self, data):
        return data.X.size <= 10**8

    def prepare(self, data):
        from sklearn.decomposition import TruncatedSVD

        self.X, self.model = data.X, TruncatedSVD(data.k, n_iter=int(self.tol), random_state=0)

    def run(self):
        self.model.fit(self.X - self.X.mean(axis=0))


class SparsePCA(_PCA):
    """With its default penalty; of each component, the largest loadings are kept."""

    question, name = "sparse_pca", "scikit-learn SparsePCA"
    alpha = 1.0

    def prepare(self, data):
        from sklearn.decomposition import SparsePCA

        self.data, self.X = data, data.X - data.X.mean(axis=0)
        self.model = SparsePCA(data.k, alpha=self.alpha, random_state=0)

    def result(self):
        V = self.model.components_.copy()
        for v in V:  # matched sparsity: what is beyond the number asked for is cut
            v[np.argsort(-np.abs(v))[self.data.n_nonzero :]] = 0.0
        return V


class SparsePCACD(SparsePCA):
    name = "scikit-learn SparsePCA cd"

    def prepare(self, data):
        super().prepare(data)
        self.model.set_params(method="cd")


class MiniBatchSparsePCA(SparsePCA):
    name = "scikit-learn MiniBatchSparsePCA"

    def prepare(self, data):
        from sklearn.decomposition import MiniBatchSparsePCA

        super().prepare(data)
        self.model = MiniBatchSparsePCA(data.k, alpha=self.alpha, random_state=0)


class MiniBatchSparsePCAWide(MiniBatchSparsePCA):
    question = "sparse_pca_wide"


def factorise(data, sweeps):
    """W, H after so many sweeps from the start."""
    from sklearn.decomposition import NMF

    kl = data.datafit == "kl"
    model = NMF(
        data.W.shape[1], init="custom", solver="mu" if kl else "cd", max_iter=sweeps, tol=0.0,
        beta_loss="kullback-leibler" if kl else "frobenius",
    )  # fmt: skip
    W = model.fit_transform(data.X, W=data.W.copy(), H=data.H.copy())
    return W, model.components_


class NMF(Competitor):
    """Coordinate descent for squares, multiplicative updates for the divergence; ``tol`` is the number of sweeps."""

    question, name = "nmf", "scikit-learn NMF"
    package, module = "scikit-learn", "sklearn.decomposition"
    tolerances = tuple(n for n in SWEEPS if n >= 60)

    def prepare(self, data):
        self.data = data

    def run(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.found = factorise(self.data, int(self.tol))

    def result(self):
        return self.found


class MiniBatchNMF(NMF):
    name = "scikit-learn MiniBatchNMF"

    def run(self):
        from sklearn.decomposition import MiniBatchNMF

        data, kl = self.data, self.data.datafit == "kl"
        model = MiniBatchNMF(
            data.W.shape[1], init="custom", max_iter=int(self.tol), tol=0.0, max_no_improvement=None,
            beta_loss="kullback-leibler" if kl else "frobenius",
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            W = model.fit_transform(data.X, W=data.W.copy(), H=data.H.copy())
        self.found = W, model.components_
