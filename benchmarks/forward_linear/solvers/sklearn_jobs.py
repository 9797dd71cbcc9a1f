"""The same with scikit-learn's own parallelism (processes, started in the warm-up)."""

from benchmarks.forward_linear.solvers import sklearn


class Solver(sklearn.Solver):
    name = "scikit-learn SequentialFeatureSelector, n_jobs"

    def prepare(self, data):
        self.n_jobs = self.threads
        super().prepare(data)
