"""Products of the columns with the targets, where the Gram matrix of the columns is known already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.sources.base import Source
from tamis.stats.gram import Gram

PROBES = 3  # columns whose products are compared with a given matrix
SAME = 1e-6  # relative: a matrix computed in float32 from float32 columns passes


@dataclass(frozen=True)
class CrossProducts:
    """Weighted sums over rows with targets Y about their means: Σ s x, Σ s x (y − ȳ)ᵀ, Σ s (y − ȳ)²."""

    weight: float
    y_mean: np.ndarray  # (K,)
    x_sum: np.ndarray  # (p,)
    xy: np.ndarray  # (p, K)
    yy: np.ndarray  # (K,)
    probes: np.ndarray  # the products of the probed columns, Σ s x_S x_Sᵀ


def cross_products(source: Source, y: np.ndarray, weight: np.ndarray | None, probed: np.ndarray) -> CrossProducts:
    """One pass over the rows; y (n,) or (n, K)."""
    n, p = len(y), source.n_features
    Y = y.reshape(n, -1)
    s = np.ones(n) if weight is None else weight
    total = float(s.sum())
    y_mean = s @ Y / total
    sY = s[:, None] * (Y - y_mean)
    x_sum, xy, products = np.zeros(p), np.zeros((p, Y.shape[1])), np.zeros((len(probed), len(probed)))
    for block in source.blocks():
        part = slice(block.start, block.start + len(block))
        x_sum += np.asarray(block.X.T @ s[part]).ravel()
        xy += block.X.T @ sY[part]
        P = _dense(block.X[:, probed])
        products += P.T @ (s[part, None] * P)
    return CrossProducts(total, y_mean, x_sum, xy, (sY * (Y - y_mean)).sum(axis=0), products)


def given_gram(source: Source, y: np.ndarray, weight: np.ndarray | None, G: np.ndarray) -> Gram:
    """The statistics of the rows with G for the products of the columns: XᵀX of rows weighted so that weights sum to n,
    about their means or not.
    """
    n, p = len(y), source.n_features
    probed = np.unique(np.linspace(0, p - 1, PROBES).astype(int))
    known = cross_products(source, y, weight, probed)
    mean = known.x_sum / known.weight
    scatter = G * (known.weight / n)
    about_means = known.probes - known.weight * np.multiply.outer(mean[probed], mean[probed])
    if _same(scatter[np.ix_(probed, probed)], known.probes) and not _same(known.probes, about_means):
        scatter = scatter - known.weight * np.multiply.outer(mean, mean)
    elif not _same(scatter[np.ix_(probed, probed)], about_means):
        i, j = probed[0], probed[-1]
        raise InputError(
            f"precompute is not XᵀX of these columns: entry ({i}, {j}) is {G[i, j]:.6g}, where X has "
            f"{known.probes[0, -1] * n / known.weight:.6g}, or {about_means[0, -1] * n / known.weight:.6g} "
            "about the means: give the matrix of the X and weights that are fitted"
        )
    gram = Gram()
    gram.n_rows, gram.n_features, gram.weight = n, p, known.weight
    gram.centre, gram.offset = np.append(mean, known.y_mean), np.zeros(p + 1)
    gram.scatter = np.block([[scatter, known.xy], [known.xy.T, known.yy[None]]])
    return gram


def _same(A: np.ndarray, B: np.ndarray) -> bool:
    return bool(np.allclose(A, B, rtol=SAME, atol=SAME * float(np.abs(B).max(initial=0.0))))


def _dense(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
