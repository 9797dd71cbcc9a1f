"""Every search with every evaluation, and checkers that notice what is broken."""

import numpy as np
import pytest

from tamis.selection import Additions, Backward, Evaluation, Forward, InformationGain, Ranking, Search
from tamis.testing import check_evaluation, check_search


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("evaluation", [InformationGain(), InformationGain(n_bins=3)])
def test_evaluations_keep_their_laws(evaluation, seed):
    check_evaluation(evaluation, seed=seed)


@pytest.mark.parametrize("seed", range(3))
def test_information_gain_keeps_its_laws_on_continuous_columns_and_targets(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 4))
    check_evaluation(InformationGain(n_bins=4), X, X[:, 0] + 0.1 * rng.normal(size=80), seed=seed)


@pytest.mark.parametrize("search", [Ranking(), Forward(), Backward()])
@pytest.mark.parametrize("seed", range(3))
def test_searches_keep_their_laws(search, seed):
    check_search(search, seed=seed)


class Shrinking(Evaluation):
    """Claims to be monotone and is not."""

    monotone = True

    def prepare(self, source, *, n_jobs=None, steps=None):
        return None

    def score(self, state, subset):
        return -float(len(subset))


class Forgetful(InformationGain):
    """Forgets the subset."""

    def gains(self, state, subset, candidates):
        return super().gains(state, (), candidates)

    def score(self, state, subset):
        return super().gains(state, subset[:-1], subset[-1:])[0]


class Worst(Search):
    """Takes the worst column first."""

    def run(self, p, stop, rng):
        scores = yield Additions((), range(p))
        return tuple(np.argsort(scores)[: stop.n_features or p].tolist())


class Greedier(Forward):
    """One more than asked."""

    def run(self, p, stop, rng):
        best = yield from super().run(p, stop, rng)
        return (*best, next(j for j in range(p) if j not in best)) if len(best) < p else best


class Lister(Search):
    """Plain lists of tuples are questions too."""

    def run(self, p, stop, rng):
        size = stop.n_features or p
        scores = yield [(j,) for j in range(p)]
        return tuple(np.argsort(-scores)[:size].tolist())


def test_a_search_may_yield_plain_lists():
    check_search(Lister())


@pytest.mark.parametrize("broken, law", [(Shrinking(), "monotone"), (Forgetful(), "gains")])
def test_broken_evaluations_are_noticed(broken, law):
    with pytest.raises(AssertionError, match=law):
        check_evaluation(broken)


@pytest.mark.parametrize("broken, law", [(Worst(), "misses the best"), (Greedier(), "not 1")])
def test_broken_searches_are_noticed(broken, law):
    with pytest.raises(AssertionError, match=law):
        check_search(broken)
