"""Every search on drawn set functions: laws of its own history, and brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from selection.set_functions import SetFunction, coverage, table
from tamis import InputError, SubsetSelector
from tamis.selection import (
    MRMR,
    Backward,
    Beam,
    BestFirst,
    Bidirectional,
    BranchAndBound,
    Exhaustive,
    Floating,
    Forward,
    LasVegas,
    Ranking,
    Recursive,
)
from tamis.sources import as_source

SEARCHES = [
    Forward(),
    Backward(),
    Bidirectional(),
    Floating(),
    Floating(direction="backward"),
    Beam(2),
    BestFirst(2),
    Exhaustive(),
    Ranking(),
    Recursive(),
    LasVegas(15),
]


class Drawn(SetFunction):
    """A set function with weights of its own, for searches that ask for them."""

    has_weights = True

    def weights(self, state, subset):
        return np.random.default_rng(sorted(subset)).integers(0, 3, len(subset)).astype(float)


@st.composite
def functions(draw):
    """Few values, so many ties; some that are no number, or infinite; or any value."""
    seed, kind = draw(st.integers(0, 2**32 - 1)), draw(st.sampled_from(["any", "ties", "failing", "rounding"]))

    def f(S):
        value = np.random.default_rng([seed, *sorted(S)]).standard_normal()
        if kind == "ties":
            return float(round(value))
        if kind == "rounding":  # equal but for the last digits
            return 1.0 + round(value) + 1e-15 * value
        return np.nan if kind == "failing" and value > 0.5 else value

    return f


@st.composite
def questions(draw):
    """(p, n_features, low, high) with n_features None, a number or a range."""
    p = draw(st.integers(1, 6))
    low, high = sorted(draw(st.tuples(st.integers(1, p), st.integers(1, p))))
    kind = draw(st.sampled_from(["none", "number", "range"]))
    if kind == "none":
        return p, None, 1, p
    return (p, low, low, low) if kind == "number" else (p, (low, high), low, high)


def fit(search, f, p, n_features, **options):
    """None where every subset of the sizes asked for that it saw has failed."""
    try:
        return SubsetSelector(search, Drawn(f), n_features=n_features, random_state=0, **options).fit(*table(p))
    except InputError as error:
        if "could not evaluate any subset" not in str(error):
            raise
        return None


def evaluated(fitted):
    """{subset: score} of the history, failures left out."""
    history = fitted.history_
    rows = ((frozenset(history.subset(i)), float(s)) for i, s in enumerate(history["score"]))
    return {S: s for S, s in rows if not np.isnan(s)}


@pytest.mark.parametrize("search", SEARCHES, ids=str)
@settings(deadline=None)
@given(f=functions(), question=questions())
def test_the_answer_is_of_a_size_asked_for_and_the_best_of_the_history(search, f, question):
    p, n_features, low, high = question
    fitted = fit(search, f, p, n_features)
    assume(fitted is not None)
    S = frozenset(fitted.selected_features_)
    assert low <= len(S) <= high
    assert len(S) == len(fitted.selected_features_)
    assert fitted.score_ == f(S)
    seen = {T: s for T, s in evaluated(fitted).items() if low <= len(T) <= high}
    assert seen[S] == fitted.score_
    own_rule = n_features is None and isinstance(search, (Forward, Backward, Bidirectional, Ranking))
    if not own_rule and not (isinstance(search, Ranking) and isinstance(n_features, int)):
        best = max(seen.values())
        slack = 1e-12 * max(1, abs(best))
        assert fitted.score_ >= best - slack
        assert len(S) == min(len(T) for T, s in seen.items() if s >= best - slack)


@pytest.mark.parametrize("search", SEARCHES, ids=str)
@settings(deadline=None)
@given(f=functions(), question=questions())
def test_the_history_is_a_chain_of_what_was_kept(search, f, question):
    p, n_features, _, _ = question
    fitted = fit(search, f, p, n_features)
    assume(fitted is not None)
    history = fitted.history_
    for i, parent in enumerate(history["parent"]):
        S, before = set(history.subset(i)), set(history.subset(parent)) if parent >= 0 else set()
        assert len(S) == history["size"][i] <= p
        if parent >= 0:
            assert parent < i
            assert history["kept"][parent]
            assert (before | set(history["added"][i])) - set(history["removed"][i]) == S
    chosen = [i for i in np.flatnonzero(history["kept"]) if set(history.subset(i)) == set(fitted.selected_features_)]
    assert chosen


@settings(deadline=None)
@given(f=functions(), question=questions())
def test_exhaustive_is_brute_force_and_nobody_is_better(f, question):
    p, n_features, low, high = question
    every = {S: f(frozenset(S)) for k in range(low, high + 1) for S in combinations(range(p), k)}
    known = {S: s for S, s in every.items() if not np.isnan(s)}
    best = fit(Exhaustive(), f, p, n_features)
    assert (best is None) == (not known)
    assume(best is not None)
    top = max(known.values())
    tied = [S for S, s in known.items() if s >= top - 1e-12 * max(1, abs(top))]
    assert tuple(sorted(best.selected_features_)) == min(tied, key=lambda S: (len(S), S))
    for search in SEARCHES:
        other = fit(search, f, p, n_features)
        assert other is None or other.score_ <= top


@settings(deadline=None)
@given(f=functions(), p=st.integers(1, 6))
def test_without_a_number_greedy_searches_end_where_one_step_brings_nothing(f, p):
    for search, change in ((Forward(), 1), (Backward(), -1)):
        fitted = fit(search, f, p, None)
        if fitted is None:
            continue
        S = frozenset(fitted.selected_features_)
        steps = [S | {j} for j in range(p) if j not in S] if change > 0 else [S - {j} for j in S if len(S) > 1]
        slack = 1e-12 * max(1, abs(fitted.score_))
        for T in steps:
            score = f(T)
            ends = score <= fitted.score_ + slack if change > 0 else score < fitted.score_ - slack / 2
            assert np.isnan(score) or ends


@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1), levels=st.sampled_from([1, 3, 1000]), question=questions())
def test_branch_and_bound_is_exhaustive_where_more_never_score_less(seed, levels, question):
    p, n_features, _, _ = question
    assume(n_features is not None)
    f = coverage(seed, p, levels=levels)
    a, b = (
        SubsetSelector(search, SetFunction(f, True), n_features=n_features).fit(*table(p))
        for search in (Exhaustive(), BranchAndBound())
    )
    assert (a.score_, a.support_.tolist()) == (b.score_, b.support_.tolist())


@pytest.mark.parametrize("search", SEARCHES, ids=str)
@settings(deadline=None)
@given(f=functions(), p=st.integers(2, 6), data=st.data())
def test_kept_columns_and_groups_hold(search, f, p, data):
    keep = data.draw(st.lists(st.integers(0, p - 1), max_size=2, unique=True))
    group = data.draw(st.lists(st.integers(0, p - 1), min_size=2, max_size=3, unique=True))
    units = p - len(group) + 1
    n_kept = len(set(keep) - set(group)) + bool(set(keep) & set(group))
    low, high = sorted(data.draw(st.tuples(st.integers(1, units), st.integers(1, units))))
    assume(high >= n_kept)
    fitted = fit(search, f, p, (low, high), keep=keep, feature_groups=[group])
    assume(fitted is not None)
    S = set(fitted.selected_features_)
    assert set(keep) <= S
    assert set(group) <= S or not set(group) & S
    count = len(S - set(group)) + bool(set(group) & S)
    assert max(low, n_kept) <= count <= high
    assert fitted.score_ == f(frozenset(S))


@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 40), p=st.integers(1, 6), data=st.data())
def test_incremental_scores_keep_their_order(seed, n, p, data):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (n, p)), rng.integers(0, 2, n)
    assume(len(set(y.tolist())) == 2)
    low, high = sorted(data.draw(st.tuples(st.integers(1, p), st.integers(1, p))))
    for search in (Forward(), Ranking()):
        fitted = SubsetSelector(search, MRMR(), n_features=(low, high), discrete="all").fit(X, y)
        evaluation = MRMR()
        state = evaluation.prepare(as_source(X, y, discrete="all"))
        scores = evaluation.score(state, tuple(fitted.selected_features_))
        assert fitted.score_ == pytest.approx(scores, abs=1e-12)  # the same sums of a few numbers of size 1
