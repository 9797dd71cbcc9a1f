"""Orthogonal matching pursuit of many signals with codes z ≥ 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis._core.threads import blas_threads, free_thread, thread_count
from tamis._kernels import kernels
from tamis._kernels.interruption import InterruptibleThreads
from tamis.solvers.lasso_codes import _GramOfAtoms, row_squares
from tamis.solvers.omp import PursuitStatus, SparseCodes, StoppingRule, _join, _matrix, _parts, _Piece


def positive_omp_codes(
    X: Any,
    D: Any,
    *,
    n_nonzero: int | None = None,
    tol: float | None = None,
    noise: float | None = None,
    n_jobs: int | None = None,
) -> SparseCodes:
    """Codes z ≥ 0 of the rows of X (n, d) on the atoms in the rows of D (k, d); options as those of `omp_codes`.

    The atom with the largest ⟨dⱼ, r⟩ > 0 joins, z becomes the non-negative least squares fit on the atoms in use, and
    atoms whose coefficient is zero leave (Bruckstein, Elad & Zibulevsky 2008). Atoms should have unit length, for they
    are compared as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.solvers.positive_omp import positive_omp_codes
    >>> positive_omp_codes([[2.0, -3.0]], np.eye(2), n_nonzero=2).Z.toarray()
    array([[2., 0.]])
    """
    X, D = _matrix("X", X), _matrix("D", D)
    dtype = np.result_type(X, D)
    if X.shape[1] != D.shape[1]:
        raise InputError(f"X must be (n, d) and D (k, d) with atoms in rows, got {X.shape} and {D.shape}")
    X, D = X.astype(dtype, copy=False), np.ascontiguousarray(D, dtype=dtype)
    rule = StoppingRule.of(n_nonzero, tol, noise, min(D.shape))
    gram = _GramOfAtoms.of(D)

    def coded(part: slice) -> _Piece:
        Q, xx = np.ascontiguousarray(X[part] @ D.T), row_squares(X[part])
        limits = rule.limits(xx)
        counts, squares = np.empty(len(Q), np.int64), np.empty(len(Q))
        indices, values = kernels.positive_omp(gram.G, Q, xx, limits, rule.most, gram.room, counts, squares)
        ends = np.where(squares <= limits, PursuitStatus.REACHED, PursuitStatus.EXHAUSTED)
        statuses = np.where((squares > limits) & (counts == rule.most), PursuitStatus.FULL, ends).astype(np.int8)
        return _Piece(indices, values, counts, squares, statuses)

    with InterruptibleThreads(thread_count(n_jobs), free_thread) as pool, blas_threads(1):
        pieces = list(pool.map(coded, _parts(len(X), len(D))))
    return _join(pieces, len(D), dtype)
