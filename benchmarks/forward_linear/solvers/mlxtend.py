"""mlxtend's SequentialFeatureSelector."""

from benchmarks.competitor import Competitor
from benchmarks.forward_linear.datasets import FOLDS
from benchmarks.forward_linear.objective import Chosen


class Solver(Competitor):
    name, package, module = "mlxtend SequentialFeatureSelector", "mlxtend", "mlxtend.feature_selection"
    n_jobs = 1

    def fits(self, data):
        return data.countable

    def prepare(self, data):
        from mlxtend.feature_selection import SequentialFeatureSelector
        from sklearn.linear_model import LinearRegression
        from sklearn.model_selection import KFold

        self.X, self.y = data.X, data.y
        self.selector = SequentialFeatureSelector(
            LinearRegression(), k_features=data.k, scoring="r2", cv=KFold(FOLDS), n_jobs=self.n_jobs
        )

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return Chosen(self.selector.k_feature_idx_, self.selector.k_score_)
