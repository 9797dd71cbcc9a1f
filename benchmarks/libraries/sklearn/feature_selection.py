"""scikit-learn's mutual information and its sequential selector, and the loop that one writes without it."""

import numpy as np

from benchmarks.competitor import YARDSTICK, Competitor, Estimator
from benchmarks.overhead import SingleThread

LOOP = "clone, fit, score in a loop"


class Information(Competitor):
    """Mutual information of the columns one by one."""

    package, module = "scikit-learn", "sklearn.feature_selection"

    def given(self, X, y, n_jobs):
        from sklearn.feature_selection import mutual_info_classif

        self.information, self.X, self.y, self.n_jobs = mutual_info_classif, X, y, n_jobs

    def run(self):
        self.nats = self.information(self.X, self.y, discrete_features=True, n_jobs=self.n_jobs)

    def result(self):
        return self.nats / np.log(2)


class InformationGain(Information):
    question, name = "information_gain", "scikit-learn mutual_info_classif"

    def prepare(self, data):
        self.given(*data, n_jobs=1)


class InformationGainJobs(Information):
    """Its own parallelism (processes, started in the warm-up)."""

    question, name = "information_gain", "scikit-learn mutual_info_classif, n_jobs"

    def prepare(self, data):
        self.given(*data, n_jobs=self.threads)


class GainSearch(Information):
    question, name, role = "gain_search", "scikit-learn mutual_info_classif, one round", YARDSTICK

    def prepare(self, data):
        self.given(data.X, data.y, n_jobs=self.threads)


class Forward(Estimator):
    """Forward selection by the score of a learner over folds."""

    name, package, module = "scikit-learn SequentialFeatureSelector", "scikit-learn", "sklearn.feature_selection"

    def select(self, data, learner, folds, n_jobs):
        from sklearn.feature_selection import SequentialFeatureSelector

        self.X, self.y = data.X, data.y
        self.model = SequentialFeatureSelector(learner, n_features_to_select=data.k, cv=folds, n_jobs=n_jobs)

    def result(self):
        return self.answer(self.model.get_support(indices=True))


class ForwardLinear(Forward):
    question = "forward_linear"

    def fits(self, data):
        return data.countable

    def jobs(self):
        return 1

    def prepare(self, data):
        from sklearn.linear_model import LinearRegression

        self.select(data, LinearRegression(), data.folds(), self.jobs())


class ForwardLinearJobs(ForwardLinear):
    """Its own parallelism (processes, started in the warm-up)."""

    name = "scikit-learn SequentialFeatureSelector, n_jobs"

    def jobs(self):
        return self.threads


class Loop(Competitor):
    """The fits of subsets that are known in advance."""

    name, package, module, role = LOOP, "scikit-learn", "sklearn", YARDSTICK

    def prepare(self, data):
        self.score, self.subsets = data.score, [columns for columns, _ in data.evaluated]

    def run(self):
        self.scores = [self.score(columns) for columns in self.subsets]

    def result(self):
        return self.scores


class WrapperOverheadLoop(SingleThread, Loop):
    question = "wrapper_overhead"


class WrapperOverhead(SingleThread, Forward):
    question = "wrapper_overhead"

    def prepare(self, data):
        self.select(data, data.learner, data.splits, 1)


class LasVegasOverheadLoop(SingleThread, Loop):
    question = "lasvegas_overhead"
