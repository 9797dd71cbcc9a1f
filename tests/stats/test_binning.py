"""Bins and coding kernels against their twins, and the laws of binning statistics."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import counts as slow
from tamis._core.errors import InputError
from tamis.sources import Block
from tamis.stats.binning import Bins, Distinct, RowSample, quantile_bins, supervised_bins
from tamis.stats.coding import code_matrix, code_target

NAMES = [f"x{j}" for j in range(100)]
numbers = st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.0, -0.0, 1.0, float("nan")])


def code(X, **options):
    given = {"discrete": None, "cut": lambda X, columns: quantile_bins(X, 10, None, columns), "n_threads": 1} | options
    return code_matrix(X, NAMES, **given)


def same_cells(codes, labels):
    """Two labellings cut the rows the same way."""
    pairs = set(zip(codes.tolist(), labels.tolist(), strict=True))
    return len(pairs) == len(set(codes.tolist())) == len(set(labels.tolist()))


def named(column):
    return np.unique(column, return_inverse=True)[1]  # NumPy takes all NaN as one value


@settings(max_examples=80, deadline=None)
@given(x=st.lists(numbers, min_size=1, max_size=60), n_bins=st.integers(2, 12), data=st.data())
def test_quantile_cuts_are_the_definition(x, n_bins, data):
    x = np.array(x)
    weight = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(x), max_size=len(x))), dtype=float)
    for given_weight in (None, weight):
        if np.any((x == x) & (weight > 0)):
            (cuts,) = quantile_bins(x[:, None], n_bins, given_weight).cuts
            np.testing.assert_array_equal(cuts, slow.quantile_cuts(x, n_bins, given_weight))


@settings(max_examples=50, deadline=None)
@given(x=st.lists(numbers, min_size=1, max_size=60), cuts=st.lists(st.floats(-1e6, 1e6), max_size=20))
def test_codes_are_the_definition(x, cuts):
    x, cuts = np.array(x), np.unique(cuts)
    np.testing.assert_array_equal(Bins((cuts,)).codes(x[:, None])[0], slow.cut_codes(x, cuts))


@given(seed=st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_quantile_codes_do_not_change_under_an_increasing_transformation(seed):
    x = np.random.default_rng(seed).normal(size=(137, 1))
    a, b = (code(z, discrete=np.array([False])).codes for z in (x, np.exp(x)))
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("n_bins", [2, 10])
def test_a_column_with_two_values_has_two_quantile_bins_wherever_the_weight_is(n_bins):
    x = np.array([[0.5, -0.5], [0.5, -0.5], [2.5, -2.5]])
    for heavy in ([1.0, 1.0, 1e6], [1e6, 1.0, 1.0], None):
        weight = None if heavy is None else np.array(heavy)
        assert [c.tolist() for c in quantile_bins(x, n_bins, weight).cuts] == [[0.5], [-2.5]]
    repeated = np.repeat(x, [1, 1, 100], axis=0).astype(np.float32)
    assert [c.tolist() for c in quantile_bins(repeated, n_bins).cuts] == [[0.5], [-2.5]]


def test_quantile_bins_hold_equal_shares():
    x = np.random.default_rng(0).permutation(1000).astype(float)[:, None]
    assert np.bincount(code(x, discrete=np.array([False])).codes[0]).tolist() == [100] * 10


# ---- supervised bins ---------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), min_size=1, max_size=80),
    sharp=st.booleans(),
    data=st.data(),
)
def test_supervised_cuts_are_the_definition(rows, sharp, data):
    x, y = np.array(rows, dtype=float).T
    y = np.where(x > 6, 2, y) if sharp else y  # often something to cut off
    x[data.draw(st.integers(0, len(x) - 1))] = np.nan
    weight = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(x), max_size=len(x))), dtype=float)
    for given_weight in (None, weight):
        (cuts,) = supervised_bins(x[:, None], y.astype(np.int32), 3, given_weight).cuts
        np.testing.assert_array_equal(cuts, slow.supervised_cuts(x, y, given_weight))


def test_supervised_cuts_on_many_rows_and_classes():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=3000), rng.normal(size=3000), np.zeros(3000)])
    y = np.digitize(X[:, 0], [-1.2, 0.1, 0.8]).astype(np.int32)
    for data in (X, X.astype(np.float32), np.asfortranarray(X)):
        cuts = supervised_bins(data, y, 4).cuts
        assert [len(c) for c in cuts] == [3, 0, 0]
        below = [data[data[:, 0] <= t, 0].max() for t in (-1.2, 0.1, 0.8)]
        np.testing.assert_allclose(cuts[0], below)
    one, two = (supervised_bins(X, y, 4, n_threads=n).cuts[0].tobytes() for n in (1, 2))
    assert one == two


def test_supervised_cuts_do_not_depend_on_the_names_of_classes_or_on_the_scale():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 5))
    y = (X @ rng.normal(size=5) > 0).astype(np.int32) + (X[:, 1] > 1)
    a = supervised_bins(X, y, 3).codes(X)
    b = supervised_bins(X, np.array([2, 0, 1], np.int32)[y], 3).codes(X)
    c = supervised_bins(np.exp(X), y, 3).codes(np.exp(X))
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(a, c)


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_hardly_ever_cut(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(500, 200)), rng.integers(0, 3, 500).astype(np.int32)
    assert sum(len(c) > 0 for c in supervised_bins(X, y, 3).cuts) <= 4


# ---- statistics --------------------------------------------------------------------------------------------------


def blocks(X, weight, at):
    starts = [0, *at]
    parts = zip(np.split(X, at), np.split(classes(X), at), np.split(weight, at), strict=True)
    return [Block(x, y, w, start) for (x, y, w), start in zip(parts, starts, strict=True)]


def classes(X):
    return (np.nan_to_num(X[:, 0]) > 0).astype(float)


@pytest.mark.parametrize("statistic", [RowSample(), RowSample(size=16), Distinct(50, np.array([True, False, True]))])
@pytest.mark.parametrize("seed", range(5))
def test_any_split_merged_in_any_order_gives_the_same_bins(statistic, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 3)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    weight = rng.integers(0, 3, 80).astype(float)
    at = sorted(rng.integers(0, 80, 2).tolist())
    a, b, c = (statistic.of(block) for block in blocks(X, weight, at))
    whole = statistic.of(Block(X, classes(X), weight, 0))
    for merged in (a.merge(b).merge(c), a.merge(b.merge(c)), c.merge(b).merge(a), statistic.merge(a).merge(c.merge(b))):
        for mine, theirs in zip(_cuts(merged), _cuts(whole), strict=True):
            np.testing.assert_array_equal(mine, theirs)


def _cuts(statistic):
    if isinstance(statistic, RowSample):
        return statistic.quantile_bins(5).cuts + statistic.supervised_bins(Bins((np.array([0.0]),))).cuts
    return tuple(np.array([]) if v is None else v for v in statistic.values)


def test_small_streams_have_exact_quantiles_and_large_ones_within_the_bound():
    rng = np.random.default_rng(1)
    x = np.sort(rng.exponential(size=20_000))[rng.permutation(20_000)]
    exact, rough = RowSample(), RowSample(size=4096)
    for start in range(0, 20_000, 3000):
        block = Block(x[start : start + 3000, None], None, None, start)
        exact, rough = exact.merge(exact.of(block)), rough.merge(rough.of(block))
    assert exact.exact
    assert not rough.exact
    np.testing.assert_array_equal(exact.quantile_bins(10).cuts[0], quantile_bins(x[:, None]).cuts[0])
    shares = [(x <= cut).mean() for cut in rough.quantile_bins(10).cuts[0]]
    bound = np.sqrt(np.log(2 / 1e-6) / (2 * 4096))  # Dvoretzky–Kiefer–Wolfowitz at δ = 1e-6
    assert np.abs(np.array(shares) - np.arange(1, 10) / 10).max() < bound


def test_distinct_gives_up_beyond_the_most():
    X = np.arange(6.0)[:, None] % 4
    assert Distinct(4, np.array([True])).of(Block(X, None, None, 0)).values[0].tolist() == [0, 1, 2, 3]
    assert Distinct(3, np.array([True])).of(Block(X, None, None, 0)).values == (None,)


# ---- coding a matrix ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", [bool, np.uint8, np.int8, np.int16, np.uint32, np.int32, np.int64, np.float32, np.float64]
)
@pytest.mark.parametrize("order", ["C", "F", "strided"])
@pytest.mark.parametrize("n, p", [(1, 1), (7, 3), (131, 70)])
def test_discrete_codes_name_the_values(dtype, order, n, p):
    rng = np.random.default_rng(n)
    X = rng.integers(0, 2 if dtype is bool else 9, (n, p)).astype(dtype)
    if np.dtype(dtype).kind == "f":
        X[rng.random(X.shape) < 0.1] = np.nan
        X[:, 0] = np.nan
    view = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3] if order == "strided" else np.array(X, order=order)
    coded = code(view, discrete=np.ones(p, bool))
    for j in range(p):
        assert same_cells(coded.codes[j], named(X[:, j]))
        assert coded.codes[j].max() < coded.levels[j]


@pytest.mark.parametrize("low", [-(2**40), -7, 0, 2**40, 2**60])
@pytest.mark.parametrize("spread", [1, 9, 10, 254, 255, 400, 70_000])
def test_wide_and_distant_whole_numbers_keep_their_values(low, spread):
    rng = np.random.default_rng(spread)
    x = np.concatenate([[0, spread], rng.integers(0, spread + 1, 500)])
    X = np.stack([low + x * (1 << 10 if low == 2**60 else 1), x], axis=1)  # 2⁶⁰ is exact in float64 to 2⁸ only
    coded = code(X, discrete=np.ones(2, bool))
    assert same_cells(coded.codes[0], named(X[:, 0]))
    assert same_cells(coded.codes[1], named(X[:, 1]))


def test_a_hundred_thousand_levels():
    x = np.random.default_rng(0).permutation(100_000).astype(float) * 1.5
    coded = code(x[:, None], discrete=np.array([True]))
    assert coded.levels[0] == 100_000
    np.testing.assert_array_equal(coded.codes[0], np.argsort(np.argsort(x)))


def test_which_columns_are_discrete_by_themselves():
    x = np.arange(200.0)
    X = np.stack([x % 10, x % 11, x % 2 * 1000, x % 3 + 0.5, np.where(x > 5, np.nan, x), 0 * x, x % 10 * 50], axis=1)
    assert code(X).discrete.tolist() == [True, False, True, False, True, True, True]


def test_infinite_values_are_refused_by_name():
    with pytest.raises(InputError, match=r"infinity in 'x1'"):
        code(np.array([[1.0, np.inf], [2.0, 0.0]]))


def test_rows_of_weight_zero_and_repeated_rows_in_bins():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    weight = rng.integers(0, 3, 60)
    repeated = quantile_bins(np.repeat(X, weight, axis=0)).cuts
    for a, b in zip(quantile_bins(X, weight=weight.astype(float)).cuts, repeated, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "y, n_classes, classes",
    [
        (np.tile([3.0, 1.0], 20), 2, [1, 3]),
        (np.arange(400.0) % 26, 10, None),  # 15 rows per class: numbers
        (np.arange(600.0) % 26, 26, list(range(26))),
        (np.linspace(0, 1, 500), 10, None),
        (np.array([0.5, 1.5] * 9), 2, None),
    ],
)
def test_whether_a_target_has_classes(y, n_classes, classes):
    target = code_target(y)
    assert target.n_classes == n_classes
    assert (None if target.values is None else target.values.tolist()) == classes
    assert target.codes.max() < n_classes


def test_the_task_can_be_said():
    y = np.arange(60.0) % 20
    assert code_target(y, task="classification").n_classes == 20
    assert code_target(np.tile([0.0, 1.0, 2.0], 20), task="regression").values is None


@pytest.mark.parametrize("weight", [np.array([1.0, 1.0, 1.0, 1e6]), None])
def test_a_continuous_target_with_almost_all_weight_on_its_highest_value_has_two_classes(weight):
    y = np.array([0.5, 1.5, 1.5, 2.5])
    repeats = np.ones(4, int) if weight is not None else [1, 1, 1, 1000]
    target = code_target(np.repeat(y, repeats), weight=weight)
    assert target.n_classes == 2
    assert target.codes.tolist() == np.repeat([0, 0, 0, 1], repeats).tolist()


def test_a_target_with_one_value_is_refused_as_what_it_is():
    y = np.full(5, 2.5)
    with pytest.raises(InputError, match="y has only one value in all rows"):
        code_target(y, task="regression")
    with pytest.raises(InputError, match="y has only one class in all rows"):
        code_target(y, task="classification")


def test_sparse_blocks_are_sampled_like_dense_ones():
    X = sp.random_array((200, 4), density=0.3, rng=np.random.default_rng(0), format="csr")
    a, b = (RowSample(size=64).of(Block(x, None, None, 0)).quantile_bins(4).cuts for x in (X, X.toarray()))
    for mine, theirs in zip(a, b, strict=True):
        np.testing.assert_array_equal(mine, theirs)
