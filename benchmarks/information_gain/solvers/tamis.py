"""Ours: the function."""

from benchmarks.competitor import OURS, Competitor


class Solver(Competitor):
    name, package, role, module = "tamis", "tamis", OURS, "tamis.selection"

    def prepare(self, data):
        from tamis.selection import information_gain

        self.gain, (self.X, self.y) = information_gain, data

    def run(self):
        self.bits = self.gain(self.X, self.y, discrete=True)

    def result(self):
        return self.bits
