"""ITMO-FS's filters and wrappers."""

import numpy as np

from benchmarks.competitor import Competitor
from benchmarks.overhead import SingleThread


class MrmrDiscrete(Competitor):
    """From nats to bits."""

    question, name = "mrmr_discrete", "ITMO-FS MultivariateFilter"
    package, module = "ITMO-FS", "ITMO_FS.filters.multivariate"

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
        return self.answer(self.selector.selected_features, self.nats / np.log(2))


class Forward(Competitor):
    """Forward selection by the score of a learner over folds."""

    name, package, module = "ITMO-FS SequentialForwardSelection", "ITMO-FS", "ITMO_FS.wrappers"

    def select(self, data, learner, scoring, folds):
        from ITMO_FS.wrappers import SequentialForwardSelection

        self.X, self.y, self.folds = data.X, data.y, folds
        self.selector = SequentialForwardSelection(learner, data.k, scoring)

    def run(self):
        self.selector.fit(self.X, self.y, cv=self.folds)

    def result(self):
        return self.answer(self.selector.selected_features)


class ForwardLinear(Forward):
    question = "forward_linear"

    def fits(self, data):
        return data.countable

    def prepare(self, data):
        from sklearn.linear_model import LinearRegression

        self.select(data, LinearRegression(), "r2", data.folds())


class WrapperOverhead(SingleThread, Forward):
    question = "wrapper_overhead"

    def prepare(self, data):
        self.select(data, data.learner, data.scoring, data.splits)


class Relief(Competitor):
    """Given scaled columns, which it does not scale itself."""

    question, name = "relief", "ITMO-FS reliefF_measure"
    package, module = "ITMO-FS", "ITMO_FS.filters.univariate"

    def fits(self, data):
        return data.method == "ReliefF"

    def prepare(self, data):
        from ITMO_FS.filters.univariate import reliefF_measure

        self.measure, self.X, self.y, self.k = reliefF_measure, data.scaled(), data.y, data.k

    def run(self):
        self.weights = self.measure(self.X, self.y, self.k)

    def result(self):
        return self.weights
