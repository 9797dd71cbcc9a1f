"""adelie's group elastic net with every column its own group."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package = "adelie", "adelie"
    tolerances = LADDER[1:]

    def prepare(self, data):
        import adelie
        from scipy.sparse import csc_matrix

        self.adelie, self.y, self.alphas = adelie, data.y, data.alphas
        self.X = adelie.matrix.sparse(csc_matrix(data.X), n_threads=self.threads)

    def run(self):
        self.state = self.adelie.solver.grpnet(
            self.X,
            self.adelie.glm.gaussian(self.y),
            lmda_path=self.alphas,
            tol=self.tol,
            n_threads=self.threads,
            early_exit=False,
            progress_bar=False,
        )

    def result(self):
        return self.state.betas, self.state.intercepts
