"""scikit-rebate, whose workers are processes: apart, so that they end with it."""

from benchmarks.competitor import Estimator

FEW = 60  # rows that start the workers


class Relief(Estimator):
    question, name, package, apart = "relief", "scikit-rebate", "skrebate", True

    def prepare(self, data):
        from skrebate import MultiSURF, ReliefF

        self.X, self.y = data.X, data.y
        if data.method == "ReliefF":
            self.model = ReliefF(n_neighbors=data.k, n_jobs=self.threads)
        else:
            self.model = MultiSURF(n_jobs=self.threads)
        self.model.fit(self.X[:FEW], self.y[:FEW])

    def result(self):
        return self.model.feature_importances_
