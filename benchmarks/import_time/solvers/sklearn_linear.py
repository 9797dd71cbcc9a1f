"""Importing scikit-learn's linear models."""

from benchmarks.competitor import RIVAL
from benchmarks.import_time.solvers import tamis


class Solver(tamis.Solver):
    name, package, role, module = "sklearn.linear_model", "scikit-learn", RIVAL, "sklearn.linear_model"
