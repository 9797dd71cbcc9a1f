"""Ours, by the quotient that the others know."""

from benchmarks.competitor import OURS, Competitor


class Solver(Competitor):
    name, package, role, module = "tamis", "tamis", OURS, "tamis.selection"

    def prepare(self, data):
        from tamis.selection import MRMR, SubsetSelector

        self.X, self.y = data.X, data.y
        evaluation = MRMR(by="correlation", scheme="quotient")
        self.selector = SubsetSelector("forward", evaluation, n_features=data.k, n_jobs=self.threads)

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return self.selector.selected_features_
