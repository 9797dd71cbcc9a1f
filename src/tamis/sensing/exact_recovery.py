"""Whether a code on a given support is found: the exact-recovery condition, and the dual certificate of ℓ₁."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.optimize

from tamis._core.errors import InputError
from tamis._core.evidence import Certificate
from tamis.operators.base import is_complex
from tamis.sensing.coherence import checked, column_blocks
from tamis.sensing.gap_certificates import matrix_of
from tamis.solvers.iteration_limits import IterationLimits

DEPENDENT = 1e-10  # of the largest singular value: columns of a support that depend on each other to rounding
STRICT = 1e-9  # below 1 by less than this is not below 1


@dataclass(frozen=True, repr=False)
class ExactRecovery(Certificate):
    """Tropp's condition for a support S: max over the other columns of ‖A_S⁺ aⱼ‖₁, columns at unit length.

    Attributes
    ----------
    value : float
        Below 1, OMP takes only columns of S while anything is left, and ℓ₁ with unit columns finds every code on S.
        Infinite where the columns of S depend on each other.
    column : int or None
        Where it is attained.
    support : (k,)
    """

    value: float
    column: int | None
    support: np.ndarray

    @property
    def holds(self) -> bool:
        return self.value < 1.0 - STRICT

    def verify(self, X: Any, y: Any = None) -> ExactRecovery:
        """The value again from the matrix in plain NumPy."""
        del y
        X = matrix_of(X)
        norms = np.linalg.norm(X, axis=0)
        X = X / np.where(norms > 0, norms, 1.0)
        sums = np.abs(np.linalg.pinv(X[:, self.support]) @ X).sum(axis=0)
        sums[self.support] = 0.0
        independent = np.linalg.matrix_rank(X[:, self.support], tol=DEPENDENT) == len(self.support)
        return ExactRecovery(float(sums.max()) if independent else np.inf, int(sums.argmax()), self.support)


@dataclass(frozen=True, repr=False)
class DualCertificate(Certificate):
    """A vector w with A_Sᴴ w = sign(s): where |⟨aⱼ, w⟩| < 1 on all other columns, s is the only solution of (11.23).

    Attributes
    ----------
    w : (m,)
    value : float
        max |⟨aⱼ, w⟩| over the columns outside S.
    least : float
        No vector with A_Sᴴ w = sign(s) has a smaller value than this.
    support, signs : (k,)
    """

    w: np.ndarray
    value: float
    least: float
    support: np.ndarray
    signs: np.ndarray

    @property
    def recovers(self) -> bool | None:
        """Whether ℓ₁ finds every code with these signs, and it alone; None where neither is proved."""
        return True if self.value < 1.0 - STRICT else False if self.least >= 1.0 - STRICT else None

    def verify(self, X: Any, y: Any = None) -> DualCertificate:
        """The value again from the matrix in plain NumPy: infinite where A_Sᴴ w is not the signs. ``least`` is kept."""
        del y
        X = matrix_of(X)
        c = X.conj().T @ self.w
        agrees = np.allclose(c[self.support], self.signs, rtol=0, atol=1e-8)
        others = np.delete(np.abs(c), self.support)
        independent = np.linalg.matrix_rank(X[:, self.support]) == len(self.support)
        value = float(others.max(initial=0.0)) if agrees and independent else np.inf
        return DualCertificate(self.w, value, self.least, self.support, self.signs)


def exact_recovery(A: Any, support: Any) -> ExactRecovery:
    """The exact-recovery condition of a support [tropp2004]_: below 1, OMP finds every code on it, in as many steps.

    It depends on the support alone and not on the numbers of the code. Columns are compared at unit length, as OMP
    compares them.

    Parameters
    ----------
    A : array, sparse array or operator
    support : array of int
        The columns S.

    References
    ----------
    .. [tropp2004] Tropp, Greed is good, IEEE Transactions on Information Theory 50, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import exact_recovery
    >>> A = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.8]])
    >>> found = exact_recovery(A, [0])
    >>> found.value, found.holds, exact_recovery(A, [0, 1]).holds
    (0.6, True, False)
    """
    A = checked(A)
    S = _support(support, A.shape[1])
    X = _columns(A, S)
    norms = np.linalg.norm(X, axis=0)
    if not norms.all():
        raise InputError(f"column {S[int(norms.argmin())]} of A is zero and cannot be in a support", argument="support")
    if not _independent(X / norms):
        return ExactRecovery(np.inf, None, S)
    inverse = scipy.linalg.pinv(X / norms)
    value, column = 0.0, None
    for start, block in column_blocks(A):
        sizes = np.linalg.norm(block, axis=0)
        sums = np.abs(inverse @ (block / np.where(sizes > 0, sizes, 1.0))).sum(axis=0)
        sums[np.isin(start + np.arange(len(sums)), S)] = -1.0
        if sums.max() > max(value, 0.0) or (column is None and sums.max() >= 0):
            value, column = float(sums.max()), start + int(sums.argmax())
    return ExactRecovery(value, column, S)


def dual_certificate(A: Any, support: Any, signs: Any, *, time_limit: float | None = None) -> DualCertificate:
    """Prove or refute that basis pursuit (11.23) finds every code with these signs on this support.

    It does so, and finds nothing else, exactly where some w has A_Sᴴ w = sign(s) and |⟨aⱼ, w⟩| < 1 outside S
    [fuchs2004]_. The least-squares w = A_S(A_SᴴA_S)⁻¹ sign(s) is tried first; where it is too large outside, which says
    nothing yet, the smallest possible one is sought by a linear program over the columns that exceed it.

    Parameters
    ----------
    A : array, sparse array or operator
        Complex ones have only the least-squares vector tried.
    support : array of int
        The columns S.
    signs : array
        sign(s) on S, or s itself; for complex codes s/|s|.
    time_limit : float or None
        Seconds; the best vector so far is returned.

    References
    ----------
    .. [fuchs2004] Fuchs, On sparse representations in arbitrary redundant bases, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import dual_certificate
    >>> A = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.8]])
    >>> dual_certificate(A, [0, 1], [1.0, 1.0]).recovers, dual_certificate(A, [0, 1], [1.0, -1.0]).recovers
    (False, True)
    """
    A = checked(A)
    S = _support(support, A.shape[1])
    signs = _signs(signs, S, is_complex(A))
    limits = IterationLimits.of_time(time_limit)
    X = _columns(A, S)
    if not _independent(X):
        return DualCertificate(np.zeros(A.shape[0]), np.inf, np.inf, S, signs)  # other codes on S measure the same
    w = X @ np.linalg.solve(X.conj().T @ X, signs)
    c = A.H @ w
    value = _outside(c, S)
    if value < 1.0 - STRICT or is_complex(A) or A.shape[0] <= len(S):
        return DualCertificate(w, value, value if A.shape[0] <= len(S) else 0.0, S, signs)
    with limits.until_interrupted():
        return _smallest(A, S, signs, w, c, X, limits)


def _smallest(
    A: Any, S: np.ndarray, signs: np.ndarray, w: np.ndarray, c: np.ndarray, X: np.ndarray, limits: IterationLimits
) -> DualCertificate:
    """min_z max_j |cⱼ + ⟨Nᵀaⱼ, z⟩| with N a basis of what is orthogonal to A_S; constraints join as they are broken."""
    N = scipy.linalg.null_space(X.T)
    best, best_w, least = _outside(c, S), w, 0.0
    rows = _exceeding(c, S, 2 * N.shape[1])
    while not limits.late:
        z, bound = _linear_program(c[rows], _columns(A, rows).T @ N)
        if z is None:
            break
        least = max(least, bound)
        w_new = w + N @ z
        c_new = A.H @ w_new
        value = _outside(c_new, S)
        if value < best:
            best, best_w = value, w_new
        if best < 1.0 - STRICT or least >= 1.0 - STRICT or value <= bound * (1.0 + 1e-9):
            break
        more = np.union1d(rows, _exceeding(c_new, S, N.shape[1]))
        if len(more) == len(rows):
            break
        rows = more
    return DualCertificate(best_w, best, least, S, signs)


def _linear_program(c: np.ndarray, B: np.ndarray) -> tuple[np.ndarray | None, float]:
    """z with max_j |cⱼ + ⟨bⱼ, z⟩| least, and a lower bound on it from the program's dual point."""
    ones = np.ones((len(c), 1))
    constraints, limits = np.block([[B, -ones], [-B, -ones]]), np.concatenate([-c, c])
    goal = np.zeros(B.shape[1] + 1)
    goal[-1] = 1.0
    solved = scipy.optimize.linprog(
        goal, A_ub=constraints, b_ub=limits, bounds=[(None, None)] * B.shape[1] + [(0, None)], method="highs-ds"
    )
    if solved.x is None:
        return None, 0.0
    return solved.x[:-1], _dual_bound(c, B, solved.ineqlin.marginals)


