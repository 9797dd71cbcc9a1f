"""scikit-learn's saga from alpha to alpha, each started where the last ended."""

import numpy as np

from benchmarks.logistic.solvers import sklearn_saga


class Solver(sklearn_saga.Solver):
    def fits(self, data):
        return not data.rows

    def prepare(self, data):
        super().prepare(data)
        self.y = data.labels

    def result(self):
        return np.array(self.coefs), np.array(self.intercepts)
