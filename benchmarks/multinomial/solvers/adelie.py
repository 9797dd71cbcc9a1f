"""adelie's multinomial model, which penalises the classes of a column together."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package = "adelie", "adelie"
    tolerances = LADDER

    def fits(self, data):
        return data.rows

    def prepare(self, data):
        import adelie
        import numpy as np

        self.adelie, self.X, self.y = adelie, np.asfortranarray(data.X), np.ascontiguousarray(data.y)
        self.alphas = data.alphas / data.y.shape[1]  # its loss is divided by the number of classes

    def run(self):
        import numpy as np

        self.state = self.adelie.solver.grpnet(
            self.X,
            self.adelie.glm.multinomial(self.y),
            penalty=np.ones(self.X.shape[1]),
            lmda_path=self.alphas,
            tol=self.tol,
            irls_tol=self.tol,
            n_threads=self.threads,
            early_exit=False,
            progress_bar=False,
        )

    def result(self):
        K = self.y.shape[1]
        coefs = self.state.betas.toarray().reshape(-1, self.X.shape[1], K)
        return coefs.transpose(0, 2, 1), self.state.intercepts
