"""The Gram matrix in single precision keeps its promise on rounding."""

import numpy as np
import pytest

from reference.gram import moments
from tamis.stats.half_gram import HalfGram
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


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("case", CASES)
def test_within_the_bound_and_exact_with_the_target(case, order):
    X, y = table(case)
    half = HalfGram.of(np.asarray(X, order=order), y, 2)
    total, mean, scatter = moments(X, y)
    G = (scatter / total).astype(float)
    unit = np.eye(X.shape[1])
    assert (np.abs(half.G - G[:-1, :-1]) <= half.doubt(unit) * half.spread).all()
    scale = np.sqrt(np.diag(G))
    np.testing.assert_allclose(half.q / scale[:-1] / scale[-1], G[:-1, -1] / scale[:-1] / scale[-1], atol=ROUNDING)
    np.testing.assert_allclose(half.yy, G[-1, -1], rtol=ROUNDING)
    np.testing.assert_allclose(half.mean, mean[:-1].astype(float), rtol=ROUNDING)


@pytest.mark.parametrize("case", CASES)
def test_within_the_bound_where_chunks_are_as_long_as_they_get(case):
    X, y = table(case, n=8 * 32 * 128 + 1000, p=3)  # eight chunks side by side, 32 steps of 128 rows in float32 each
    half = HalfGram.of(X, y, 2)
    G = (moments(X, y)[2] / len(y)).astype(float)[:-1, :-1]
    assert (np.abs(half.G - G) <= half.doubt(np.eye(3)) * half.spread).all()


@pytest.mark.parametrize("case", CASES)
def test_the_bound_is_not_idle(case):
    X, y = table(case)
    half = HalfGram.of(X, y, 1)
    G = (moments(X, y)[2] / len(y)).astype(float)[:-1, :-1]
    assert np.abs(half.G - G).max() > 1e-12 * G.max()  # float32 it is
    assert (half.doubt(np.eye(len(G))) * half.spread < 1e-2 * np.sqrt(np.outer(np.diag(G), np.diag(G)))).all()


def test_bitwise_equal_for_any_number_of_threads():
    X, y = table("plain", n=3000)
    one, three = HalfGram.of(X, y, 1), HalfGram.of(X, y, 3)
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
    assert HalfGram.of(X, y, 1).usable
    assert not HalfGram.of(spoil(X, what), y, 1).usable
