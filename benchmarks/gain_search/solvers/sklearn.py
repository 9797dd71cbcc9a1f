"""scikit-learn's mutual information of the columns one by one."""

from benchmarks.competitor import YARDSTICK, Competitor


class Solver(Competitor):
    name, package, role = "scikit-learn mutual_info_classif, one round", "scikit-learn", YARDSTICK
    module = "sklearn.feature_selection"

    def prepare(self, data):
        from sklearn.feature_selection import mutual_info_classif

        self.information, self.X, self.y = mutual_info_classif, data.X, data.y

    def run(self):
        self.nats = self.information(self.X, self.y, discrete_features=True, n_jobs=self.threads)

    def result(self):
        return self.nats
