"""scikit-learn's SequentialFeatureSelector."""

from benchmarks.alone import Alone
from benchmarks.wrapper_overhead.objective import Chosen


class Solver(Alone):
    name, package, module = "scikit-learn SequentialFeatureSelector", "scikit-learn", "sklearn.feature_selection"

    def prepare(self, data):
        from sklearn.feature_selection import SequentialFeatureSelector

        self.X, self.y = data.X, data.y
        self.selector = SequentialFeatureSelector(data.learner, n_features_to_select=data.k, cv=data.splits, n_jobs=1)

    def work(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return Chosen(self.selector.get_support(indices=True))
