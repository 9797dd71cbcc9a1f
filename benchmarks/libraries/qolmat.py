"""qolmat: robust PCA by ADMM with a fixed penalty, and an imputer made of it."""

from benchmarks.competitor import LADDER, Competitor


class RobustPCA(Competitor):
    question, name, package = "robust_pca", "qolmat", "qolmat"
    tolerances = LADDER[3:]
    apart = True

    def prepare(self, data):
        import numpy as np
        from qolmat.imputations.rpca.rpca_pcp import RpcaPcp

        self.X, self.known = data.X, np.ones(data.X.shape, bool)
        self.model = RpcaPcp(tolerance=self.tol, verbose=False, random_state=0)

    def run(self):
        self.L = self.model.decompose(self.X, self.known)[0]

    def result(self):
        return self.L
