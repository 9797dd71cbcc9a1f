"""Laws of the Gram statistic, and its kernel against the slow twin."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.gram import moments
from tamis.sources import Block, as_source
from tamis.stats import collect
from tamis.stats.gram import Gram, GramOfSets
from tolerances import ROUNDING


def rows(seed, n=300, p=7, mean=0.0, weighted=False, dtype=np.float64, order="C"):
    rng = np.random.default_rng(seed)
    X = np.asarray(mean + rng.standard_normal((n, p)) * rng.uniform(0.5, 2, p), dtype=dtype, order=order)
    y = mean + rng.standard_normal(n)
    weight = rng.uniform(0, 3, n) * (rng.random(n) > 0.2) if weighted else None
    return X, y, weight


def assert_same(gram, reference, tol=ROUNDING):
    total, mean, scatter = reference
    size = np.sqrt(np.outer(np.diag(scatter), np.diag(scatter)).astype(float))
    assert gram.weight == pytest.approx(total, rel=ROUNDING)
    np.testing.assert_allclose(gram.centre + gram.offset, mean.astype(float), rtol=ROUNDING, atol=ROUNDING)
    assert np.abs((gram.scatter - scatter).astype(float) / size).max() <= tol


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("mean", [0.0, 3.0, 100.0])
@pytest.mark.parametrize(("n", "p"), [(1, 1), (2, 3), (300, 7), (5000, 3), (700, 130)])
def test_kernel_equals_twin(n, p, mean, weighted, dtype, order):
    X, y, weight = rows(n + p, n, p, mean, weighted, dtype, order)
    if n <= 2:
        weight = None
    gram = Gram().of(Block(X, y, weight, 0))
    total, means, scatter = moments(X, y, weight)
    assert gram.weight == pytest.approx(total, rel=ROUNDING)
    np.testing.assert_allclose(gram.centre + gram.offset, means.astype(float), rtol=ROUNDING, atol=ROUNDING)
    atol = ROUNDING * max(1.0, float(np.diag(scatter).max()))
    np.testing.assert_allclose(gram.scatter, scatter.astype(float), rtol=0, atol=atol)


def test_wide_matrices_are_cut_into_tiles():
    X, y, _ = rows(0, 60, 1300)
    assert_same(Gram().of(Block(X, y, None, 0)), moments(X, y))
    assert_same(Gram().of(Block(np.asfortranarray(X + 50), y, None, 0)), moments(X + 50, y))


@pytest.mark.parametrize("order", ["C", "F"])
def test_stable_when_means_are_1e8_times_the_spread(order):
    X, y, _ = rows(1, 20_000, 5, mean=1e8, order=order)
    assert_same(Gram().of(Block(X, y, None, 0)), moments(X, y))
    parts = [Gram().of(Block(X[a : a + 777], y[a : a + 777], None, a)) for a in range(0, 20_000, 777)]
    merged = Gram()
    for part in parts:
        merged = merged.merge(part)
    assert_same(merged, moments(X, y))


def test_stable_when_the_first_rows_are_far_from_the_rest():
    X, y, _ = rows(2, 60_000, 3)
    X[:2000] += 1e8
    # the far rows dominate the spread; shifting by the first rows' mean costs a factor of at most 33 in rounding
    assert_same(Gram().of(Block(X, y, None, 0)), moments(X, y))


def test_a_constant_column_has_no_spread():
    X, y, _ = rows(3)
    X[:, 2] = 0.1
    scatter = Gram().of(Block(X, y, None, 0)).scatter
    assert np.abs(scatter[2]).max() <= len(X) * 1e-15


def test_rows_without_weight_may_hold_anything():
    X, y, weight = rows(4, weighted=True)
    clean = Gram().of(Block(X, y, weight, 0))
    X[weight == 0] = np.nan
    dirty = Gram().of(Block(X, y, weight, 0))
    assert np.array_equal(clean.scatter, dirty.scatter)


@pytest.mark.parametrize("p", [5, 200, 1100])
def test_bitwise_equal_for_any_number_of_threads(p):
    X, y, _ = rows(5, 6000 if p < 1000 else 600, p)
    one, two, three = (Gram(n_jobs=k).of(Block(X, y, None, 0)).scatter for k in (1, 2, 3))
    assert np.array_equal(one, two)
    assert np.array_equal(one, three)


@settings(max_examples=40, deadline=None)
@given(cuts=st.lists(st.integers(0, 300), max_size=6), seed=st.integers(0, 99), weighted=st.booleans())
def test_any_split_into_blocks_gives_the_same_statistic(cuts, seed, weighted):
    X, y, weight = rows(seed, weighted=weighted)
    edges = [0, *sorted(cuts), 300]
    merged = Gram()
    for a, b in pairwise(edges):
        merged = merged.merge(Gram().of(Block(X[a:b], y[a:b], None if weight is None else weight[a:b], a)))
    assert_same(merged, moments(X, y, weight))
    assert merged.n_rows == 300


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 99))
def test_merge_is_associative_and_commutative(seed):
    X, y, _ = rows(seed, mean=10.0)
    a, b, c = (Gram().of(Block(X[k : k + 100], y[k : k + 100], None, k)) for k in (0, 100, 200))
    left = a.copy().merge(b).merge(c)
    right = c.copy().merge(b.copy().merge(a))
    reference = moments(X, y)
    assert_same(left, reference)
    assert_same(right, reference)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 99))
def test_weight_two_is_a_duplicated_row(seed):
    X, y, _ = rows(seed)
    times = np.random.default_rng(seed).integers(0, 3, 300)
    weighted = Gram().of(Block(X, y, times.astype(float), 0))
    assert_same(weighted, moments(np.repeat(X, times, axis=0), np.repeat(y, times)))


def test_taking_a_part_out_leaves_the_rest():
    X, y, _ = rows(6, mean=1e6)
    total, part = (Gram().of(Block(X[:k], y[:k], None, 0)) for k in (300, 60))
    kept = total.scatter.copy()
    assert_same(
        total.without(part), moments(X[60:], y[60:]), tol=10 * ROUNDING
    )  # subtraction keeps the total's rounding
    assert np.array_equal(total.scatter, kept)


@pytest.mark.parametrize("shuffled", [False, True])
def test_one_gram_per_fold_in_the_same_pass(shuffled):
    X, y, weight = rows(7, weighted=True)
    order = np.random.default_rng(0).permutation(300) if shuffled else np.arange(300)
    sets = [np.sort(s) for s in np.array_split(order, 4)]
    (folds,) = collect(as_source(X, y, sample_weight=weight), GramOfSets(sets))
    for rows_of, gram in zip(sets, folds.grams, strict=True):
        assert_same(gram, moments(X[rows_of], y[rows_of], weight[rows_of]))


@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_equals_dense(weighted):
    X, y, weight = rows(8, weighted=weighted)
    X[np.abs(X) < 1.0] = 0
    dense = Gram().of(Block(X, y, weight, 0))
    sparse = Gram().of(Block(sp.csr_array(X), y, weight, 0))
    np.testing.assert_allclose(sparse.scatter, dense.scatter, rtol=0, atol=ROUNDING * dense.scatter.max())
    np.testing.assert_allclose(sparse.centre + sparse.offset, dense.centre + dense.offset, atol=ROUNDING)


def test_without_a_target():
    X, _, _ = rows(9)
    assert_same(Gram().of(Block(X, None, None, 0)), moments(X))


def test_a_block_without_columns_is_refused():
    with pytest.raises(ValueError, match="no columns"):
        Gram().of(Block(np.empty((5, 0)), np.arange(5.0), None, 0))


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan, 1e200])
def test_infinite_sparse_entries_are_left_to_the_reader(bad):
    """No warning of NumPy's comes before the error that names the column; squares may be too large as well."""
    X = sp.csr_array(np.array([[1.0, 0.0], [bad, 1.0], [0.0, 2.0]]))
    (gram,) = collect(as_source(X, [1.0, 2.0, 3.0]), Gram())
    assert not np.isfinite(gram.scatter[0, 0])