def _dual_bound(c: np.ndarray, B: np.ndarray, marginals: np.ndarray) -> float:
    """⟨c, u⟩ ≤ max |c + Bz| for any u with ‖u‖₁ ≤ 1 and Bᵀu = 0: the solver's multipliers, brought to such a u."""
    half = len(c)
    u = marginals[half:] - marginals[:half]
    used = np.flatnonzero(u)
    if not len(used):
        return 0.0
    rounding = 1e-13 * np.abs(B).max()
    if np.abs(B.T @ u).max() > rounding * np.abs(u).sum():
        u[used] -= scipy.linalg.lstsq(B[used].T, B[used].T @ u[used])[0]
    size = np.abs(u).sum()
    feasible = size > 0 and np.abs(B.T @ u).max() <= 1e4 * rounding * size
    return abs(float(c @ u)) / size if feasible else 0.0


def _outside(c: np.ndarray, S: np.ndarray) -> float:
    return float(np.delete(np.abs(c), S).max(initial=0.0))


def _exceeding(c: np.ndarray, S: np.ndarray, most: int) -> np.ndarray:
    """The columns outside S where |c| is largest."""
    size = np.abs(c)
    size[S] = -1.0
    return np.sort(np.argsort(-size, kind="stable")[: min(most, len(c) - len(S))])


