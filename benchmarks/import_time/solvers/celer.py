"""Importing celer."""

from benchmarks.competitor import RIVAL
from benchmarks.import_time.solvers import tamis


class Solver(tamis.Solver):
    name, package, role, module = "celer", "celer", RIVAL, "celer"
