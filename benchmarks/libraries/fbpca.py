"""fbpca: randomised PCA of dense and sparse matrices."""

from benchmarks.competitor import Competitor, OneThread


class PCA(Competitor):
    """``tol`` is the number of power iterations."""

    question, name, package = "pca", "fbpca", "fbpca"
    tolerances = (2.0, 5.0, 10.0, 20.0, 40.0)

    def prepare(self, data):
        import fbpca
        import numpy as np

        np.random.seed(0)  # noqa: NPY002  its only source of randomness
        self.pca, self.data = fbpca.pca, data

    def run(self):
        self.V = self.pca(self.data.X, k=self.data.k, raw=False, n_iter=int(self.tol))[2]

    def result(self):
        return self.V


class PCAOneThread(OneThread, PCA):
    question = "pca_one_thread"


class PCASparse(PCA):
    question = "pca_sparse"