def _independent(X: np.ndarray) -> bool:
    if X.shape[1] > X.shape[0]:
        return False
    values = scipy.linalg.svdvals(X)
    return bool(values[-1] > DEPENDENT * values[0])


def _columns(A: Any, S: np.ndarray) -> np.ndarray:
    X = A.columns(S)
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)


def _support(support: Any, n: int) -> np.ndarray:
    S = np.asarray(support)
    if S.ndim != 1 or not S.size or S.dtype.kind not in "iu":
        raise InputError(f"support must be a list of columns, got {S.dtype} of shape {S.shape}", argument="support")
    if S.min() < 0 or S.max() >= n or len(np.unique(S)) < len(S):
        raise InputError(f"support must be different columns from 0 to {n - 1}", argument="support")
    return S.astype(np.intp)


def _signs(signs: Any, S: np.ndarray, complex_ok: bool) -> np.ndarray:
    given = np.asarray(signs)
    if given.shape != S.shape or given.dtype.kind not in "fiubc" or not np.isfinite(given).all() or not given.all():
        raise InputError(f"signs must be {len(S)} numbers other than 0, one for each column of the support",
                         argument="signs")  # fmt: skip
    if given.dtype.kind == "c" and not complex_ok:
        raise InputError("signs are complex, but A is real", argument="signs")
    return given / np.abs(given)
