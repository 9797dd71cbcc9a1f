"""Columns that lie far from zero against their spread, and sums that do not lose it.

About zero, the sums of a column with mean m and standard deviation d have m²/d² times the rounding that they have about
a point near m. Of a sparse column that point makes −m of every entry that is not stored, so the column is held dense;
it can be far only where nearly all entries are stored: without a share f of the rows, d² ≥ f(1 − f)(m/(1 − f))², hence
m²/d² ≤ (1 − f)/f.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

FAR = 16.0  # standard deviations: sums of squares about zero lose FAR² ε of a variance
CONSTANT = 8 * np.finfo(float).eps  # of a mean: a standard deviation below it is rounding
RUN = 1 << 17  # entries counted at a time, or as many as there are columns
SLAB_BYTES = 1 << 24  # of columns held dense at a time


def far_columns(X: Any, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the columns of a CSR or CSC array whose mean is beyond FAR standard deviations, and these means.

    ``share`` are row weights that sum to 1.
    """
    S, means = [np.zeros(0, np.intp)], [np.zeros(0)]
    for part, mean, variance in nearly_full_moments(X, share):
        far = beyond(mean, variance, FAR)
        S.append(part[far])
        means.append(mean[far])
    return np.concatenate(S), np.concatenate(means)


def beyond(mean: np.ndarray, variance: np.ndarray, far: float) -> np.ndarray:
    """Which means are more than ``far`` standard deviations away from zero; none that is no number."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.isfinite(variance) & (mean**2 > far**2 * variance)


def real_variance(variance: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """The variances, exactly 0 where they are what rounding left of a constant column; one that is no number stays so,
    for whoever looks at it to complain.
    """
    constant = np.sqrt(np.maximum(variance, 0.0)) <= CONSTANT * np.abs(mean)
    return np.where(constant & np.isfinite(variance), 0.0, variance)


def nearly_full_moments(X: Any, share: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Positions, means and variances of the sparse columns with so few entries missing that they may be far."""
    S = np.flatnonzero(_most_weight(X, share) >= 1 - 1 / (1 + FAR**2))
    step = max(1, SLAB_BYTES // (8 * max(1, X.shape[0])))
    for k in range(0, len(S), step):
        part = S[k : k + step]
        yield part, *dense_moments(columns_minus(X, part, 0.0), share)


def _most_weight(X: Any, share: np.ndarray) -> np.ndarray:
    """For every column the most that rows can weigh which have an entry, from their number alone."""
    stored = np.diff(X.indptr) if X.format == "csc" else _counted(X.indices, X.shape[1])
    return np.append(0.0, np.cumsum(np.sort(share)[::-1]))[stored]


def _counted(indices: np.ndarray, p: int) -> np.ndarray:
    """How often each of 0 … p − 1 occurs, some at a time: bincount makes 64 bits of what it is given."""
    counts, step = np.zeros(p, np.intp), max(RUN, p)
    for k in range(0, len(indices), step):
        counts += np.bincount(indices[k : k + step], minlength=p)
    return counts


def columns_minus(X: Any, S: np.ndarray, c: Any) -> np.ndarray:
    """The columns S of a sparse array minus c, dense, in column order and float64."""
    return np.asfortranarray(X[:, S].toarray(order="F"), dtype=np.float64) - c


def dense_moments(D: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of dense columns about a first mean; of a constant one its number and exactly 0.

    Rows without weight have no part in it, whatever they hold.
    """
    used = share > 0
    D, share = (D, share) if used.all() else (D[used], share[used])
    with np.errstate(invalid="ignore", over="ignore"):
        first = share @ D
        d = D - first
        shift = share @ d
        variance = np.maximum(share @ d**2 - shift**2, 0.0)
        constant = D.max(axis=0) == D.min(axis=0)
    return np.where(constant, D[0], first + shift), np.where(constant, 0.0, variance)


def exact_sum(start: float, a: np.ndarray, b: np.ndarray) -> float:
    """start + Σ aⱼ bⱼ, rounded once: large terms may cancel without a trace (Dekker 1971, Shewchuk 1997)."""
    product, rest = _two_product(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    total = float(start) + float(product.sum())
    return math.fsum([float(start), *product.tolist(), *rest.tolist()]) if math.isfinite(total) else total


def _two_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a b rounded, and what rounding took off."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    high = 134217729.0 * a  # 2²⁷ + 1
    high = high - (high - a)
    return high, a - high
