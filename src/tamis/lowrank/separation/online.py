"""A subspace that follows the rows as they come: a block's gross errors are found against it, the rest updates it."""

from __future__ import annotations

import numpy as np

from tamis._core.evidence import Diagnostics, Status
from tamis._core.progress import Steps
from tamis.lowrank.separation.robust_rows import robust_scores
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.multipliers import Separation, augmented_lagrangian
from tamis.solvers.svd import Factors

BLOCK = 50  # rows of a block in ``fit``
FORGET = 0.98  # weight of what was seen before, block after block
SPREAD = 4.0  # standard deviations beyond which an entry is outlying
TRIPLETS = 0.01  # of the largest singular value of the first block: what belongs to the background
SAMPLE = 20_000  # columns that the first block is solved on


class OnlineSubspace:
    """Components (k, p), their singular values so far, and the limit beyond which an entry is a gross error.

    The first block is solved as a convex problem, which gives the components; every later one is projected robustly on
    them, and what is left after its gross errors updates them (the incremental singular value decomposition of
    Brand 2002, on robustly cleaned rows).
    """

    def __init__(self, rank: int | None, rng: np.random.Generator, n_threads: int) -> None:
        self.rank, self.rng, self.n_threads = rank, rng, n_threads
        self.components = np.empty((0, 0))
        self.s = np.empty(0)
        self.limit, self.n_seen = 0.0, 0

    def fit(self, X: np.ndarray, limits: IterationLimits, steps: Steps) -> Separation:
        """All rows, block by block; where the time is up, the components are those of the blocks so far."""
        blocks = [slice(i, min(len(X), i + BLOCK)) for i in range(0, len(X), BLOCK)]
        for rows in steps(blocks, "online"):
            self.add(X[rows])
            if limits.late:
                break
        done = rows.stop == len(X)
        C, S = robust_scores(X, self.components, self.limit, self.n_threads)
        left, s, right = np.linalg.svd(C, full_matrices=False)
        low_rank = Factors(left, s, right @ self.components)
        measured = Diagnostics({"threshold": self.limit, "blocks": float(len(blocks))})
        return Separation(low_rank, S, Status.CONVERGED if done else limits.reason, len(blocks), measured)

    def add(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scores and gross errors of a block of rows, which updates the subspace; scores are on the updated one."""
        if not self.n_seen:
            self._begin(X)
        scores, S = robust_scores(X, self.components, self.limit, self.n_threads)
        L = scores @ self.components
        if self.n_seen:
            self._update(np.where(np.isfinite(X), X - S, L))
        self._measure(X - L)
        self.n_seen += len(X)
        return L @ self.components.T, S

    def _begin(self, X: np.ndarray) -> None:
        """Components from the convex problem on a sample of the columns, then on all by least squares."""
        p = X.shape[1]
        columns = np.sort(self.rng.choice(p, min(p, SAMPLE), replace=False))
        part = np.ascontiguousarray(X[:, columns])
        limits = IterationLimits(tol=1e-4, max_iter=60)
        found = augmented_lagrangian(
            part,
            1 / np.sqrt(max(part.shape)),
            limits,
            n_threads=self.n_threads,
            rng=self.rng,
            certified=False,
            growth=1.6,
        ).low_rank
        k = max(1, int(np.count_nonzero(found.s > TRIPLETS * found.s.max(initial=0.0))))
        k = min(k if self.rank is None else self.rank, *X.shape)
        U = found.U[:, :k]
        if U.shape[1] < k:
            U = np.linalg.qr(np.hstack([U, self.rng.standard_normal((len(X), k - U.shape[1])).astype(X.dtype)]))[0]
        V = _median_components(X, U)
        _, self.s, self.components = np.linalg.svd(V, full_matrices=False)
        self._measure(X - U @ V)

    def _update(self, W: np.ndarray) -> None:
        """Where no rank is given, a direction that has grown to a share of the largest joins, one that fades goes."""
        before = self.components * (FORGET * self.s)[:, None].astype(W.dtype)
        k = len(self.components)
        s, components = _leading_rows(np.vstack([before, W]), k if self.rank is not None else min(k + 1, W.shape[1]))
        if self.rank is None:
            k = max(1, int(np.count_nonzero(s > TRIPLETS * s[0])))
        self.s, self.components = s[:k], components[:k]

    def _measure(self, R: np.ndarray) -> None:
        """The limit from the middle of the residuals."""
        middle = 1.4826 * float(np.nanmedian(np.abs(R.ravel()[:: max(1, R.size // 10**6)])))
        least = 1e-6 if R.dtype == np.float64 else 1e-3
        self.limit = max(SPREAD * middle, least * float(np.nanmax(np.abs(R), initial=0.0)), 1e-12)


def _median_components(X: np.ndarray, U: np.ndarray) -> np.ndarray:
    """V (k, p) with X ≈ U V, gross errors apart: a few rounds of projections with a shrinking limit."""
    scores, _ = robust_scores(np.ascontiguousarray(X.T), np.ascontiguousarray(U.T), 0.0, 1)
    return np.ascontiguousarray(scores.T)


def _leading_rows(A: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest singular values and right singular vectors of a wide matrix, by the Gram of its rows."""
    values, U = np.linalg.eigh(A @ A.T)
    s = np.sqrt(np.maximum(values[::-1][:k], np.finfo(A.dtype).tiny))
    Vt = (U[:, ::-1][:, :k].T @ A) / s[:, None]
    return s, np.ascontiguousarray(np.linalg.qr(Vt.T)[0].T)  # once more: a Gram squares the condition
