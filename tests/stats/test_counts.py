"""Counting kernels against their twins, and the laws of joint counts."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import counts as slow
from tamis._kernels import kernels
from tamis.sources import Block
from tamis.stats.binning import NO_WEIGHT, Bins
from tamis.stats.counts import JointCounts

ROUNDING = 1e-12  # sums of at most 10⁴ terms of size ≤ 20 bits: 10⁴ · 2⁻⁵³ · 20 ≈ 2e-11 at worst, 1e-14 as seen


def problem(seed, n=200, p=6, levels=4, classes=3, weighted=False, dtype=np.uint8):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, levels, (p, n)).astype(dtype)
    y = rng.integers(0, classes, n).astype(np.int32)
    codes[0] = y % levels
    weight = rng.uniform(0.1, 3.0, n) if weighted else NO_WEIGHT
    total = float(weight.sum()) if weighted else float(n)
    x = np.arange(n + 1, dtype=np.float64)
    xlogx = x * np.log2(np.maximum(x, 1))
    return codes, np.full(p, levels, np.int32), (y, classes, weight, total, xlogx)


def of(weight):
    return weight if len(weight) else None


def impurity(sums):
    """Σ N·Ent from the five sums."""
    return sums[..., 0] - sums[..., 1]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("levels, classes", [(4, 3), (2, 2), (40, 7), (30, 300)])
def test_sums_of_columns_are_the_definition(levels, classes, weighted, dtype):
    codes, level_counts, target = problem(levels, levels=levels, classes=classes, weighted=weighted, dtype=dtype)
    y, weight = target[0], of(target[2])
    five, one, whole = np.empty((len(codes), 5)), np.empty((len(codes), 1)), np.empty(5)
    kernels.column_sums(codes, level_counts, *target, five, 1)
    kernels.column_sums(codes, level_counts, *target, one, 1)
    kernels.class_sums(*target, whole)
    expected = np.array([slow.sums(c, y, weight) for c in codes])
    np.testing.assert_allclose(five, expected, rtol=ROUNDING)
    np.testing.assert_allclose(one[:, 0], impurity(expected), atol=ROUNDING * target[3])
    np.testing.assert_allclose(whole, slow.sums(np.zeros(len(y)), y, weight), rtol=ROUNDING)


@pytest.mark.parametrize("pure_too", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("levels, classes", [(3, 2), (12, 5), (20, 300)])
def test_refining_is_counting_anew(levels, classes, weighted, pure_too):
    codes, level_counts, target = problem(7, levels=levels, classes=classes, weighted=weighted)
    y, weight = target[0], of(target[2])
    n = len(y)
    whole = np.arange(n, dtype=np.int32), np.array([0, n], np.int32)
    rows, starts = kernels.refine(codes, level_counts, *whole, np.array([1, 2]), y, not pure_too)
    cells = {frozenset(rows[a:b].tolist()) for a, b in itertools.pairwise(starts)}
    assert cells == slow.partition(codes[[1, 2]].T, y, pure_too)
    candidates = np.array([5, 3, 4])
    out = np.empty((3, 5 if pure_too else 1))
    kernels.refined_sums(codes, level_counts, rows, starts, candidates, *target, out, 1)
    expected = np.array([slow.sums(codes[[1, 2, j]].T, y, weight) for j in candidates])
    sums = expected if pure_too else impurity(expected)[:, None]
    np.testing.assert_allclose(out, sums, atol=ROUNDING * target[3], rtol=ROUNDING)


@pytest.mark.parametrize("width", [1, 5])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("p", [1, 2, 3, 9, 20])
def test_leaving_one_out_is_counting_the_others(p, weighted, width):
    codes, levels, target = problem(p, n=300, p=p, levels=2, weighted=weighted)
    y, weight = target[0], of(target[2])
    whole = np.arange(300, dtype=np.int32), np.array([0, 300], np.int32)
    out = np.empty((p, width))
    kernels.leave_out_sums(codes, levels, *whole, np.arange(p), *target, out, 1)
    rests = [np.delete(codes, j, axis=0).T if p > 1 else np.zeros(300) for j in range(p)]
    expected = np.array([slow.sums(rest, y, weight) for rest in rests])
    sums = expected if width == 5 else impurity(expected)[:, None]
    np.testing.assert_allclose(out, sums, atol=ROUNDING * target[3], rtol=ROUNDING)


@pytest.mark.parametrize("width", [1, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_threads_do_not_change_a_bit(weighted, width):
    codes, levels, target = problem(3, n=2000, p=40, weighted=weighted)
    whole = np.arange(2000, dtype=np.int32), np.array([0, 2000], np.int32)
    found = []
    for n_threads in (1, 2):
        single, refined, left = (np.empty((40, width)) for _ in range(3))
        kernels.column_sums(codes, levels, *target, single, n_threads)
        kernels.refined_sums(codes, levels, *whole, np.arange(40), *target, refined, n_threads)
        kernels.leave_out_sums(codes, levels, *whole, np.arange(40), *target, left, n_threads)
        found.append(np.concatenate([single, refined, left]))
    assert found[0].tobytes() == found[1].tobytes()


def test_a_constant_column_and_a_copy_of_the_class_are_exact():
    y = np.array([0, 1, 2, 1, 0, 0, 2], np.int32)
    codes = np.stack([np.zeros(7), y]).astype(np.uint8)
    target = (y, 3, NO_WEIGHT, 7.0, np.zeros(1))
    out, whole = np.empty((2, 1)), np.empty(5)
    kernels.column_sums(codes, np.array([1, 3], np.int32), *target, out, 1)
    kernels.class_sums(*target, whole)
    assert out[:, 0].tolist() == [whole[0] - whole[1], 0.0]


# ---- the statistic -----------------------------------------------------------------------------------------------

values = st.floats(-3, 3, width=16) | st.just(float("nan"))


@st.composite
def tables(draw):
    n, p = draw(st.integers(1, 30)), draw(st.integers(1, 3))
    X = np.array(draw(st.lists(st.lists(values, min_size=p, max_size=p), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), dtype=float)
    weight = np.array(draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)), dtype=float)
    cuts = tuple(np.unique(draw(st.lists(st.floats(-2, 2), max_size=4))) for _ in range(p))
    return X, y, weight, JointCounts(Bins(cuts), Bins((np.array([0.0, 1.0]),)))


def counted(counts, X, y, weight, at=()):
    return [counts.of(Block(x, t, w, 0)) for x, t, w in zip(*(np.split(a, at) for a in (X, y, weight)), strict=True)]


@settings(max_examples=50, deadline=None)
@given(table=tables(), cut=st.integers(0, 30), other=st.integers(0, 30))
def test_any_split_merged_in_any_order_gives_the_same_counts(table, cut, other):
    X, y, weight, counts = table
    at = sorted(min(c, len(y)) for c in (cut, other))
    a, b, c = counted(counts, X, y, weight, at)
    (whole,) = counted(counts, X, y, weight)
    for merged in (a.merge(b).merge(c), a.merge(b.merge(c)), c.merge(a).merge(b), counts.merge(a).merge(b).merge(c)):
        np.testing.assert_array_equal(merged.table, whole.table)  # whole weights add exactly


@settings(max_examples=50, deadline=None)
@given(table=tables())
def test_counts_are_the_definition_and_a_weight_is_a_repeated_row(table):
    X, y, weight, counts = table
    (weighted,) = counted(counts, X, y, weight)
    repeat = weight.astype(int)
    repeated = counts.of(Block(np.repeat(X, repeat, axis=0), np.repeat(y, repeat), None, 0))
    np.testing.assert_array_equal(weighted.table, repeated.table)
    for j, cuts in enumerate(counts.bins.cuts):
        codes = slow.cut_codes(X[:, j], cuts)
        expected = slow.joint_counts(codes, len(cuts) + 2, y.astype(int), 4, weight)
        np.testing.assert_array_equal(weighted.column(j), expected)
        assert weighted.gains()[j] == pytest.approx(slow.gain(codes, y, weight), abs=ROUNDING)
