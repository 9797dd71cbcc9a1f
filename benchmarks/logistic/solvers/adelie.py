"""adelie's group elastic net with every column its own group."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package = "adelie", "adelie"
    tolerances = LADDER

    def prepare(self, data):
        import adelie
        import numpy as np

        self.adelie, self.X, self.alphas = adelie, np.asfortranarray(data.X), data.alphas
        self.y = (data.y + 1) / 2

    def run(self):
        self.state = self.adelie.solver.grpnet(
            self.X,
            self.adelie.glm.binomial(self.y),
            lmda_path=self.alphas,
            tol=self.tol,
            irls_tol=self.tol,
            n_threads=self.threads,
            early_exit=False,
            progress_bar=False,
        )

    def result(self):
        return self.state.betas.toarray(), self.state.intercepts
