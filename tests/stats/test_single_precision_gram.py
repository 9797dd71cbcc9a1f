"""The Gram matrix in single precision keeps its promise on rounding."""

import numpy as np
import pytest

from reference.gram import moments
from tamis.stats.single_precision_gram import SinglePrecisionGram
from tolerances import ROUNDING


def table(case, n=5000, p=40):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, p))
    if case == "far from zero":
        X += 1e6
    if case == "sorted":
        X = np.sort(X, axis=0)
    if case == "one sign":  # sums that grow with every row lose the most
        X = np.abs(X) + 10 * (np.arange(n) % 2)[:, None]
    if case == "spikes":
        X[:: n // 3] *= 1e5
    return X, X[:, 0] + rng.standard_normal(n)


CASES = ["plain", "far from zero", "sorted", "one sign", "spikes"]


def exact(X, y, weight=None, about_means=True):
    """XᵀX/n with y for the last column, about the means or about zero, from extended precision."""
    total, mean, scatter = moments(X, y, weight)
    return (scatter / total + (0 if about_means else np.multiply.outer(mean, mean))).astype(float)


def row_weights(which, n):
    return {"none": None, "drawn": np.random.default_rng(5).exponential(size=n) * (np.arange(n) % 7 > 0)}[which]


@pytest.mark.parametrize("about_means", [True, False])
@pytest.mark.parametrize("weights", ["none", "drawn"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("case", CASES)
def test_within_the_bound_and_exact_with_the_target(case, order, weights, about_means):
    X, y = table(case)
    s = row_weights(weights, len(y))
    gram = SinglePrecisionGram.of(np.asarray(X, order=order), y, s, about_means=about_means, n_threads=2)
    G = exact(X, y, s, about_means)
    assert (np.abs(gram.G - G[:-1, :-1]) <= gram.rounding(np.eye(X.shape[1]))).all()
    scale = np.sqrt(np.diag(G))
    np.testing.assert_allclose(gram.q / scale[:-1] / scale[-1], G[:-1, -1] / scale[:-1] / scale[-1], atol=ROUNDING)
    np.testing.assert_allclose(gram.yy, G[-1, -1], rtol=ROUNDING)
    mean = moments(X, y, s)[1].astype(float)[:-1] if about_means else 0.0
    np.testing.assert_allclose(gram.mean, mean, rtol=ROUNDING)
    assert gram.weight == pytest.approx(len(y) if s is None else s.sum(), rel=ROUNDING)


@pytest.mark.parametrize("weights", ["none", "drawn"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("case", CASES)
def test_deviations_in_double(case, order, weights):
    X, y = table(case)
    s = row_weights(weights, len(y))
    gram = SinglePrecisionGram.of(np.asarray(X, order=order), y, s, deviations=True, n_threads=2)
    np.testing.assert_allclose(gram.deviations, np.sqrt(np.diag(exact(X, y, s))[:-1]), rtol=ROUNDING)


def test_rows_without_weight_may_hold_anything():
    X, y = table("plain", n=1000)
    s = np.ones(1000)
    s[::3] = 0
    spoilt, z = X.copy(), y.copy()
    spoilt[::3], z[::3] = np.nan, np.inf
    one, other = (SinglePrecisionGram.of(A, v, s, deviations=True) for A, v in ((X, y), (spoilt, z)))
    assert np.array_equal(one.G, other.G)
    assert np.array_equal(one.q, other.q)
    assert np.array_equal(one.deviations, other.deviations)


@pytest.mark.parametrize("case", CASES)
def test_within_the_bound_where_chunks_are_as_long_as_they_get(case):
    X, y = table(case, n=8 * 32 * 128 + 1000, p=3)  # eight chunks side by side, 32 steps of 128 rows in float32 each
    gram = SinglePrecisionGram.of(X, y, n_threads=2)
    assert (np.abs(gram.G - exact(X, y)[:-1, :-1]) <= gram.rounding(np.eye(3))).all()


@pytest.mark.parametrize("case", CASES)
def test_the_bound_is_not_idle(case):
    X, y = table(case)
    gram = SinglePrecisionGram.of(X, y)
    G = exact(X, y)[:-1, :-1]
    assert np.abs(gram.G - G).max() > 1e-12 * G.max()  # float32 it is
    assert (gram.rounding(np.eye(len(G))) < 1e-2 * np.sqrt(np.outer(np.diag(G), np.diag(G)))).all()


def test_bitwise_equal_for_any_number_of_threads():
    X, y = table("plain", n=3000)
    one, three = (SinglePrecisionGram.of(X, y, n_threads=k) for k in (1, 3))
    assert np.array_equal(one.G, three.G)
    assert np.array_equal(one.q, three.q)
    assert np.array_equal(one.spread, three.spread)


def spoil(X, what):
    X = X.copy()
    X[:, 1] = {"constant": 0.1, "tiny": 1e-30 * X[:, 1], "huge": 1e30 * X[:, 1]}.get(what, X[:, 1])
    X[0, 1] = {"missing": np.nan, "infinite": np.inf}.get(what, X[0, 1])
    return X


@pytest.mark.parametrize("what", ["constant", "tiny", "huge", "missing", "infinite"])
def test_not_usable_where_float32_cannot_follow(what):
    X, y = table("plain", n=400, p=3)
    assert SinglePrecisionGram.of(X, y).usable
    assert not SinglePrecisionGram.of(spoil(X, what), y).usable
