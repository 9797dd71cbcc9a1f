"""½‖y − A s‖² + λ‖s‖₁ for the judge: the objective, and its minimum, proved by a point of the dual.

With r = y − A s, every multiple t r with t|Aᵀr| ≤ λ bounds the minimum from below by t⟨y, r⟩ − t²‖r‖²/2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse.linalg import LinearOperator, aslinearoperator, cg, svds

PROVED = 1e-10  # of the minimum: the gap that the judge leaves


def objective(A: LinearOperator, y: np.ndarray, lam: float, s: np.ndarray) -> float:
    r = y - A @ s
    return 0.5 * float(r @ r) + lam * float(np.abs(s).sum())


def minimise(A: LinearOperator, y: np.ndarray, lam: float, max_iter: int = 20_000) -> tuple[np.ndarray, float]:
    """The code and a lower bound of the objective, at most PROVED below it: accelerated proximal steps, started anew
    where they point uphill, and conjugate gradients on the support whenever it may be the last.
    """
    L = 1.0001 * float(svds(A, k=1, return_singular_vectors=False)[0]) ** 2
    x = z = np.zeros(A.shape[1])
    t = 1.0
    for k in range(max_iter):
        v = z + A.rmatvec(y - A @ z) / L
        new = v - np.clip(v, -lam / L, lam / L)
        uphill = float((z - new) @ (new - x)) > 0
        after = 0.5 * (1 + np.sqrt(1 + 4 * t**2))
        z = new if uphill else new + (t - 1) / after * (new - x)
        x, t = new, 1.0 if uphill else after
        if k % 50 == 49:
            s = _on_support(A, y, lam, x)
            bound = lower_bound(A, y, lam, s)
            if objective(A, y, lam, s) - bound <= PROVED * bound:
                return s, bound
    raise RuntimeError("the judge found no proved minimum")


def lower_bound(A: LinearOperator, y: np.ndarray, lam: float, s: np.ndarray) -> float:
    r = y - A @ s
    yr, rr, beyond = float(y @ r), float(r @ r), float(np.abs(A.rmatvec(r)).max()) / lam
    t = min(yr / rr, 1 / beyond) if rr > 0 and beyond > 0 else 0.0
    return t * yr - 0.5 * t**2 * rr


def _on_support(A: LinearOperator, y: np.ndarray, lam: float, s: np.ndarray) -> np.ndarray:
    """A_Eᵀ(y − A_E z) = λ sign(s) on the support E of s; s itself where a sign changes."""
    E, signs = np.flatnonzero(s), np.sign(s[s != 0])

    def whole(z: np.ndarray) -> np.ndarray:
        out = np.zeros(A.shape[1])
        out[E] = z
        return out

    normal: Callable[[np.ndarray], np.ndarray] = lambda z: A.rmatvec(A @ whole(np.ravel(z)))[E]  # noqa: E731
    b = A.rmatvec(y)[E] - lam * signs
    z, _ = cg(LinearOperator((len(E), len(E)), matvec=normal, dtype=float), b, x0=s[E], rtol=1e-13, maxiter=300)
    return whole(z) if (np.sign(z) == signs).all() else s


def operator(A: np.ndarray | LinearOperator) -> LinearOperator:
    return aslinearoperator(A)
