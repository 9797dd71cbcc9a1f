"""Products with the targets in one pass are those of NumPy, and complete a given Gram matrix."""

import numpy as np
import pytest
import scipy.sparse as sp

from tamis import InputError, as_source
from tamis.stats import collect
from tamis.stats.cross_products import cross_products, given_gram
from tamis.stats.gram import Gram

RNG = np.random.default_rng(0)
X = RNG.normal(size=(70, 5)) * (RNG.random((70, 5)) < 0.7) + np.arange(5)
Y = RNG.normal(size=(70, 3)) + 2
WEIGHT = RNG.integers(0, 4, 70).astype(float)
STORED = {"dense": X, "sparse": sp.csr_array(X)}
EPS = 70 * np.finfo(float).eps  # 70 terms in another order


def source_of(stored, **kwargs):
    source = as_source(STORED[stored], **kwargs)
    source.block_bytes = 8 * 5 * 17  # several blocks
    return source


def moments_of(weight):
    mean = np.average(X, axis=0, weights=weight)
    return mean, np.average((X - mean) ** 2, axis=0, weights=weight)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("stored", STORED)
def test_products_are_those_of_numpy(stored, weight):
    probed = np.array([0, 3])
    s = np.ones(70) if weight is None else weight
    mean, _ = moments = moments_of(weight)
    ours = cross_products(source_of(stored), Y, weight, moments, probed)
    R = Y - s @ Y / s.sum()
    sizes = s @ np.abs(X)  # of the terms of each sum
    assert (np.abs(ours.xy - X.T @ (s[:, None] * R)) <= EPS * np.abs(R).max() * sizes[:, None]).all()
    np.testing.assert_allclose(ours.yy, (s[:, None] * R**2).sum(axis=0), rtol=EPS)
    Z = X[:, probed] - mean[probed]
    products = Z.T @ (s[:, None] * Z)
    np.testing.assert_allclose(ours.probes, products, rtol=0, atol=EPS * np.abs(products).max())


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
def test_a_given_matrix_makes_the_statistics_of_the_rows(weight, centred):
    y = Y[:, 0]
    s = np.ones(70) if weight is None else weight * 70 / weight.sum()
    Z = X - (s @ X / 70 if centred else 0)
    source = source_of("dense", y=y, sample_weight=weight)
    ours = given_gram(source, y, weight, moments_of(weight), Z.T @ (s[:, None] * Z))
    expected = collect(source, Gram())[0]
    squares = expected.weight * np.abs(X).max() ** 2  # about zero, from which the means are taken off
    np.testing.assert_allclose(ours.scatter, expected.scatter, rtol=0, atol=EPS * squares)
    np.testing.assert_allclose(ours.mean, expected.mean, rtol=0, atol=EPS * np.abs(X).max())


def test_a_matrix_of_other_columns_is_refused():
    with pytest.raises(InputError, match="precompute is not XᵀX of these columns"):
        given_gram(source_of("dense"), Y[:, 0], None, moments_of(None), np.eye(5))
