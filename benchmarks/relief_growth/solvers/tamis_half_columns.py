"""Ours, on half of the columns."""

from benchmarks.relief_growth.objective import PARTS, Part
from benchmarks.relief_growth.solvers import tamis


class Solver(tamis.Solver):
    part = Part(columns=1 / 2)
    name = PARTS[part]
