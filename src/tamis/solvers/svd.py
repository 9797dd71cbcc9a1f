"""The few largest singular triplets, and what low-rank methods make of them: thresholding and Procrustes.

A (n, p) is an array, a SciPy sparse array or anything with ``shape``, ``dtype``, ``@`` and ``.T``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr
from scipy.sparse import issparse

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis._core.evidence import Status
from tamis._core.random import as_rng

ROOM = 20  # columns of the Krylov space beyond twice those asked for
BESIDE = 4  # random columns beside a warm start
NEAR = 8  # steps that a whole warm start may take together
TOLERANCE = {4: 1e-5, 8: 1e-10}  # by bytes of a number; about 100 · eps is what orthogonality to rounding leaves
DIRECT = 6  # a dense matrix with fewer than this many times the wanted triplets goes to LAPACK whole


@dataclass(frozen=True)
class Factors:
    """U diag(s) Vt with orthonormal columns in U (n, k) and rows in Vt (k, p), s descending.

    Signs are such that the entry of largest size in each row of Vt is positive.
    """

    U: np.ndarray
    s: np.ndarray
    Vt: np.ndarray

    def toarray(self) -> np.ndarray:
        """The product, (n, p)."""
        return (self.U * self.s) @ self.Vt


@dataclass(frozen=True)
class PartialSVD(Factors):
    """Triplets and their ``residuals`` (k,): ‖Avᵢ − sᵢuᵢ‖ or ‖Aᵀuᵢ − sᵢvᵢ‖, the larger; the other is rounding.

    A singular value of A lies within residuals[i] of s[i]. That these are the largest is measured, not proved: a random
    column let in at the end found no larger one. ``n_passes`` counts the products with A or Aᵀ, of any width.
    """

    residuals: np.ndarray
    n_iter: int
    n_passes: int
    status: Status


@dataclass(frozen=True)
class ThresholdedSVD(Factors):
    """The prox of τ‖·‖_* at A, ``s`` already lowered by τ; ``next_value`` is the largest singular value left out.

    ``residuals`` are those of the triplets kept, as in `PartialSVD`.
    """

    next_value: float
    residuals: np.ndarray
    n_iter: int
    n_passes: int
    status: Status

    @property
    def rank(self) -> int:
        return len(self.s)


@dataclass(frozen=True)
class Procrustes:
    """Q, how far it is from A in the Frobenius norm, the singular values of A, and their number above rounding.

    The minimiser is unique when the rank is min(n, p).
    """

    Q: np.ndarray
    distance: float
    s: np.ndarray
    rank: int


def partial_svd(
    A: Any, k: int, *, start: Any = None, tol: float | None = None, max_iter: int = 300, random_state: Any = None
) -> PartialSVD:
    """The k largest singular triplets of A, from ``start`` where there is one.

    A Krylov space of AᵀA grows, A restricted to it gives Ritz triplets, and it is cut back to the best of them when it
    has become wide: Lanczos bidiagonalisation with thick restarts (Golub & Kahan 1965; Baglama & Reichel 2005). It ends
    when every residual is at most ``tol`` s₁ (1e-10 in float64 and 1e-5 in float32 unless given), or after ``max_iter``
    looks at the triplets. Small dense matrices go to LAPACK whole.

    ``start`` is an earlier result, of a matrix near this one, or rows Vt (k', p): all of it steps together, in
    few passes over A where it is near, and is given up where the pace is too slow. float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.solvers.svd import partial_svd
    >>> A = np.diag([5.0, 3.0, 1.0])
    >>> found = partial_svd(A, 2)
    >>> found.s
    array([5., 3.])
    >>> bool(found.residuals.max() < 1e-12)
    True
    """
    A = _as_matrix(A)
    n, p = A.shape
    k = check_count("k", k, at_most=min(n, p))
    tol = TOLERANCE[A.dtype.itemsize] if tol is None else check_number("tol", tol, at_least=0.0)
    max_iter = check_count("max_iter", max_iter)
    if isinstance(A, np.ndarray) and DIRECT * (k + BESIDE) > min(n, p):
        return _direct(A, k)
    V = _start(A, start)
    if n >= p:
        return _krylov(_Counted(A), k, V, tol, max_iter, as_rng(random_state))
    found = _krylov(_Counted(A.T), k, V, tol, max_iter, as_rng(random_state))
    return _signed(found.Vt.T, found.s, found.U.T, found.residuals, found.n_iter, found.n_passes, found.status)


def singular_value_threshold(
    A: Any, tau: float, *, start: Any = None, tol: float | None = None, max_iter: int = 300, random_state: Any = None
) -> ThresholdedSVD:
    """argmin_Z ½‖Z − A‖² + τ‖Z‖_* = U max(s − τ, 0) Vᵀ, the prox of the nuclear norm (Cai, Candès & Shen 2010).

    Triplets are asked for until the next singular value is at most ``tau``: first one more than ``start`` has, then
    twice as many each time, each search starting from the last. ``tol`` and ``max_iter`` are those of `partial_svd`.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.solvers.svd import singular_value_threshold
    >>> Z = singular_value_threshold(np.diag([5.0, 3.0, 1.0]), 2.0)
    >>> Z.s, Z.next_value
    (array([3., 1.]), 1.0)
    """
    A = _as_matrix(A)
    tau = check_number("tau", tau, at_least=0.0)
    rng = as_rng(random_state)
    most = min(A.shape)
    k = min(most, BESIDE if start is None else len(_rows(start, A.shape[1])) + 1)
    n_iter = n_passes = 0
    while True:
        found = partial_svd(A, k, start=start, tol=tol, max_iter=max_iter, random_state=rng)
        n_iter, n_passes = n_iter + found.n_iter, n_passes + found.n_passes
        if k == most or found.s[-1] <= tau:
            break
        start, k = found, min(most, 2 * k)
    rank = int(np.count_nonzero(found.s > tau))
    kept = found.U[:, :rank], found.s[:rank] - found.s.dtype.type(tau), found.Vt[:rank]
    next_value = float(found.s[rank]) if rank < k else 0.0
    return ThresholdedSVD(*kept, next_value, found.residuals[:rank], n_iter, n_passes, found.status)


def procrustes(A: Any) -> Procrustes:
    """The nearest matrix with orthonormal columns (rows, when A is wide): argmin ‖A − Q‖_F = U Vᵀ (Schönemann 1966).

    It also maximises trace(QᵀA). Where A has not full rank, the part of Q beyond the singular vectors of A is free: it
    is then the one nearest to the identity, so that Q = I for A = 0.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.solvers.svd import procrustes
    >>> procrustes([[0.0, -2.0], [3.0, 0.0]]).Q
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    A = _as_matrix(np.asarray(A))
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int(np.count_nonzero(s > max(A.shape) * np.finfo(A.dtype).eps * s[0]))
    Q = U[:, :rank] @ Vt[:rank] + (_free_part(A, rank) if rank < min(A.shape) else 0)
    Q = Q.astype(A.dtype, copy=False) + A.dtype.type(0)  # no −0.0
    return Procrustes(Q, float(np.linalg.norm(A - Q)), s, rank)


def _free_part(A: np.ndarray, rank: int) -> np.ndarray:
    """U₀ W V₀ᵀ with U₀, V₀ the complements of the singular vectors and W the Procrustes solution of U₀ᵀ I V₀."""
    U, _, Vt = np.linalg.svd(A, full_matrices=True)
    U0, V0t = U[:, rank:], Vt[rank:]
    left, _, right = np.linalg.svd(U0.T @ np.eye(*A.shape, dtype=A.dtype) @ V0t.T, full_matrices=False)
    return U0 @ left @ right @ V0t


def _direct(A: np.ndarray, k: int) -> PartialSVD:
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    U, s, Vt = U[:, :k], s[:k], Vt[:k]
    return _signed(U, s, Vt, np.linalg.norm(A.T @ U - Vt.T * s, axis=0), 0, 0, Status.CONVERGED)


def _signed(U: np.ndarray, s: np.ndarray, Vt: np.ndarray, *evidence: Any) -> PartialSVD:
    top = np.abs(Vt).argmax(axis=1)
    sign = np.where(Vt[np.arange(len(s)), top] < 0, -1, 1).astype(s.dtype)
    return PartialSVD(U * sign, s, Vt * sign[:, None], *evidence)


class _Counted:
    """A as its two products, counting them."""

    def __init__(self, A: Any) -> None:
        self.A, self.T, self.shape, self.dtype, self.n_passes = A, A.T, A.shape, A.dtype, 0

    def forward(self, B: np.ndarray) -> np.ndarray:
        self.n_passes += 1
        return np.asarray(self.A @ B, dtype=B.dtype)

    def adjoint(self, B: np.ndarray) -> np.ndarray:
        self.n_passes += 1
        return np.asarray(self.T @ B, dtype=B.dtype)


class _Subspace:
    """A V = Q R with orthonormal V (p, m), Q (n, r) and R (r, m), r ≤ m: A as the subspace sees it.

    AᵀQ lies in the span of V but for the last ``fresh`` columns of Q.
    """

    def __init__(self, A: _Counted, V: np.ndarray) -> None:
        self.A = A
        self._V, self._Q = _Columns(A.shape[1], A.dtype), _Columns(A.shape[0], A.dtype)
        self.R = np.empty((0, 0), A.dtype)
        self.grow(V)

    @property
    def V(self) -> np.ndarray:
        return self._V.get()

    @property
    def Q(self) -> np.ndarray:
        return self._Q.get()

    @property
    def width(self) -> int:
        return self.R.shape[1]

    def grow(self, new: np.ndarray) -> None:
        """V gains orthonormal columns."""
        Q, H, R = _beyond(self.Q, self.A.forward(new))
        below = np.zeros((len(R), self.width), R.dtype)
        self.R = np.block([[self.R, H], [below, R]])
        self._V.append(new)
        self._Q.append(Q)
        self.fresh = Q.shape[1]

    def ahead(self) -> tuple[np.ndarray, np.ndarray]:
        """(new, S) with AᵀQ = V Rᵀ + new S on the fresh columns: where the Krylov space goes next."""
        new, _, S = _beyond(self.V, self.A.adjoint(self.Q[:, len(self.R) - self.fresh :]))
        return new, S

    def fill(self, room: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Grows until one more step would need more than ``room`` columns; that step's (new, S)."""
        while True:
            new, S = self.ahead()
            if self.width + max(1, new.shape[1]) > room:
                return new, S
            self.grow(new if new.shape[1] else self.joined(new, rng))

    def joined(self, new: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """``new`` and, where there is room, a random column beyond V and it."""
        known = np.hstack([self.V, new])
        return _completed(known, min(known.shape[1] + 1, len(known)), rng)[:, self.width :]

    def ritz(self, S: np.ndarray, k: int) -> _Ritz:
        X, s, Yt = np.linalg.svd(self.R, full_matrices=True)
        residuals = np.zeros(k, s.dtype)
        known = X[len(X) - self.fresh :, :k]
        residuals[: known.shape[1]] = np.linalg.norm(S @ known, axis=0)
        return _Ritz(X, np.pad(s, (0, len(Yt) - len(s))), Yt.T, residuals)

    def cut(self, ritz: _Ritz, most: int) -> None:
        """Keeps the span of the best Ritz vectors; what AᵀQ has beyond V is to follow."""
        r, m = min(most, ritz.X.shape[1]), min(most, self.width)
        self._V.replace(self.V @ ritz.Y[:, :m])
        self._Q.replace(self.Q @ ritz.X[:, :r])
        self.R = np.eye(r, m, dtype=ritz.s.dtype) * ritz.s[:m]
        self.fresh = 0


class _Columns:
    """A matrix that gains columns in place."""

    def __init__(self, n: int, dtype: np.dtype) -> None:
        self.held, self.width = np.empty((n, 0), dtype, order="F"), 0

    def get(self) -> np.ndarray:
        return self.held[:, : self.width]

    def append(self, new: np.ndarray) -> None:
        width = self.width + new.shape[1]
        if width > self.held.shape[1]:
            wider = np.empty((len(self.held), 2 * width), self.held.dtype, order="F")
            wider[:, : self.width] = self.get()
            self.held = wider
        self.held[:, self.width : width] = new
        self.width = width

    def replace(self, columns: np.ndarray) -> None:
        self.width = 0
        self.append(columns)


@dataclass
class _Ritz:
    """R = X diag(s) Yᵀ, s padded with zeros; ``residuals`` of the first k triplets Q X, s, V Y."""

    X: np.ndarray
    s: np.ndarray
    Y: np.ndarray
    residuals: np.ndarray

    @property
    def error(self) -> float:
        """The largest residual relative to s₁."""
        return float(self.residuals.max() / self.s[0]) if self.s[0] > 0 else 0.0


def _krylov(
    A: _Counted, k: int, V: np.ndarray | None, tol: float, max_iter: int, rng: np.random.Generator
) -> PartialSVD:
    if V is not None:
        found = _from_near(A, k, V, tol, max_iter, rng)
        if found.status == Status.CONVERGED:
            return found
        V = found.Vt.T @ rng.standard_normal((k, 1)).astype(A.dtype)
    return _from_afar(A, k, V, tol, max_iter, rng)


def _from_near(A: _Counted, k: int, V: np.ndarray, tol: float, max_iter: int, rng: np.random.Generator) -> PartialSVD:
    """All of V, and some random columns beside it, step together as long as ``NEAR`` steps will do at the pace seen."""
    p = A.shape[1]
    space = _Subspace(A, _start_block(V, p, min(p, max(k, V.shape[1]) + BESIDE), A.dtype, rng))
    error = np.inf
    for n_iter in range(1, min(NEAR, max_iter) + 1):
        new, S = space.ahead()
        ritz = space.ritz(S, k)
        last, error = error, ritz.error
        hopeless = n_iter > 1 and error * (error / last) ** (NEAR - n_iter) > tol
        if error <= tol or hopeless or not new.shape[1]:
            break
        space.grow(new)
    return _result(space, ritz, k, n_iter, error <= tol, rng)


def _from_afar(
    A: _Counted, k: int, V: np.ndarray | None, tol: float, max_iter: int, rng: np.random.Generator
) -> PartialSVD:
    """One column grows a long way, the space is cut back to its best triplets, and grows again.

    The triplets are believed when a random column let in after they have converged changes none of them: a Krylov space
    sees no more copies of a singular value than it has started from.
    """
    p = A.shape[1]
    room, before, done = min(p, 2 * k + ROOM), np.full(k, -np.inf), False
    space = _Subspace(A, _start_block(V, p, 1, A.dtype, rng))
    target = min(room, k + ROOM // 2)
    for n_iter in range(1, max_iter + 1):
        new, S = space.fill(target, rng)
        ritz = space.ritz(S, k)
        settled = ritz.error <= tol
        done = space.width == p or (settled and np.abs(ritz.s[:k] - before).max() <= tol * ritz.s[0])
        if done or n_iter == max_iter:
            break
        if settled:
            before = ritz.s[:k]
        if settled or target == room:
            space.cut(ritz, k + (room - k) // 3)
        space.grow(space.joined(new, rng) if settled or not new.shape[1] else new)
        target = room
    return _result(space, ritz, k, n_iter, done, rng)


def _result(space: _Subspace, ritz: _Ritz, k: int, n_iter: int, done: bool, rng: np.random.Generator) -> PartialSVD:
    space.cut(ritz, k)
    U, s, V = _completed(space.Q, k, rng), ritz.s[:k], space.V
    residuals = np.linalg.norm(space.A.adjoint(U) - V * s, axis=0)
    return _signed(U, s, V.T, residuals, n_iter, space.A.n_passes, Status.CONVERGED if done else Status.MAX_ITER)


def _beyond(Q: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(N, H, R) with W = Q H + N R, N orthonormal and orthogonal to Q: what W adds to the span of Q, to rounding."""
    size = np.linalg.norm(W, axis=0).max(initial=0.0)
    H = Q.T @ W
    N, R, order = qr(W - Q @ H, mode="economic", pivoting=True, overwrite_a=True, check_finite=False)
    pivots = np.abs(np.diag(R))
    rank = int(np.count_nonzero(pivots > 10 * np.finfo(W.dtype).eps * size))
    N, R = N[:, :rank], R[:rank][:, np.argsort(order)]
    if Q.shape[1] and (pivots[:rank] < 0.7 * size).any():  # digits were lost: once more is enough (Parlett 1980)
        again = Q.T @ N
        N, T = qr(N - Q @ again, mode="economic", overwrite_a=True, check_finite=False)
        H, R = H + again @ R, T @ R
    return N, H, R


def _completed(Q: np.ndarray, b: int, rng: np.random.Generator) -> np.ndarray:
    """Q with random orthonormal columns up to b: left vectors of Ritz values 0, which look for what A has elsewhere."""
    while Q.shape[1] < b:
        more = rng.standard_normal((len(Q), b - Q.shape[1])).astype(Q.dtype)
        Q = np.hstack([Q, _beyond(Q, more)[0]])
    return Q


def _start_block(V: np.ndarray | None, p: int, b: int, dtype: np.dtype, rng: np.random.Generator) -> np.ndarray:
    """An orthonormal start (p, b): V, as far as it goes, then random."""
    none = np.empty((p, 0), dtype)
    return _completed(none if V is None else _beyond(none, V[:, :b].astype(dtype, copy=False))[0], b, rng)


def _start(A: Any, start: Any) -> np.ndarray | None:
    """The columns to begin with on the smaller side of A."""
    if start is None:
        return None
    n, p = A.shape
    Vt = _rows(start, p)
    if n >= p or not len(Vt):
        return Vt.T if len(Vt) else None
    return start.U if isinstance(start, Factors) and len(start.U) == n else np.asarray(A @ Vt.T)


def _rows(start: Any, p: int) -> np.ndarray:
    Vt = start.Vt if isinstance(start, Factors) else np.asarray(start)
    if Vt.ndim != 2 or Vt.shape[1] != p:
        raise InputError(f"start must be an earlier result or rows (k, {p}), got shape {Vt.shape}")
    if not np.isfinite(Vt).all():
        raise InputError("start holds NaN or infinite values")
    return Vt


def _as_matrix(A: Any) -> Any:
    if not (
        issparse(A) or (hasattr(A, "shape") and hasattr(A, "dtype") and hasattr(A, "T") and hasattr(A, "__matmul__"))
    ):
        A = np.asarray(A)
    if len(A.shape) != 2 or min(A.shape) == 0:
        raise InputError(f"A must be a matrix with at least one row and one column, got shape {tuple(A.shape)}")
    if isinstance(A, np.ndarray) or issparse(A):
        A = A if A.dtype in (np.float32, np.float64) else A.astype(np.float64)
        if not np.isfinite(A.data if issparse(A) else A).all():
            raise InputError("A holds NaN or infinite values: impute them first")
    elif A.dtype not in (np.float32, np.float64):
        raise InputError(f"A must be of float32 or float64 numbers, got {A.dtype}")
    return A
