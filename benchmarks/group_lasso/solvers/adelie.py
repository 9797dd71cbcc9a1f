"""adelie's group elastic net at its lasso end."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package = "adelie", "adelie"
    tolerances = LADDER

    def fits(self, data):
        return not data.sparse

    def prepare(self, data):
        import adelie
        import numpy as np

        self.adelie, self.X, self.y, self.alphas = adelie, np.asfortranarray(data.X), data.y, data.alphas
        self.groups = np.arange(0, data.X.shape[1], data.penalty.size)

    def run(self):
        self.state = self.adelie.solver.grpnet(
            self.X,
            self.adelie.glm.gaussian(self.y),
            groups=self.groups,
            lmda_path=self.alphas,
            tol=self.tol,
            n_threads=self.threads,
            early_exit=False,
            progress_bar=False,
        )

    def result(self):
        return self.state.betas.toarray(), self.state.intercepts
