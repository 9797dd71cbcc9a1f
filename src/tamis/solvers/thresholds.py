"""Thresholding of vectors: soft, hard, and to the largest entries."""

from __future__ import annotations

from typing import Any

import numpy as np


def hard_threshold(v: Any, threshold: Any) -> np.ndarray:
    """H_τ(v): v where |v| > τ, else 0; of real or complex numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import hard_threshold, soft_threshold
    >>> v = np.array([3.0, -0.5, 1.0, -2.0])
    >>> hard_threshold(v, 1.0), soft_threshold(v, 1.0)
    (array([ 3.,  0.,  0., -2.]), array([ 2.,  0.,  0., -1.]))
    """
    v = np.asarray(v)
    return np.where(np.abs(v) > threshold, v, 0)


def soft_threshold(v: Any, threshold: Any) -> np.ndarray:
    """S_τ(v): v nearer to zero by τ, 0 where |v| ≤ τ; complex numbers keep their phase."""
    v = np.asarray(v)
    if v.dtype.kind != "c":
        return v - np.clip(v, -threshold, threshold)
    size = np.abs(v)
    shrunk: np.ndarray = v * (np.maximum(size - threshold, 0.0) / np.where(size > 0, size, 1.0))
    return shrunk


def largest(v: np.ndarray, k: int) -> np.ndarray:
    """Positions of the k largest |v|, ascending; of equals those of the lowest index. Zeros are never among them."""
    size = np.abs(v)
    k = min(k, int(np.count_nonzero(size)))
    if k <= 0:
        return np.zeros(0, np.intp)
    least = np.partition(size, len(size) - k)[len(size) - k]
    above, equal = np.flatnonzero(size > least), np.flatnonzero(size == least)
    return np.sort(np.concatenate([above, equal[: k - len(above)]]))


def keep_largest(v: np.ndarray, k: int) -> np.ndarray:
    """v with all but its k largest entries 0; of equals those of the lowest index stay."""
    out = np.zeros_like(v)
    S = largest(v, k)
    out[S] = v[S]
    return out
