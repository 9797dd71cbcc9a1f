"""scikit-learn's empirical covariance."""

from benchmarks.competitor import Competitor


class Gram(Competitor):
    question, name = "gram", "scikit-learn empirical_covariance"
    package, module = "scikit-learn", "sklearn.covariance"

    def prepare(self, data):
        from sklearn.covariance import empirical_covariance

        self.X, self.covariance = data, empirical_covariance

    def run(self):
        self.C = self.covariance(self.X)

    def result(self):
        return len(self.X) * self.C
