"""Ours, on a quarter of the columns."""

from benchmarks.relief_growth.objective import PARTS, Part
from benchmarks.relief_growth.solvers import tamis


class Solver(tamis.Solver):
    part = Part(columns=1 / 4)
    name = PARTS[part]
