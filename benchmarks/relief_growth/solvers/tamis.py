"""Ours, on all rows and columns, and every row asked."""

from benchmarks.competitor import OURS, Competitor
from benchmarks.near_rows import Weighed
from benchmarks.relief_growth.objective import PARTS, Found, Part


class Solver(Competitor):
    package, role, module = "tamis", OURS, "tamis.selection"
    part = Part()
    name = PARTS[part]

    def prepare(self, data):
        from tamis import ReliefF

        part = data.part(self.part.rows, self.part.columns)
        self.X, self.y = part.X, part.y
        asked = None if self.part.asked == 1 else round(self.part.asked * len(part.y))
        self.selector = ReliefF(n_neighbors=part.k, n_samples=asked, n_jobs=self.threads, random_state=0)

    def run(self):
        self.selector.fit(self.X, self.y)

    def result(self):
        return Found(Weighed(self.selector.relevance_, self.selector.n_samples_), self.part)
