"""Information gain: published numbers, agreement with scikit-learn, and what must hold of any gain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import mutual_info_classif

from reference import counts as slow
from tamis.selection import InformationGain, SubsetSelector, information_gain

AGREEMENT = 1e-12


@pytest.mark.parametrize(
    "weather, sport, bits",
    [
        ("sunny sunny sunny overcast overcast overcast rainy rainy", "yes yes no yes yes no no no", 0.3112781244591328),
        ("sunny sunny sunny sunny sunny overcast overcast rainy", "yes yes no yes no no yes no", 0.14315587846583212),
    ],
    ids=["worked", "printed"],
)
def test_weather(weather, sport, bits):
    X, y = np.array(weather.split(), dtype=object)[:, None], sport.split()
    assert information_gain(X, y)[0] == pytest.approx(bits, abs=AGREEMENT)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.float32, np.uint8])
def test_equals_scikit_learn_in_bits(dtype, order):
    rng = np.random.default_rng(0)
    X = np.array(rng.integers(0, 6, (500, 30)), dtype=dtype, order=order)
    y = rng.integers(0, 3, 500)
    y[X[:, 4] > 3] = 1
    expected = mutual_info_classif(X, y, discrete_features=True) / np.log(2)
    np.testing.assert_allclose(information_gain(X, y, discrete=True), expected, atol=AGREEMENT, rtol=0)
    fitted = SubsetSelector("ranking", n_features=3, discrete=True).fit(X, y)
    np.testing.assert_allclose(fitted.scores_, expected, atol=AGREEMENT, rtol=0)
    assert fitted.selected_features_[0] == 4


small = st.lists(st.integers(0, 3), min_size=12, max_size=12)


@settings(max_examples=60, deadline=None)
@given(columns=st.lists(small, min_size=1, max_size=4), y=small.filter(lambda v: len(set(v)) > 1), data=st.data())
def test_the_gain_of_a_subset_is_the_definition_with_weights(columns, y, data):
    X, y = np.array(columns).T, np.array(y)
    weight = np.array(data.draw(st.lists(st.integers(1, 3), min_size=12, max_size=12)), dtype=float)
    subset = tuple(range(X.shape[1]))
    for given_weight in (None, weight):
        fitted = SubsetSelector("ranking", n_features=X.shape[1]).fit(X, y, sample_weight=given_weight)
        assert fitted.score_ == pytest.approx(slow.gain(X[:, list(subset)], y, given_weight), abs=AGREEMENT)


def test_a_weight_is_a_repeated_row_and_zero_leaves_it_out():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=90), rng.integers(0, 4, 90)])
    y = (X[:, 0] + rng.normal(size=90) > 0).astype(int)
    weight = rng.integers(0, 4, 90)
    repeated = information_gain(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(information_gain(X, y, sample_weight=weight), repeated, atol=AGREEMENT, rtol=0)


def test_threads_do_not_change_a_bit():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(700, 40)), rng.integers(0, 3, 700)
    assert information_gain(X, y, n_jobs=1).tobytes() == information_gain(X, y, n_jobs=2).tobytes()


def test_renaming_values_and_classes_changes_nothing():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 4, (200, 5)), rng.integers(0, 3, 200)
    renamed = np.array(["d", "a", "c", "b"], dtype=object)[X]
    labels = np.array(["z", "x", "y"])[y]
    np.testing.assert_allclose(information_gain(renamed, labels), information_gain(X, y), atol=AGREEMENT, rtol=0)


def test_missing_values_are_a_value():
    X = np.array([[np.nan], [np.nan], [1.0], [1.0]])
    assert information_gain(X, [0, 0, 1, 1])[0] == 1.0


def test_edges():
    X = np.column_stack([np.zeros(4), np.full(4, np.nan), [0, 0, 1, 1]])
    np.testing.assert_array_equal(information_gain(X, ["a", "a", "b", "b"]), [0, 0, 1])
    rng = np.random.default_rng(0)
    many = rng.permutation(100_000)[:, None]
    y = rng.integers(0, 2, 100_000)
    assert information_gain(many, y, discrete=True)[0] == pytest.approx(slow.entropy(y), abs=AGREEMENT)


def test_a_continuous_target_is_cut_into_quantiles():
    x = np.random.default_rng(0).normal(size=1000)
    gains = information_gain(np.column_stack([x, np.zeros(1000)]), 3 * x + 1)
    np.testing.assert_allclose(gains, [np.log2(10), 0], atol=AGREEMENT)


def test_a_weighted_target_whose_quantiles_coincide_has_two_parts():
    x = np.random.default_rng(0).normal(size=200)
    y = np.minimum(x, np.quantile(x, 0.05))
    weight = np.where(y == y.max(), 100.0, 1.0)
    below = slow.gain((y < y.max())[:, None], y < y.max(), weight)  # all there is to know
    assert information_gain(y[:, None], y, sample_weight=weight)[0] == pytest.approx(below, abs=AGREEMENT)


def test_refining_gives_the_same_bits_whatever_was_asked_before():
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 3, (150, 6)), rng.integers(0, 2, 150)
    from tamis.sources import as_source

    evaluation = InformationGain()
    state, fresh = (evaluation.prepare(as_source(X, y)) for _ in range(2))
    evaluation.gains(state, (1, 2), (3, 4))
    evaluation.gains(state, (1, 2, 4), (0, 5))
    np.testing.assert_array_equal(evaluation.gains(state, (5,), (0, 1)), evaluation.gains(fresh, (5,), (0, 1)))
