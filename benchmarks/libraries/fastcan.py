"""fastcan's greedy search for the largest canonical correlation."""

import numpy as np

from benchmarks.competitor import YARDSTICK, Estimator


class ForwardLinear(Estimator):
    """With all rows, which is another question."""

    question, name, package, role = "forward_linear", "fastcan FastCan, no folds", "fastcan", YARDSTICK

    def fits(self, data):
        return data.countable  # beyond, it takes minutes in compiled code that no cap can stop

    def prepare(self, data):
        from fastcan import FastCan

        self.X, self.y = np.asfortranarray(data.X), data.y[:, None]
        self.model = FastCan(data.k, verbose=0)

    def result(self):
        return self.model.indices_
