"""The same with mlxtend's own parallelism over candidates (processes, started in the warm-up)."""

from benchmarks.forward_linear.solvers import mlxtend


class Solver(mlxtend.Solver):
    name = "mlxtend SequentialFeatureSelector, n_jobs"

    def prepare(self, data):
        self.n_jobs = self.threads
        super().prepare(data)
