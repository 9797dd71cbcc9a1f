"""Completion of a matrix by its nuclear norm: min ½‖P_Ω(X − M)‖² + α‖M‖_*, memory the observed entries and factors.

X is a csr_array whose stored entries are the observed ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from tamis._core.evidence import Diagnostics, Status
from tamis._core.progress import Steps, silent
from tamis._core.threads import blas_threads
from tamis._kernels import kernels
from tamis.operators import SparsePlusLowRank
from tamis.solvers.completion_gap import CompletionGap, completion_gap
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.multipliers import BESIDE, leading_triplets
from tamis.solvers.svd import Factors

SMALL = 250_000  # entries in all of a matrix that is written out and given to LAPACK
SURE_STEP = 1.9  # of singular value thresholding, which converges for any step below 2
PAD = 4  # the kernels read rows of factors by four numbers


@dataclass(frozen=True)
class Completion:
    """M as factors, and how it ended."""

    low_rank: Factors
    status: Status
    n_iter: int
    certificate: CompletionGap | None = None
    diagnostics: Diagnostics = field(default_factory=Diagnostics)


def padded(A: np.ndarray, width: int | None = None) -> np.ndarray:
    """Rows with zeros up to a multiple of four numbers, in float64."""
    wide = -(-(A.shape[1] if width is None else width) // PAD) * PAD
    out = np.zeros((len(A), max(PAD, wide)))
    out[:, : A.shape[1]] = A
    return out


def at_observed(X: csr_array, low_rank: Factors, n_threads: int) -> np.ndarray:
    """The entries of M where X has some, in the order of X."""
    out = np.empty(X.nnz, X.dtype)
    U, V = padded(low_rank.U * low_rank.s), padded(low_rank.Vt.T)
    kernels.observed_products(X.indptr, X.indices, U, V, out, n_threads)
    return out


def narrow(X: csr_array) -> csr_array:
    """The same array with indices of 32 bits, as the kernels take them."""
    return csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def with_values(X: csr_array, values: np.ndarray) -> csr_array:
    """The same entries with other values."""
    return csr_array((values, X.indices, X.indptr), shape=X.shape)


def soft_impute(
    X: csr_array, alpha: float, limits: IterationLimits, *, n_threads: int, rng: np.random.Generator,
    start: Factors | None = None, steps: Steps = silent,
) -> Completion:  # fmt: skip
    """SoftImpute (Mazumder, Hastie & Tibshirani 2010) with Nesterov's momentum: M ← threshold(P_Ω(X − Y) + Y, α).

    Until the duality gap is at most tol times ½‖P_Ω(X)‖².
    """
    m, n = X.shape
    M = Factors(np.zeros((m, 0)), np.zeros(0), np.zeros((0, n))) if start is None else start
    values = at_observed(X, M, n_threads)
    before, old, t = M, values, 1.0
    null = 0.5 * float(np.square(X.data, dtype=np.float64).sum())
    last, gap, status = np.inf, None, Status.MAX_ITER
    for k in steps(range(1, limits.max_iter + 1), "soft impute"):
        after = 0.5 * (1 + np.sqrt(1 + 4 * t * t))
        b = (t - 1) / after
        R = with_values(X, X.data - ((1 + b) * values - b * old).astype(X.dtype, copy=False))
        A = np.hstack([(1 + b) * (M.U * M.s), -b * (before.U * before.s)])
        Y = SparsePlusLowRank(R, A, np.hstack([M.Vt.T, before.Vt.T]))
        before, old = M, values
        M = threshold_operator(Y, alpha, M, rng)
        values = at_observed(X, M, n_threads)
        value = 0.5 * float(np.square(X.data - values, dtype=np.float64).sum()) + alpha * float(M.s.sum())
        t = 1.0 if value > last else after
        last = value
        done = False
        if k % 5 == 0 or k == limits.max_iter:
            gap = completion_gap(with_values(X, X.data - values), X, M, alpha, rng)
            done = gap.gap <= limits.tol * null
        status = limits.status(done)
        if status is not Status.MAX_ITER:
            break
    if gap is None or gap.low_rank is not M:
        gap = completion_gap(with_values(X, X.data - values), X, M, alpha, rng)
    return Completion(M, status, k, certificate=gap, diagnostics=Diagnostics({"objective": last, "gap": gap.gap}))


def singular_value_thresholding(
    X: csr_array, limits: IterationLimits, *, n_threads: int, rng: np.random.Generator, steps: Steps = silent
) -> Completion:
    """SVT (Cai, Candès & Shen 2010): min τ‖M‖_* + ½‖M‖² with M = X at the observed entries, τ = 5 √(m n) mean|X|.

    τ is so large that this is nearly the completion of least nuclear norm (11.26).
    """
    m, n = X.shape
    size = float(np.abs(X.data).mean()) if X.nnz else 0.0
    tau, step = 5 * np.sqrt(m * n) * max(size, 1e-300), 1.2 * m * n / max(1, X.nnz)
    norm = float(np.linalg.norm(X.data)) or 1.0
    sigma = float(leading_triplets(X, None, min(4, m, n), 6, rng)[1][0]) if X.nnz and size > 0 else 1.0
    Y = with_values(X, X.data * (np.ceil(tau / (step * sigma)) * step))
    M, status, error = None, Status.MAX_ITER, np.inf
    least, best = np.inf, Y.data
    for k in steps(range(1, limits.max_iter + 1), "singular value thresholding"):  # noqa: B007 (told at the end)
        M = threshold_operator(Y, tau, M, rng)
        r = X.data - at_observed(X, M, n_threads)
        error = float(np.linalg.norm(r)) / norm
        status = limits.status(error <= limits.tol)
        if status is not Status.MAX_ITER:
            break
        if error > 2 * least and step > SURE_STEP:  # the step of the paper is for matrices that many entries determine
            step, Y = max(SURE_STEP, step / 4), with_values(X, best)
            continue
        if error < least:
            least, best = error, Y.data.copy()
        Y.data += step * r
    assert M is not None
    return Completion(M, status, k, diagnostics=Diagnostics({"residual": error, "tau": tau}))


def threshold_operator(A: Any, tau: float, start: Factors | None, rng: np.random.Generator) -> Factors:
    """The prox of τ‖·‖_* at whatever can be multiplied: a block of the power method, doubled until it holds all."""
    side = min(A.shape)
    if A.shape[0] * A.shape[1] <= SMALL:
        dense = A.columns(np.arange(A.shape[1])) if isinstance(A, SparsePlusLowRank) else A.toarray()
        with blas_threads(1):
            U, s, Vt = np.linalg.svd(dense, full_matrices=False)
        k = int(np.count_nonzero(s > tau))
        return Factors(U[:, :k], s[:k] - tau, Vt[:k])
    width = min(side, (0 if start is None else len(start.s)) + BESIDE)
    V = None if start is None else start.Vt.T
    while True:
        U, s, V = leading_triplets(A, V, width, 4 if start is not None and len(start.s) else 8, rng)
        if s[-1] <= tau or width == side:
            break
        width = min(side, 2 * width)
    k = int(np.count_nonzero(s > tau))
    return Factors(U[:, :k], s[:k] - tau, V.T[:k])