@pytest.mark.parametrize("make", [np.ascontiguousarray, np.asfortranarray, sp.csr_array])
def test_a_set_holds_a_row_as_often_as_it_is_listed(make):
    X, y, weight = rows(10, weighted=True)
    repeated = np.add.outer(np.arange(0, 60, 6), [0, 0, 2, 3, 3, 5]).ravel()  # last − first + 1 of them, with gaps
    sets = [repeated, np.random.default_rng(0).integers(0, 300, 200), np.array([], dtype=int)]
    (found,) = collect(as_source(make(X), y, sample_weight=weight), GramOfSets(sets))
    for rows_of, gram in zip(sets[:2], found.grams, strict=False):
        assert_same(gram, moments(X[rows_of], y[rows_of], weight[rows_of]))
    assert found.grams[2].n_rows == found.grams[2].weight == 0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("mean", [30.0, 1e4, 1e8])
def test_sparse_is_stable_for_any_mean(mean, weighted):
    X, y, weight = rows(11, n=2000, weighted=weighted)
    X[:, 3:][np.abs(X[:, 3:]) < 1.0] = 0
    X[:, :2] += mean
    merged = Gram()
    for a in range(0, 2000, 700):
        part = slice(a, a + 700)
        merged = merged.merge(
            Gram().of(Block(sp.csr_array(X[part]), y[part], None if weight is None else weight[part], a))
        )
    assert_same(merged, moments(X, y, weight))


def test_a_sparse_constant_column_has_no_spread():
    X, y, _ = rows(12)
    X[:, 2] = 0.1
    scatter = Gram().of(Block(sp.csr_array(X), y, None, 0)).scatter
    assert not scatter[2].any()
    assert not scatter[:, 2].any()
