"""adelie's covariance method on a centred copy's Gram matrix, which the caller computes."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package = "adelie, covariance", "adelie"
    tolerances = LADDER

    def fits(self, data):
        return data.X.shape[1] <= 2_000  # its whole Gram

    def prepare(self, data):
        import adelie
        import numpy as np

        self.adelie, self.X, self.y, self.alphas = adelie, np.asfortranarray(data.X), data.y, data.alphas

    def run(self):
        n = len(self.y)
        self.m, self.mean = self.X.mean(axis=0), self.y.mean()
        C = self.X - self.m
        G, q = C.T @ C / n, C.T @ (self.y - self.mean) / n
        self.state = self.adelie.solver.gaussian_cov(
            G.T,
            q,
            lmda_path=self.alphas,
            tol=self.tol,
            rdev_tol=0,
            n_threads=self.threads,
            early_exit=False,
            progress_bar=False,
        )

    def result(self):
        coefs = self.state.betas.toarray()
        return coefs, self.mean - coefs @ self.m
