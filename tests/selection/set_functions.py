"""Evaluations that are plain functions of the subset, for searches to be tried on."""

import numpy as np

from tamis.selection import Evaluation


class SetFunction(Evaluation):
    """score = f(frozenset of columns); counts how often each subset is asked for."""

    def __init__(self, f=None, monotone=False):
        self.f = f
        self.monotone = monotone

    def prepare(self, source, *, n_jobs=None, steps=None):
        self.asked_ = []
        return self

    def score(self, state, subset):
        self.asked_.append(frozenset(subset))
        return float(self.f(frozenset(subset)))

    def __repr__(self):
        return "SetFunction()"


def table(p):
    return np.zeros((2, p)), np.array([0, 1])


def random_function(seed):
    """Any number for any subset."""
    return lambda S: np.random.default_rng([seed, *sorted(S)]).standard_normal()


def coverage(seed, p, n_points=12, levels=3):
    """How much of some points the columns' sets cover: monotone, with many ties where levels are few."""
    rng = np.random.default_rng(seed)
    sets, weight = rng.random((p, n_points)) < 0.35, rng.integers(1, levels + 1, n_points)
    return lambda S: float(weight[sets[sorted(S)].any(axis=0)].sum()) if S else 0.0
