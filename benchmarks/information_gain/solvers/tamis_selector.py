"""Ours again: the whole selector, with its checks and its history."""

from benchmarks.competitor import OURS, Competitor


class Solver(Competitor):
    name, package, role, module = "tamis SubsetSelector(search='ranking')", "tamis", OURS, "tamis.selection"

    def prepare(self, data):
        from tamis.selection import SubsetSelector

        (self.X, self.y), p = data, data[0].shape[1]
        self.selector = SubsetSelector(search="ranking", n_features=p // 10, discrete=True)

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return self.selector.scores_
