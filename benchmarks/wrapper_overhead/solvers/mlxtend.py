"""mlxtend's SequentialFeatureSelector."""

from benchmarks.alone import Alone
from benchmarks.wrapper_overhead.objective import Chosen


class Solver(Alone):
    name, package, module = "mlxtend SequentialFeatureSelector", "mlxtend", "mlxtend.feature_selection"

    def prepare(self, data):
        from mlxtend.feature_selection import SequentialFeatureSelector

        self.X, self.y = data.X, data.y
        self.selector = SequentialFeatureSelector(
            data.learner, k_features=data.k, scoring=data.scoring, cv=data.splits, n_jobs=1
        )

    def work(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return Chosen(self.selector.k_feature_idx_, self.selector.k_score_)
