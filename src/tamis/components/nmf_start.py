"""Where NMF begins: non-negative parts of the largest singular vectors, or random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.checks import check_choice, check_real
from tamis._core.errors import InputError
from tamis.components.nmf_weights import WeighedRows
from tamis.solvers.svd import partial_svd

STARTS = ("auto", "nndsvd", "nndsvda", "random")
SVD_TOL = 1e-6  # a start needs no more


def start_of(
    rows: WeighedRows, k: int, init: Any, rng: np.random.Generator, positive: bool
) -> tuple[np.ndarray, np.ndarray]:
    """(W, H) for rows without gaps. ``positive``: for algorithms that leave zeros where they are."""
    X = rows.X
    if not isinstance(init, str):
        W, H = _given((rows.n_given, X.shape[1]), k, init)
        return rows.codes(W), H
    if init == "auto":
        init = "random" if k > min(X.shape) else "nndsvda" if positive else "nndsvd"
    mean = float(X.sum()) / (X.shape[0] * X.shape[1])
    if init == "random" or mean == 0:
        scale = np.sqrt(mean / k)
        return scale * np.abs(rng.standard_normal((X.shape[0], k))), scale * np.abs(
            rng.standard_normal((k, X.shape[1]))
        )
    W, H = nndsvd(X, k, rng)
    if init == "nndsvda":
        W[W == 0], H[H == 0] = mean, mean
    return W, H


def nndsvd(X: Any, k: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Of each singular pair the positive or the negative parts, whichever product is larger (Boutsidis & Gallopoulos
    2008)."""
    if k > min(X.shape):
        raise InputError(
            f"init='nndsvd' has at most {min(X.shape)} components for X of shape {X.shape}: use init='random'",
            argument="init",
        )
    found = partial_svd(X, k, tol=SVD_TOL if X.dtype == np.float64 else 1e-5, random_state=rng)
    U, s, Vt = found.U.astype(np.float64), found.s.astype(np.float64), found.Vt.astype(np.float64)
    W, H = np.zeros(U.shape), np.zeros(Vt.shape)
    for j in range(k):
        parts = [(np.maximum(sign * U[:, j], 0.0), np.maximum(sign * Vt[j], 0.0)) for sign in (1.0, -1.0)]
        sizes = [(np.linalg.norm(u), np.linalg.norm(v)) for u, v in parts]
        best = int(sizes[1][0] * sizes[1][1] > sizes[0][0] * sizes[0][1])
        (u, v), (a, b) = parts[best], sizes[best]
        if a > 0 and b > 0:
            size = np.sqrt(s[j] * a * b)
            W[:, j], H[j] = size * u / a, size * v / b
    return W, H


def check_init(init: Any) -> None:
    """One of the names, or a pair of matrices."""
    if isinstance(init, str):
        check_choice("init", init, STARTS)
    elif not (isinstance(init, (tuple, list)) and len(init) == 2 and all(np.ndim(part) == 2 for part in init)):
        options = ", ".join(repr(name) for name in STARTS)
        raise InputError(f"init must be one of {options} or a pair (W, H) of matrices; got {init!r}", argument="init")


def _given(shape: tuple[int, int], k: int, init: Any) -> tuple[np.ndarray, np.ndarray]:
    for part in init:
        check_real("init", np.asarray(part).dtype)
    W, H = (np.array(part, dtype=np.float64) for part in init)
    shapes = (shape[0], k), (k, shape[1])
    if (W.shape, H.shape) != shapes:
        raise InputError(
            f"init must hold W {shapes[0]} and H {shapes[1]}, got {W.shape} and {H.shape}", argument="init"
        )
    if not (np.isfinite(W).all() and np.isfinite(H).all() and (W >= 0).all() and (H >= 0).all()):
        raise InputError("init holds numbers that are negative or not finite", argument="init")
    return W, H


def without_gaps(X: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """X with the mean of its column where an entry is missing: for a start only."""
    count = observed.sum(axis=0)
    mean = (observed * X).sum(axis=0) / np.maximum(count, 1)
    return np.where(observed > 0, X, mean)


def is_negative(X: Any) -> bool:
    """Whether some entry is below zero; NaN is not."""
    values = X.data if sp.issparse(X) else X
    return bool(values.size) and bool(np.nanmin(values) < 0) if not np.isnan(values).all() else False
