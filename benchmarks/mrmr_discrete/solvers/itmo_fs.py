"""ITMO-FS's filter, from nats to bits."""

from benchmarks.competitor import Competitor
from benchmarks.mrmr_discrete.objective import Chosen


class Solver(Competitor):
    name, package, module = "ITMO-FS MultivariateFilter", "ITMO-FS", "ITMO_FS.filters.multivariate"

    def prepare(self, data):
        from ITMO_FS.filters.multivariate import MultivariateFilter
        from ITMO_FS.utils.information_theory import matrix_mutual_information

        self.data, self.filter, self.information = data, MultivariateFilter, matrix_mutual_information

    def run(self):
        X, y = self.data.X, self.data.y
        self.nats = self.information(X, y)
        self.selector = self.filter("MRMR", self.data.k)  # a filter keeps what it chose, so that it fits once
        self.selector.fit(X, y)

    def result(self):
        import numpy as np

        return Chosen(self.selector.selected_features, self.nats / np.log(2))
