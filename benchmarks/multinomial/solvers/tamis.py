"""Ours, as it comes: nothing tuned."""

from benchmarks.competitor import OURS, Competitor


class Solver(Competitor):
    name, package, role = "tamis", "tamis", OURS

    def prepare(self, data):
        from tamis import sparse_path
        from tamis.penalties import L1, Group

        self.path, self.data, self.labels = sparse_path, data, data.labels
        self.penalty = Group() if data.rows else L1()

    def run(self):
        self.found = self.path(
            self.data.X,
            self.labels,
            datafit="multinomial",
            penalty=self.penalty,
            alphas=self.data.alphas,
            n_jobs=self.threads,
        )

    def result(self):
        return self.found.coefs, self.found.intercepts
