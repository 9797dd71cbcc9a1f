"""The ReliefF package."""

from benchmarks.competitor import Estimator


class Relief(Estimator):
    question, name, package = "relief", "ReliefF", "ReliefF"

    def fits(self, data):
        return data.method == "ReliefF"

    def prepare(self, data):
        from ReliefF import ReliefF

        self.X, self.y = data.X, data.y
        self.model = ReliefF(n_neighbors=data.k)

    def result(self):
        return self.model.feature_scores
