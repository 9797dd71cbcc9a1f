"""Relief and ReliefF: the book's numbers, the definitions, ties and gaps, and what marginal scores miss."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import relief as slow
from tamis import Relief, ReliefF, SubsetSelector
from tamis.datasets import load_watermelon
from tamis.selection import ReliefWeight

ROUNDING = 1e-12
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
    np.testing.assert_allclose(found.relevance_, slow.relief(X, NOMINAL, y), atol=ROUNDING)


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
    rows = misses - hits
    error = Relief(power=1).fit(X, y).standard_errors_[0]
    assert error == pytest.approx(rows.std(ddof=1) / np.sqrt(5), abs=ROUNDING)


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
@given(table=tables(), k=st.integers(1, 12), power=st.sampled_from([1, 2]), conditional=st.booleans())
def test_relief_f_is_the_definition_with_ties_gaps_and_small_classes(table, k, power, conditional):
    X, discrete, y = table
    found = ReliefF(
        n_neighbors=k, power=power, miss_weight="conditional" if conditional else "prior", discrete=discrete
    ).fit(X, y)
    expected = slow.relief_f(X, discrete, y, k, power, conditional)
    np.testing.assert_allclose(found.relevance_, expected, atol=1e-10)


@pytest.mark.parametrize("n, p", [(33, 3), (64, 300), (97, 70), (31, 1)])
def test_tiles_and_tails(n, p):
    rng = np.random.default_rng(n)
    X = np.column_stack([rng.normal(size=(n, p)), rng.integers(0, 3, (n, 2 * p))])
    discrete = np.arange(3 * p) >= p
    y = rng.integers(0, 3, n)
    found = ReliefF(n_neighbors=4, discrete=discrete).fit(X, y)
    np.testing.assert_allclose(found.relevance_, slow.relief_f(X, discrete, y, 4), atol=1e-10)


def test_some_rows_are_a_part_of_all():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 5)), rng.integers(0, 2, 120)
    every = ReliefF(n_neighbors=3).fit(X, y)
    some = [ReliefF(n_neighbors=3, n_samples=40, random_state=seed).fit(X, y).relevance_ for seed in range(40)]
    assert np.abs(np.mean(some, axis=0) - every.relevance_).max() < 4 * every.standard_errors_.max() / np.sqrt(40)
    again = ReliefF(n_neighbors=3, n_samples=40, random_state=0).fit(X, y).relevance_
    np.testing.assert_array_equal(again, some[0])


def test_threads_dtypes_orders_and_doors_change_nothing(tmp_path):
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=(150, 4)), rng.integers(0, 3, (150, 40))])
    y = rng.integers(0, 3, 150)
    plain = ReliefF().fit(X, y).relevance_
    assert ReliefF(n_jobs=1).fit(X, y).relevance_.tobytes() == ReliefF(n_jobs=2).fit(X, y).relevance_.tobytes()
    np.testing.assert_array_equal(ReliefF().fit(np.asfortranarray(X), y).relevance_, plain)
    np.testing.assert_allclose(ReliefF().fit(sp.csr_array(X), y).relevance_, plain, atol=ROUNDING)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(44)]).assign(y=y)
    frame.to_parquet(tmp_path / "t.parquet")
    np.testing.assert_allclose(ReliefF().fit(tmp_path / "t.parquet", "y").relevance_, plain, atol=ROUNDING)
    single = ReliefF().fit(X.astype(np.float32), y).relevance_
    np.testing.assert_allclose(single, plain, atol=1e-5)  # float32 holds seven digits; no neighbour changes here


def test_genotypes_stay_bytes():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 3, (60, 500)).astype(np.int8)
    y = rng.integers(0, 2, 60)
    np.testing.assert_array_equal(ReliefF().fit(X, y).relevance_, ReliefF().fit(X.astype(float), y).relevance_)


def test_more_than_256_values_of_a_discrete_column():
    rng = np.random.default_rng(3)
    X = np.column_stack([np.arange(400.0), rng.normal(size=400)])
    y = rng.integers(0, 2, 400)
    discrete = np.array([True, False])
    found = ReliefF(n_neighbors=2, discrete=discrete).fit(X, y).relevance_
    np.testing.assert_allclose(found, slow.relief_f(X, discrete, y, 2), atol=1e-10)


def test_what_only_pairs_tell_is_found():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (300, 12))
    y = X[:, 3] ^ X[:, 8]
    assert sorted(ReliefF(n_features=2).fit(X, y).selected_features_) == [3, 8]
    marginal = SubsetSelector("ranking", n_features=2).fit(X, y).selected_features_
    assert sorted(marginal) != [3, 8]


def test_thresholds_and_names():
    frame = pd.DataFrame({"noise": np.tile([0.0, 1.0, 2.0, 3.0], 10), "signal": np.repeat([0.0, 1.0], 20)})
    found = Relief().fit(frame, ["a"] * 20 + ["b"] * 20)
    assert found.selected_features_ == ["signal"]
    assert found.classes_.tolist() == ["a", "b"]
    assert Relief(threshold=-2).fit(frame, ["a"] * 20 + ["b"] * 20).selected_features_ == ["signal", "noise"]


def test_edges():
    X = np.column_stack([np.zeros(6), np.full(6, np.nan), [0, 0, 0, 1, 1, 1], np.ones(6)])
    y = np.array([0, 0, 0, 1, 1, 2])  # the last class has one row: it has no hit
    found = ReliefF().fit(X, y).relevance_
    assert found[[0, 1, 3]].tolist() == [0, 0, 0]
    assert found[2] > 0
    duplicated = ReliefF(n_neighbors=1).fit(np.repeat(X[:, [2]], 2, axis=0), np.repeat(y, 2)).relevance_
    assert np.isfinite(duplicated).all()


@pytest.mark.parametrize(
    "bad, argument",
    [
        (Relief(power=3), "power"),
        (ReliefF(n_neighbors=0), "n_neighbors"),
        (ReliefF(miss_weight="x"), "miss_weight"),
        (Relief(n_features=9), "n_features"),
        (Relief(2, threshold=0.1), "give one"),
        (Relief(n_samples=0), "n_samples"),
    ],
)
def test_bad_arguments_are_named(bad, argument):
    with pytest.raises(ValueError, match=argument):
        bad.fit(np.arange(12.0).reshape(6, 2), [0, 1] * 3)


def test_one_class_and_infinite_values():
    with pytest.raises(ValueError, match="only one class"):
        Relief().fit(np.eye(3), [1, 1, 1])
    with pytest.raises(ValueError, match="infinity in 'x1'"):
        Relief().fit(np.array([[0, 1.0], [1, np.inf], [2, 3]]), [0, 1, 0])


def test_the_task_of_a_weight_can_be_said():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 20
    with pytest.raises(ValueError, match="y is continuous"):
        SubsetSelector("ranking", ReliefWeight(), n_features=1).fit(X, y)
    told = SubsetSelector("ranking", ReliefWeight(task="classification"), n_features=1).fit(X, y)
    assert len(told.classes_) == 20
    with pytest.raises(ValueError, match="y is continuous"):
        SubsetSelector("ranking", ReliefWeight(task="regression"), n_features=1).fit(X, y % 2)
    with pytest.raises(ValueError, match="task"):
        SubsetSelector("ranking", ReliefWeight(task="x"), n_features=1).fit(X, y % 2)
