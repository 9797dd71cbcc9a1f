"""Relief and ReliefF: the book's numbers, the definitions, ties and gaps, and what marginal scores miss."""

from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from reference import relief as slow
from tamis import MultiSURF, Relief, ReliefF, RReliefF, SubsetSelector
from tamis.datasets import load_watermelon
from tamis.selection import ReliefWeight
from tamis.selection.relief.row_storage import StreamedStorage
from tamis.sources import as_source

ROUNDING = 1e-12
KINDS = ["conditional", "prior", "equal"]
FAMILY = [Relief(), ReliefF(n_neighbors=4), MultiSURF(), RReliefF(n_neighbors=9)]
NOMINAL = np.array([True] * 6 + [False] * 2)


@pytest.fixture(scope="module")
def melons():
    bunch = load_watermelon()
    columns = [pd.Series(c).infer_objects() for c in np.asarray(bunch.data).T]
    coded = [c if pd.api.types.is_numeric_dtype(c) else pd.factorize(c)[0] for c in columns]
    return np.column_stack(coded).astype(float), np.asarray(bunch.target)


def test_relief_on_the_watermelons_is_the_definition(melons):
    X, y = melons
    found = Relief(discrete=NOMINAL).fit(X, y)
    np.testing.assert_allclose(found.relevance_, slow.relief(X, NOMINAL, y).relevance, atol=ROUNDING)


def test_relief_f_on_the_watermelons(melons):
    X, y = melons
    found = ReliefF(n_neighbors=1, miss_weight="prior", power=2, discrete=NOMINAL).fit(X, y)
    sums = len(y) * found.relevance_
    np.testing.assert_array_equal(sums.round(2), [-8.94, 0.47, -3.12, 3.00, 3.41, -5.53, -1.02, 0.55])


def test_a_case_by_hand():
    """Rows 0, .2 and 1 of class 0, rows .5 and .9 of class 1: hits .2, 0, .2 and .9, .5; misses .5, .5, .9, .2, 1."""
    X = np.array([[0.0], [0.2], [1.0], [0.5], [0.9]])
    y = np.array([0, 0, 0, 1, 1])
    hits = np.array([0.2, 0.2, 0.8, 0.4, 0.4])
    misses = np.array([0.5, 0.3, 0.1, 0.3, 0.1])
    assert Relief(power=1).fit(X, y).relevance_[0] == pytest.approx((misses - hits).mean(), abs=ROUNDING)
    assert Relief().fit(X, y).relevance_[0] == pytest.approx((misses**2 - hits**2).mean(), abs=ROUNDING)
    pooled = np.sqrt((hits.var(ddof=1) + misses.var(ddof=1)) / 2)
    error = Relief(power=1).fit(X, y).standard_errors_[0]
    assert error == pytest.approx(pooled * np.sqrt(1 / 5 + 1 / 5), abs=ROUNDING)


def same(found, expected):
    """Errors to 1e-7: where all pairs differ alike, they are the root of what rounding leaves of a variance of 0."""
    np.testing.assert_allclose(found.relevance_, expected.relevance, atol=1e-10)
    np.testing.assert_allclose(found.standard_errors_, expected.standard_error, atol=1e-7)


