"""glum's path of iteratively reweighted least squares, which squares need only once."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package = "glum", "glum"
    tolerances = LADDER
    family = "gaussian"

    def prepare(self, data):
        import numpy as np
        from glum import GeneralizedLinearRegressor

        self.X, self.y = np.asfortranarray(data.X), data.y
        self.model = GeneralizedLinearRegressor(
            family=self.family,
            l1_ratio=1.0,
            alpha=list(data.alphas),
            alpha_search=True,
            gradient_tol=self.tol,
            max_iter=1000,
        )

    def run(self):
        self.model.fit(self.X, self.y)

    def result(self):
        return self.model.coef_path_, self.model.intercept_path_
