"""qolmat: robust PCA by ADMM with a fixed penalty."""

from benchmarks.competitor import LADDER, Competitor


class RobustPCA(Competitor):
    question, name, package = "robust_pca", "qolmat", "qolmat"
    tolerances = LADDER[3:]
    apart = True

    def fits(self, data):
        return len(data.X) <= 500  # full decompositions, and many more steps than others take

    def prepare(self, data):
        import numpy as np
        from qolmat.imputations.rpca.rpca_pcp import RpcaPcp

        self.X, self.known = data.X, np.ones(data.X.shape, bool)
        self.model = RpcaPcp(tolerance=self.tol, verbose=False, random_state=0)

    def run(self):
        self.L = self.model.decompose(self.X, self.known)[0]

    def result(self):
        return self.L
