"""Importing adelie."""

from benchmarks.competitor import RIVAL
from benchmarks.import_time.solvers import tamis


class Solver(tamis.Solver):
    name, package, role, module = "adelie", "adelie", RIVAL, "adelie"
