"""Ours, as it comes: nothing tuned."""

from benchmarks.competitor import OURS, Competitor


class Solver(Competitor):
    name, package, module, role = "tamis", "tamis", "tamis.solvers.omp", OURS

    def prepare(self, data):
        from tamis.solvers.omp import omp_codes

        self.code, self.data = omp_codes, data

    def run(self):
        self.found = self.code(self.data.X, self.data.D, n_nonzero=self.data.n_nonzero)

    def result(self):
        return self.found.Z
