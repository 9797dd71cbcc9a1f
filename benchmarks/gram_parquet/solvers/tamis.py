"""Ours: the same statistic, another source."""

from benchmarks.gram.solvers import tamis


class Solver(tamis.Solver):
    """``as_source`` takes the path of the file where it took the matrix."""
