"""Products of the columns with the targets, where the Gram matrix of the columns is known already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis._core.far_columns import FAR, beyond, columns_minus
from tamis.sources.base import Source
from tamis.stats.gram import Gram

Moments = tuple[np.ndarray, np.ndarray]  # weighted mean and variance of every column

PROBES = 3  # columns whose products are compared with a given matrix
NONE = np.zeros(0, dtype=np.intp)
LOST = 1e4  # standard deviations: XᵀX about zero keeps eight digits of such a column's variance
SAME = 1e-10  # relative: products in double precision, summed in any order
SINGLE = 4 * float(np.finfo(np.float32).eps)  # times √n: products in single precision


@dataclass(frozen=True)
class CrossProducts:
    """Weighted sums over rows with targets Y about their means: Σ s x (y − ȳ)ᵀ, Σ s (y − ȳ)²."""

    weight: float
    y_mean: np.ndarray  # (K,)
    xy: np.ndarray  # (p, K)
    yy: np.ndarray  # (K,)
    probes: np.ndarray  # the products of the probed columns about their means, Σ s x̃_S x̃_Sᵀ


def cross_products(
    source: Source, y: np.ndarray, weight: np.ndarray | None, moments: Moments, probed: np.ndarray = NONE
) -> CrossProducts:
    """One pass over the rows, whose columns have these moments; y (n,) or (n, K)."""
    n, p, (mean, variance) = len(y), source.n_features, moments
    Y = y.reshape(n, -1)
    s = np.ones(n) if weight is None else weight
    total = float(s.sum())
    y_mean = s @ Y / total
    sY = s[:, None] * (Y - y_mean)
    far = np.flatnonzero(beyond(mean, variance, FAR))
    xy, products = np.zeros((p, Y.shape[1])), np.zeros((len(probed), len(probed)))
    for block in source.blocks():
        part = slice(block.start, block.start + len(block))
        xy += _products(block.X, mean, far, sY[part])
        P = _dense(block.X[:, probed]) - mean[probed]
        products += P.T @ (s[part, None] * P)
    return CrossProducts(total, y_mean, xy, (sY * (Y - y_mean)).sum(axis=0), products)


def _products(X: Any, mean: np.ndarray, far: np.ndarray, sY: np.ndarray) -> np.ndarray:
    """(X − 1 meanᵀ)ᵀ sY; sparse columns stay about zero but for those far from it.

    Over all rows sY sums to nothing, so the point makes no difference but to the rounding.
    """
    if not sp.issparse(X):
        return np.asarray((X - mean).T @ sY)
    xy = np.asarray(X.T @ sY)
    xy[far] = columns_minus(X, far, mean[far]).T @ sY
    return xy


def given_gram(
    source: Source, y: np.ndarray, weight: np.ndarray | None, moments: Moments, G: np.ndarray
) -> Gram | None:
    """The statistics of the rows with G for the products of the columns: XᵀX of rows weighted so that weights sum to n,
    about their means or not.

    None where G is that matrix to single precision only: it is that of other rows than these, whose solution it would
    prove.
    """
    n, p, (mean, variance) = len(y), source.n_features, moments
    probed = np.unique(np.linspace(0, p - 1, PROBES).astype(int))
    products = cross_products(source, y, weight, moments, probed)
    scatter = G.astype(np.float64, copy=False) * (products.weight / n)
    about_means = products.probes
    about_zero = products.probes + products.weight * np.multiply.outer(mean[probed], mean[probed])
    found, single = scatter[np.ix_(probed, probed)], max(SAME, SINGLE * n**0.5)
    if not (_same(found, about_zero, single) or _same(found, about_means, single)):
        i, j = probed[0], probed[-1]
        raise InputError(
            f"precompute is not XᵀX of these columns: entry ({i}, {j}) is {G[i, j]:.6g}, where X has "
            f"{about_zero[0, -1] * n / products.weight:.6g}, or {about_means[0, -1] * n / products.weight:.6g} "
            "about the means: give the matrix of the X and weights that are fitted"
        )
    centred = _same(found, about_means, SAME)
    if G.dtype == np.float32 or not (centred or _same(found, about_zero, SAME)):
        return None
    if not centred:
        _require_digits(mean, variance)
        scatter = scatter - products.weight * np.multiply.outer(mean, mean)
    gram = Gram()
    gram.n_rows, gram.n_features, gram.weight = n, p, products.weight
    gram.centre, gram.offset = np.append(mean, products.y_mean), np.zeros(p + 1)
    gram.scatter = np.block([[scatter, products.xy], [products.xy.T, products.yy[None]]])
    return gram


def _require_digits(mean: np.ndarray, variance: np.ndarray) -> None:
    """A matrix about zero has lost the spread of columns that lie far from it."""
    lost = np.flatnonzero(beyond(mean, variance, LOST) & (variance > 0))
    if len(lost):
        j = lost[0]
        raise InputError(
            f"precompute is XᵀX about zero, which does not hold the spread {np.sqrt(variance[j]):.3g} of column {j} "
            f"beside its mean {mean[j]:.3g}: give the matrix of X − X.mean(axis=0), or precompute=True"
        )


def _same(A: np.ndarray, B: np.ndarray, tol: float) -> bool:
    return bool(np.allclose(A, B, rtol=tol, atol=tol * float(np.abs(B).max(initial=0.0))))


def _dense(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
