"""mlxtend's SequentialFeatureSelector."""

from benchmarks.competitor import Estimator
from benchmarks.overhead import SingleThread


class Forward(Estimator):
    """Forward selection by the score of a learner over folds."""

    name, package, module = "mlxtend SequentialFeatureSelector", "mlxtend", "mlxtend.feature_selection"

    def select(self, data, learner, scoring, folds, n_jobs):
        from mlxtend.feature_selection import SequentialFeatureSelector

        self.X, self.y = data.X, data.y
        self.model = SequentialFeatureSelector(learner, k_features=data.k, scoring=scoring, cv=folds, n_jobs=n_jobs)

    def result(self):
        return self.answer(self.model.k_feature_idx_, self.model.k_score_)


class ForwardLinear(Forward):
    question = "forward_linear"

    def fits(self, data):
        return data.countable

    def jobs(self):
        return 1

    def prepare(self, data):
        from sklearn.linear_model import LinearRegression

        self.select(data, LinearRegression(), "r2", data.folds(), self.jobs())


class ForwardLinearJobs(ForwardLinear):
    """Its own parallelism over candidates (processes, started in the warm-up)."""

    name = "mlxtend SequentialFeatureSelector, n_jobs"

    def jobs(self):
        return self.threads


class WrapperOverhead(SingleThread, Forward):
    question = "wrapper_overhead"

    def prepare(self, data):
        self.select(data, data.learner, data.scoring, data.splits, 1)
