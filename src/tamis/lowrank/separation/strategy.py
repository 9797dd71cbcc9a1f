"""Which method "auto" stands for, and the rank that alternating projections need where it is not given."""

from __future__ import annotations

import numpy as np

from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.multipliers import augmented_lagrangian

LARGE = 200  # a side below which the convex problem is solved
MOMENTS = (
    4 * LARGE**3
)  # n p min(n, p), of a singular value decomposition: some seconds for the hundreds that ADMM takes
SAMPLED = 200  # rows and columns of the first sample
FEW = 0.1  # the rank of a sample as a share of its side, up to which it is believed
SPARSE = 0.35  # share of gross errors, likewise


def choose_method(
    X: np.ndarray, rank: int | None, certify: bool, n_threads: int, rng: np.random.Generator
) -> tuple[str, str, int | None]:
    """(method, why, rank)."""
    n, p = X.shape
    if certify:
        return "alm", "a certificate is asked for, which the convex problem has", rank
    if rank is not None:
        return "alternating", f"rank {rank} is given, which the convex problem does not have", rank
    if min(n, p) < LARGE:
        return "alm", f"a side of {min(n, p)} is below {LARGE}, where the convex problem takes moments", rank
    rank = sampled_rank(X, n_threads, rng)
    if rank is None:
        return "alm", "no sample of rows and columns is of low rank + sparse, which the fast method needs", None
    return "alternating", f"{n:,} × {p:,} of rank {rank}: projections take products with {rank} vectors only", rank


def takes_moments(X: np.ndarray) -> bool:
    """Whether the steps of ADMM, a full singular value decomposition each, take seconds at most."""
    return X.size * min(X.shape) <= MOMENTS


def sampled_rank(X: np.ndarray, n_threads: int, rng: np.random.Generator) -> int | None:
    """The rank of L in a random sample of rows and columns, where that is small against the sample; else None.

    A sample of an incoherent matrix of rank r has rank r as soon as it is some times larger.
    """
    n, p = X.shape
    side = SAMPLED
    while True:
        rows = np.sort(rng.choice(n, min(n, side), replace=False))
        columns = np.sort(rng.choice(p, min(p, side), replace=False))
        part = np.ascontiguousarray(X[np.ix_(rows, columns)])
        if np.isfinite(part).any():
            rank, share = _rank_of(part, n_threads, rng)
            if 0 < rank <= FEW * min(part.shape) and share <= SPARSE:
                return rank
        if 2 * side > min(n, p):
            return None
        side *= 2


def _rank_of(part: np.ndarray, n_threads: int, rng: np.random.Generator) -> tuple[int, float]:
    """Triplets within a factor of 1,000 of the largest, and the share of entries in S, from a rough solution."""
    limits = IterationLimits(tol=1e-4, max_iter=60)
    found = augmented_lagrangian(
        part, 1 / np.sqrt(max(part.shape)), limits, n_threads=n_threads, rng=rng, certified=False, growth=1.6
    )
    s = found.low_rank.s
    size = 1e-3 * float(np.nanmedian(np.abs(part)))
    return int(np.count_nonzero(s > 1e-3 * s.max(initial=0.0))), float((np.abs(found.sparse) > size).mean())
