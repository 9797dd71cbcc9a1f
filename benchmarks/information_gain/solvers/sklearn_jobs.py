"""The same with scikit-learn's own parallelism (processes, started in the warm-up)."""

from benchmarks.information_gain.solvers import sklearn


class Solver(sklearn.Solver):
    name = "scikit-learn mutual_info_classif, n_jobs"

    def run(self):
        self.nats = self.information(self.X, self.y, discrete_features=True, n_jobs=self.threads)
