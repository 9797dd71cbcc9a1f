"""scikit-learn's SequentialFeatureSelector."""

from benchmarks.competitor import Competitor
from benchmarks.forward_linear.datasets import FOLDS
from benchmarks.forward_linear.objective import Chosen


class Solver(Competitor):
    name, package, module = "scikit-learn SequentialFeatureSelector", "scikit-learn", "sklearn.feature_selection"
    n_jobs = 1

    def fits(self, data):
        return data.countable

    def prepare(self, data):
        from sklearn.feature_selection import SequentialFeatureSelector
        from sklearn.linear_model import LinearRegression
        from sklearn.model_selection import KFold

        self.X, self.y = data.X, data.y
        self.selector = SequentialFeatureSelector(
            LinearRegression(), n_features_to_select=data.k, cv=KFold(FOLDS), n_jobs=self.n_jobs
        )

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return Chosen(self.selector.get_support(indices=True), None)
