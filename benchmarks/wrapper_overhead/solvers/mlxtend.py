"""mlxtend's SequentialFeatureSelector."""

from benchmarks.competitor import Competitor
from benchmarks.wrapper_overhead.objective import Chosen


class Solver(Competitor):
    name, package, module = "mlxtend SequentialFeatureSelector", "mlxtend", "mlxtend.feature_selection"

    def prepare(self, data):
        from mlxtend.feature_selection import SequentialFeatureSelector

        self.X, self.y = data.X, data.y
        self.selector = SequentialFeatureSelector(
            data.learner, k_features=data.k, scoring="accuracy", cv=data.splits, n_jobs=1
        )

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return Chosen(self.selector.k_feature_idx_, self.selector.k_score_)
