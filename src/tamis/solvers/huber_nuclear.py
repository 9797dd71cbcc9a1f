"""Low rank + sparse + dense noise: min ‖L‖_* + α‖S‖₁ + ‖X − L − S‖²/(2μ) over the observed entries (Zhou et al. 2010).

For given L the best S is shrink(X − L, μα), which leaves a Huber loss of X − L: square up to μα, then straight. Its
gradient is that of ½‖·‖² clipped, so that FISTA on L alone, with step 1, thresholds the singular values of
Y + clip(X − Y, ±μα) at μ.
"""

from __future__ import annotations

import numpy as np

from tamis._core.evidence import Diagnostics, Status
from tamis._core.progress import Steps, silent
from tamis._kernels import kernels
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.multipliers import CHECK, Separation, threshold
from tamis.solvers.separation_gap import separation_gap
from tamis.solvers.svd import Factors


def huber_nuclear(
    X: np.ndarray, alpha: float, mu: float, limits: IterationLimits, *, n_threads: int, rng: np.random.Generator,
    start: Factors | None = None, steps: Steps = silent,
) -> Separation:  # fmt: skip
    """Until the duality gap is at most tol times the objective; X has NaN where an entry is missing."""
    clip = float(mu * alpha)
    low_rank = start
    L = np.zeros_like(X) if low_rank is None else low_rank.toarray()
    Y, t, before = L.copy(), 1.0, np.inf
    trace: list[float] = []
    status = Status.MAX_ITER
    for k in steps(range(1, limits.max_iter + 1), "proximal gradient"):
        kernels.clip_to(X, Y, clip, n_threads)
        low_rank = threshold(Y, mu, low_rank, rng)
        new = low_rank.toarray()
        value = mu * float(low_rank.s.sum()) + kernels.clip_to(X, new.copy(), clip, n_threads)
        t = 1.0 if value > before else t  # the momentum overshot: begin anew (O'Donoghue & Candès 2015)
        after = 0.5 * (1 + np.sqrt(1 + 4 * t * t))
        np.subtract(new, L, out=Y)
        Y *= X.dtype.type((t - 1) / after)
        Y += new
        L, t, before = new, after, value
        done = False
        if k % CHECK == 0 or k == limits.max_iter:
            gap = separation_gap(X, low_rank, _dual_point(X, L, clip) / X.dtype.type(mu), alpha, float(mu))
            trace.append(gap.relative_gap)
            done = gap.relative_gap <= limits.tol
        status = limits.status(done)
        if status is not Status.MAX_ITER:
            break
    assert low_rank is not None
    Z = _dual_point(X, L, clip)
    S = np.nan_to_num(X - L - Z)
    S[np.abs(Z) < X.dtype.type(clip)] = 0
    gap = separation_gap(X, low_rank, Z / X.dtype.type(mu), alpha, mu)
    return Separation(low_rank, S, status, k, Diagnostics({"gap": gap.gap, "mu": mu}, np.array(trace)), gap)


def _dual_point(X: np.ndarray, L: np.ndarray, clip: float) -> np.ndarray:
    """clip(X − L, ±μα), 0 where missing: the gradient of the Huber loss, and after division by μ a dual point."""
    return np.clip(np.nan_to_num(X - L), X.dtype.type(-clip), X.dtype.type(clip))