def test_errors_are_stirs():
    """S_p √(1/|M| + 1/|H|) of the pairs of two classes, with the pooled variance of a t-test."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 2
    X[:, 0] += y
    found = ReliefF(n_neighbors=5, discrete="none").fit(X, y)
    expected = slow.relief_f(X, np.zeros(4, bool), y, 5)
    each, share = expected.each()
    hits, misses = each[share < 0], each[share > 0]
    assert len(hits) == len(misses) == 300
    pooled = np.sqrt((299 * hits.var(axis=0, ddof=1) + 299 * misses.var(axis=0, ddof=1)) / 598)
    np.testing.assert_allclose(found.standard_errors_, pooled * np.sqrt(1 / 300 + 1 / 300), rtol=1e-12)


@st.composite
def tables(draw):
    n, p = draw(st.integers(4, 40)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = np.where(rng.random(p) < 0.5, rng.integers(0, 3, (n, p)), rng.normal(size=(n, p)).round(1))
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    y = rng.integers(0, draw(st.integers(2, 3)), n)
    y[:2] = [0, 1]
    return X, rng.random(p) < 0.5, y


@settings(max_examples=60, deadline=None)
@given(table=tables(), k=st.integers(1, 12), power=st.sampled_from([1, 2]), kind=st.sampled_from(KINDS))
def test_relief_f_is_the_definition_with_ties_gaps_and_small_classes(table, k, power, kind):
    X, discrete, y = table
    found = ReliefF(n_neighbors=k, power=power, miss_weight=kind, discrete=discrete).fit(X, y)
    same(found, slow.relief_f(X, discrete, y, k, power, kind))


@settings(max_examples=60, deadline=None)
@given(table=tables(), power=st.sampled_from([1, 2]), kind=st.sampled_from(KINDS))
def test_multi_surf_is_the_definition(table, power, kind):
    X, discrete, y = table
    expected = slow.multi_surf(X, discrete, y, power, kind)
    assume(expected.margin > 1e-9)  # a row on the radius is in or out by the rounding of sums in another order
    found = MultiSURF(power=power, miss_weight=kind, discrete=discrete).fit(X, y)
    same(found, expected)


@settings(max_examples=40, deadline=None)
@given(table=tables(), k=st.integers(1, 50), sigma=st.sampled_from([0.5, 3.0, 20.0]), power=st.sampled_from([1, 2]))
def test_r_relief_f_is_the_definition(table, k, sigma, power):
    X, discrete, y = table
    y = y + np.random.default_rng(len(y)).normal(size=len(y))
    found = RReliefF(n_neighbors=k, sigma=sigma, power=power, discrete=discrete).fit(X, y)
    same(found, slow.r_relief_f(X, discrete, y, k, sigma, power))


@settings(max_examples=40, deadline=None)
@given(table=tables(), which=st.sampled_from(range(4)), k=st.integers(1, 6), power=st.sampled_from([1, 2]))
def test_a_weight_counts_as_equal_rows(table, which, k, power):
    X, discrete, y = table
    rng = np.random.default_rng(len(y))
    weight = rng.integers(0, 4, len(y))
    weight[:2] = [1, 2]
    options = {"power": power, "discrete": discrete}
    model = [
        Relief(**options),
        ReliefF(n_neighbors=k, **options),
        MultiSURF(**options),
        RReliefF(n_neighbors=k, **options),
    ][which]
    y = y + rng.normal(size=len(y)) if which == 3 else y
    weighted = clone(model).fit(X, y, sample_weight=weight)
    repeated = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.relevance_, repeated.relevance_, atol=1e-10)
    np.testing.assert_allclose(weighted.standard_errors_, repeated.standard_errors_, atol=1e-7)


@pytest.mark.parametrize("n, p", [(33, 3), (64, 300), (97, 70), (31, 1)])
def test_tiles_and_tails(n, p):
    rng = np.random.default_rng(n)
    X = np.column_stack([rng.normal(size=(n, p)), rng.integers(0, 3, (n, 2 * p))])
    discrete = np.arange(3 * p) >= p
    y = rng.integers(0, 3, n)
    found = ReliefF(n_neighbors=4, discrete=discrete).fit(X, y)
    same(found, slow.relief_f(X, discrete, y, 4))


def test_some_rows_are_a_part_of_all():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 5)), rng.integers(0, 2, 120)
    every = ReliefF(n_neighbors=3).fit(X, y)
    some = [ReliefF(n_neighbors=3, n_samples=40, random_state=seed).fit(X, y).relevance_ for seed in range(40)]
    assert np.abs(np.mean(some, axis=0) - every.relevance_).max() < 4 * every.standard_errors_.max() / np.sqrt(40)
    again = ReliefF(n_neighbors=3, n_samples=40, random_state=0).fit(X, y).relevance_
    np.testing.assert_array_equal(again, some[0])


def mixed(n=150, seed=1):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 4)), rng.integers(0, 3, (n, 40))])
    return X, rng.integers(0, 3, n)


@pytest.mark.parametrize("model", FAMILY, ids=lambda m: type(m).__name__)
def test_threads_dtypes_and_orders_change_nothing(model):
    X, y = mixed()
    y = y + X[:, 0] if isinstance(model, RReliefF) else y
    plain = clone(model).fit(X, y).relevance_
    alone, together = (clone(model).set_params(n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert alone.relevance_.tobytes() == together.relevance_.tobytes()
    assert alone.standard_errors_.tobytes() == together.standard_errors_.tobytes()
    np.testing.assert_array_equal(clone(model).fit(np.asfortranarray(X), y).relevance_, plain)
    single = clone(model).fit(X.astype(np.float32), y).relevance_
    np.testing.assert_allclose(single, plain, atol=1e-5)  # float32 holds seven digits; no neighbour changes here


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("model", FAMILY, ids=lambda m: type(m).__name__)
def test_sparse_rows_are_the_dense_ones(model, power):
    rng = np.random.default_rng(4)
    X = np.where(rng.random((90, 30)) < 0.2, rng.normal(size=(90, 30)).round(2), 0.0)
    X[:, 20:] = rng.poisson(0.3, (90, 10))
    X[:5, 3] = np.nan
    X[:, 7] = 0.0
    y = rng.normal(size=90) if isinstance(model, RReliefF) else rng.integers(0, 3, 90)
    weight = rng.integers(0, 3, 90)
    for w in (None, weight):
        dense = clone(model).set_params(power=power).fit(X, y, sample_weight=w)
        for sparse in (sp.csr_array(X), sp.csc_array(X)):
            found = clone(model).set_params(power=power).fit(sparse, y, sample_weight=w)
            np.testing.assert_allclose(found.relevance_, dense.relevance_, atol=1e-10)
            np.testing.assert_allclose(found.standard_errors_, dense.standard_errors_, atol=1e-8)
    removed = clone(model).set_params(n_features=3, removal=0.3)
    assert removed.fit(sp.csr_array(X), y).selected_features_ == clone(removed).fit(X, y).selected_features_


@contextmanager
def watched_blocks(monkeypatch):
    """How many rows the pieces hold that the kernels are given."""
    sizes = []
    pieces = StreamedStorage._filled

    def counted(self):
        for start, x, codes in pieces(self):
            sizes.append(len(x))
            yield start, x, codes

    monkeypatch.setattr(StreamedStorage, "_filled", counted)
    yield sizes


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("model", FAMILY, ids=lambda m: type(m).__name__)
def test_a_file_larger_than_memory_is_read_in_blocks_against_blocks(model, gaps, tmp_path, monkeypatch):
    X, y = mixed(300, 7)
    X[:9, 2:6] = np.nan if gaps else 0.5
    y = X[:, 0] if isinstance(model, RReliefF) else y
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(44)]).assign(y=y)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=70)
    discrete = [f"c{j}" for j in range(4, 44)]
    held = clone(model).set_params(discrete=discrete).fit(tmp_path / "t.parquet", "y")
    small = as_source(tmp_path / "t.parquet", "y", discrete=discrete)
    small.block_bytes = 8 * 45 * 70
    monkeypatch.setattr("tamis.selection.relief.table.HELD", 0.0)
    monkeypatch.setattr("tamis.selection.relief.weight_sums.ROOM", 1 << 15)
    streamed = clone(model)
    with watched_blocks(monkeypatch) as sizes:
        streamed.fit(small)
    assert max(sizes) < 300
    np.testing.assert_allclose(streamed.relevance_, held.relevance_, atol=ROUNDING)
    np.testing.assert_allclose(streamed.standard_errors_, held.standard_errors_, atol=1e-8)
    some = clone(streamed).set_params(n_samples=40, random_state=0, n_features=5, removal=0.5)
    few = some.fit(small).selected_features_
    monkeypatch.undo()
    assert clone(some).fit(small).selected_features_ == few


def test_genotypes_stay_bytes():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 3, (60, 500)).astype(np.int8)
    y = rng.integers(0, 2, 60)
    np.testing.assert_array_equal(ReliefF().fit(X, y).relevance_, ReliefF().fit(X.astype(float), y).relevance_)


def test_bytes_of_large_negative_and_read_only_numbers():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 3, (60, 8))
    y = rng.integers(0, 2, 60)
    plain = ReliefF().fit(X, y).relevance_
    apart = X * 100.0 - 150.0  # of width 200: bytes, some of them below 0
    np.testing.assert_array_equal(ReliefF(discrete="all").fit(apart, y).relevance_, plain)
    with_huge = np.column_stack([X, np.full(60, 1e300)])
    np.testing.assert_array_equal(ReliefF(discrete="all").fit(with_huge, y).relevance_[:8], plain)
    fixed = X.astype(np.int8)
    fixed.flags.writeable = False
    np.testing.assert_array_equal(ReliefF().fit(fixed, y).relevance_, plain)


def test_more_than_256_values_of_a_discrete_column():
    rng = np.random.default_rng(3)
    X = np.column_stack([np.arange(400.0), rng.normal(size=400)])
    y = rng.integers(0, 2, 400)
    discrete = np.array([True, False])
    found = ReliefF(n_neighbors=2, discrete=discrete).fit(X, y)
    same(found, slow.relief_f(X, discrete, y, 2))


@pytest.mark.parametrize("model", [ReliefF(2), MultiSURF(2)], ids=["ReliefF", "MultiSURF"])
def test_what_only_pairs_tell_is_found(model):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (300, 12))
    y = X[:, 3] ^ X[:, 8]
    assert sorted(model.fit(X, y).selected_features_) == [3, 8]
    marginal = SubsetSelector("ranking", n_features=2).fit(X, y).selected_features_
    assert sorted(marginal) != [3, 8]


def test_products_of_numbers_are_found_by_regression():
    rng = np.random.default_rng(8)
    X = rng.uniform(-1, 1, (400, 10))
    found = RReliefF(2).fit(X, X[:, 2] * X[:, 6])
    assert sorted(found.selected_features_) == [2, 6]
    assert not hasattr(found, "classes_")


def test_some_rows_are_asked_until_the_first_columns_are_settled():
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(6000, 8)), rng.integers(0, 2, 6000)
    X[:, :3] += y[:, None]
    every = ReliefF(3).fit(X, y)
    found = ReliefF(3, n_samples="auto", random_state=0).fit(X, y)
    assert found.status_ == "settled"
    assert found.n_samples_ < 6000
    assert set(found.selected_features_) == set(every.selected_features_) == {0, 1, 2}
    undecided = X[:, [0, 0, 5]]  # two are equal, and one of them is second: never settled
    alike = ReliefF(2, n_samples="auto", random_state=0).fit(undecided, y)
    assert (alike.status_, alike.n_samples_) == ("finished", 6000)
    np.testing.assert_allclose(alike.relevance_, ReliefF().fit(undecided, y).relevance_, atol=ROUNDING)


def test_time_ends_the_asking():
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(3000, 4)), rng.integers(0, 2, 3000)
    found = ReliefF(2, n_samples="auto", time_limit=1e-9, random_state=0).fit(X, y)
    assert (found.status_, found.n_samples_) == ("time_limit", 256)
    assert len(found.selected_features_) == 2


@pytest.mark.parametrize("model", [ReliefF, MultiSURF, RReliefF], ids=lambda m: m.__name__)
def test_asking_in_lots_is_asking_all_at_once(model, monkeypatch):
    monkeypatch.setattr("tamis.selection.relief.sampling.FIRST", 20)
    monkeypatch.setattr("tamis.selection.relief.sampling.is_settled", lambda *_: False)
    X, y = mixed()
    lots = model(3, n_samples="auto", random_state=0).fit(X, y)
    every = model(3).fit(X, y)
    np.testing.assert_allclose(lots.relevance_, every.relevance_, atol=ROUNDING)
    np.testing.assert_allclose(lots.standard_errors_, every.standard_errors_, atol=1e-8)


def test_removal_weighs_the_rest_again():
    rng = np.random.default_rng(10)
    X = rng.integers(0, 2, (120, 60))
    y = X[:, 3] ^ X[:, 8]
    found = ReliefF(2, removal=0.5).fit(X, y)
    assert sorted(found.selected_features_) == [3, 8]
    by_hand = np.arange(60)
    for size in (30, 15, 7, 3, 2):
        relevance = ReliefF().fit(X[:, by_hand], y).relevance_
        by_hand = np.sort(by_hand[np.argsort(-relevance, kind="stable")[:size]])
    last = ReliefF().fit(X[:, by_hand], y)
    np.testing.assert_allclose(found.relevance_[by_hand], last.relevance_, atol=ROUNDING)
    np.testing.assert_allclose(found.standard_errors_[by_hand], last.standard_errors_, atol=ROUNDING)


def test_thresholds_and_names():
    frame = pd.DataFrame({"noise": np.tile([0.0, 1.0, 2.0, 3.0], 10), "signal": np.repeat([0.0, 1.0], 20)})
    found = Relief().fit(frame, ["a"] * 20 + ["b"] * 20)
    assert found.selected_features_ == ["signal"]
    assert found.classes_.tolist() == ["a", "b"]
    assert Relief(threshold=-2).fit(frame, ["a"] * 20 + ["b"] * 20).selected_features_ == ["signal", "noise"]


EDGES = {
    "a class with fewer rows than neighbours": (np.arange(12.0).reshape(6, 2), [0, 0, 0, 1, 1, 2]),
    "all rows equally far": (np.eye(6), [0, 1, 2, 0, 1, 2]),
    "all rows equal": (np.ones((6, 3)), [0, 1, 0, 1, 0, 1]),
    "constant columns": (np.column_stack([np.zeros(6), np.arange(6.0), np.ones(6)]), [0, 0, 0, 1, 1, 1]),
    "a column without values": (np.column_stack([np.full(6, np.nan), np.arange(6.0)]), [0, 0, 0, 1, 1, 1]),
    "a row without values": (np.vstack([np.full((1, 3), np.nan), np.arange(15.0).reshape(5, 3)]), [0, 0, 0, 1, 1, 1]),
    "no value at all": (np.full((6, 2), np.nan), [0, 1, 0, 1, 0, 1]),
    "two rows": (np.array([[0.0], [1.0]]), [0, 1]),
    "one column": (np.arange(6.0)[:, None], [0, 0, 1, 1, 0, 1]),
    "a class that never has that value": (np.array([[0.0], [np.nan], [np.nan], [np.nan]]), [0, 0, 1, 1]),
}


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("model", FAMILY, ids=lambda m: type(m).__name__)
def test_edges_are_the_definition(model, edge):
    X, y = EDGES[edge][0], np.array(EDGES[edge][1])
    discrete = np.zeros(X.shape[1], bool)
    found = clone(model).set_params(power=1, discrete=discrete, threshold=-9.0).fit(X, y)
    definition = {
        Relief: lambda: slow.relief(X, discrete, y, 1),
        ReliefF: lambda: slow.relief_f(X, discrete, y, 4),
        MultiSURF: lambda: slow.multi_surf(X, discrete, y),
        RReliefF: lambda: slow.r_relief_f(X, discrete, y, 9),
    }[type(model)]
    expected = definition()
    np.testing.assert_allclose(found.relevance_, expected.relevance, atol=ROUNDING)
    np.testing.assert_allclose(found.standard_errors_, expected.standard_error, atol=1e-7)
    assert np.isfinite(found.relevance_).all()
    untold = np.array([np.unique(c[~np.isnan(c)]).size < 2 for c in X.T])
    if not np.isnan(X[:, ~untold]).any():
        np.testing.assert_array_equal(found.relevance_[untold], 0.0)


def test_rows_twice_are_weights_of_two():
    X, y = mixed(40)
    doubled = ReliefF(n_neighbors=3).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2)).relevance_
    weighted = ReliefF(n_neighbors=3).fit(X, y, sample_weight=np.full(40, 2.0)).relevance_
    np.testing.assert_allclose(weighted, doubled, atol=ROUNDING)


@pytest.mark.parametrize(
    "bad, argument",
    [
        (Relief(power=3), "power"),
        (ReliefF(n_neighbors=0), "n_neighbors"),
        (ReliefF(miss_weight="x"), "miss_weight"),
        (Relief(n_features=9), "n_features"),
        (Relief(2, threshold=0.1), "give one"),
        (Relief(n_samples=0), "n_samples"),
        (Relief(n_samples="all"), "n_samples"),
        (Relief(2, n_samples="all"), "n_samples"),
        (Relief(n_samples="auto"), "n_features: how many"),
        (Relief(removal=0.1), "n_features: how many"),
        (Relief(1, removal=1.5), "removal"),
        (Relief(1, removal=0.1, n_samples="auto"), "removal"),
        (Relief(1, time_limit=3), "time_limit"),
        (Relief(fdr=0.1, n_features=1), "give one"),
        (Relief(fdr=1.5), "fdr"),
        (Relief(fdr=0.1, n_permutations=0), "n_permutations"),
        (Relief(n_permutations=-1), "n_permutations"),
        (RReliefF(sigma=0), "sigma"),
        (MultiSURF(miss_weight="x"), "miss_weight"),
    ],
)
def test_bad_arguments_are_named(bad, argument):
    with pytest.raises(ValueError, match=argument):
        bad.fit(np.arange(12.0).reshape(6, 2), [0, 1] * 3)


def test_complaints_come_before_the_work(monkeypatch):
    def work(*_, **__):
        raise AssertionError("the rows were read")

    monkeypatch.setattr("tamis.selection.relief.base.read_table", work)
    for bad in (Relief(n_features=9), Relief(fdr=0.1, n_permutations=0)):
        with pytest.raises(ValueError, match=r"n_features|n_permutations"):
            bad.fit(np.arange(12.0).reshape(6, 2), [0, 1] * 3)


def test_one_class_and_infinite_values():
    with pytest.raises(ValueError, match="only one class"):
        Relief().fit(np.eye(3), [1, 1, 1])
    with pytest.raises(ValueError, match="only one class"):
        Relief().fit(np.eye(3), [1, 1, 2], sample_weight=[1, 1, 0])
    with pytest.raises(ValueError, match="only one value"):
        RReliefF().fit(np.eye(3), [1, 1, 1])
    with pytest.raises(ValueError, match="take ReliefF"):
        RReliefF().fit(np.eye(3), ["a", "b", "b"])
    with pytest.raises(ValueError, match="infinity in 'x1'"):
        Relief().fit(sp.csr_array([[0, 1.0], [1, np.inf], [2, 3]]), [0, 1, 0])
    with pytest.raises(ValueError, match="infinity in 'x1'"):
        Relief().fit(np.array([[0, 1.0], [1, np.inf], [2, 3]]), [0, 1, 0])


def test_the_task_can_be_said():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 20
    with pytest.raises(ValueError, match="y is continuous"):
        ReliefF().fit(X, y)
    assert len(ReliefF(task="classification").fit(X, y).classes_) == 20
    with pytest.raises(ValueError, match="task"):
        ReliefF(task="regression").fit(X, y)
    ranking = SubsetSelector("ranking", ReliefWeight(), n_features=1).fit(X, y)
    np.testing.assert_array_equal(ranking.scores_, RReliefF(n_neighbors=10).fit(X, y).relevance_)
    selector = SubsetSelector("ranking", ReliefWeight(task="classification"), n_features=1).fit(X, y)
    assert len(selector.classes_) == 20
    with pytest.raises(ValueError, match="task"):
        SubsetSelector("ranking", ReliefWeight(task="x"), n_features=1).fit(X, y % 2)


def test_numbers_of_which_most_are_the_highest_are_numbers():
    X = np.random.default_rng(6).normal(size=(60, 3))
    y = np.where(np.arange(60) < 5, np.linspace(0.1, 0.9, 60), 1.0)
    with pytest.raises(ValueError, match="y is continuous"):
        ReliefF().fit(X, y)
    expected = slow.r_relief_f(X, np.zeros(3, bool), y, 70)
    np.testing.assert_allclose(RReliefF(n_neighbors=70).fit(X, y).relevance_, expected.relevance, atol=1e-10)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("far", [1e8, 1e10])
@pytest.mark.parametrize("kind", [Relief, ReliefF, MultiSURF])
def test_sparse_columns_far_from_zero_are_compared_as_dense_ones(kind, far, power):
    """a² − 2ab + b² of numbers near 1e10 is their rounding."""
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((60, 4))
    y = (Z[:, 0] > 0).astype(int)
    X = Z + np.array([far, -far, 0.0, far])
    X[::3, 2] = 0.0
    X[7, 3] = np.nan
    dense = kind(power=power).fit(X, y).relevance_
    for storage in (sp.csr_array, sp.csc_array):
        np.testing.assert_allclose(kind(power=power).fit(storage(X), y).relevance_, dense, atol=ROUNDING)
