"""scikit-learn's mutual information, from nats to bits."""

from benchmarks.competitor import Competitor


class Solver(Competitor):
    name, package, module = "scikit-learn mutual_info_classif", "scikit-learn", "sklearn.feature_selection"

    def prepare(self, data):
        from sklearn.feature_selection import mutual_info_classif

        self.information, (self.X, self.y) = mutual_info_classif, data

    def run(self):
        self.nats = self.information(self.X, self.y, discrete_features=True, n_jobs=1)

    def result(self):
        import numpy as np

        return self.nats / np.log(2)
