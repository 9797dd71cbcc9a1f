"""Ours, on the whole table."""

from benchmarks.competitor import OURS, Competitor
from benchmarks.gain_search.objective import PARTS, Chosen


class Solver(Competitor):
    package, role, module = "tamis", OURS, "tamis.selection"
    part = (1, 1)
    name = PARTS[part]

    def prepare(self, data):
        from tamis.selection import InformationGain, SubsetSelector

        part = data.part(*self.part)
        self.X, self.y = part.X, part.y
        self.selector = SubsetSelector(
            "forward", InformationGain(), n_features=part.k, discrete=True, n_jobs=self.threads
        )

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return Chosen(self.selector.selected_features_, self.selector.score_, self.part)
