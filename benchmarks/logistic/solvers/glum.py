"""glum's path of iteratively reweighted least squares."""

import numpy as np

from benchmarks.lasso.solvers import glum


class Solver(glum.Solver):
    family = "binomial"

    def prepare(self, data):
        super().prepare(data)
        self.y = np.where(data.y > 0, 1.0, 0.0)
