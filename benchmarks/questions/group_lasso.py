"""Who reaches a group lasso path of certified quality first?

Correlated Gaussian columns in groups of neighbours, some of which matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.judging import duality
from benchmarks.judging.duality import Groups, SparseGroups
from benchmarks.judging.path import JUDGED, Path, PathObjective
from benchmarks.objective import Dataset
from benchmarks.questions.lasso import design

SIZE, L1_RATIO = 5, 0.5
STEPS, CHECK = 100_000, 50
SETTLED = 1e-10  # of the null value: the gap of the groups in use


class Objective(PathObjective):
    title = "Group lasso path"
    text = (
        "P(w, b) = 1/(2n) ‖y − Xw − b‖² + α Ω(w) at 100 alphas from α_max to α_max / 100, with Ω = Σ √5 ‖w_g‖, and "
        f"with Ω = ½ ‖w‖₁ + ½ Σ √5 ‖w_g‖, groups of five neighbours. {JUDGED} Corr(x_i, x_j) = 0.5^|i − j|, n / 50 "
        "planted groups. adelie: `grpnet(groups)`; celer: `celer_path(pb='grouplasso')` on a centred copy; skglm: "
        "`GroupBCD` from alpha to alpha, warm, on a centred copy, compiled before; skein-glm: "
        "`GroupLassoPathRegressor` and `SparseGroupLassoPathRegressor`. adelie and celer have no sparse groups; "
        "scikit-learn, python-glmnet and glum have no groups."
    )
    repeats = 5
    cap = 30.0

    def penalty(self, data: Grouped) -> duality.Penalty:
        return data.penalty

    def precise(self, data: Grouped) -> Path:
        return precise_path(data.X, data.y, data.alphas, data.penalty)


@dataclass
class Grouped:
    """Rows, target, the alphas of the path, α_max to α_max / 100, and the penalty, which knows its groups."""

    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray
    penalty: Groups | SparseGroups

    @property
    def sparse(self) -> bool:
        return isinstance(self.penalty, SparseGroups)

    @property
    def labels(self) -> np.ndarray:
        return np.arange(self.X.shape[1]) // self.penalty.size


def datasets(quick: bool) -> list[Dataset]:
    n, p, k = (60, 40, 8) if quick else (1_000, 5_000, 100)
    penalties = {"groups of 5": Groups(SIZE), f"sparse groups of 5, {L1_RATIO} ℓ₁": SparseGroups(SIZE, L1_RATIO)}
    return [
        Dataset(f"{n:,} × {p:,}, {name}, {k} alphas, ρ = 0.5", partial(grouped, n, p, k, penalty), limit=1.3)
        for name, penalty in penalties.items()
    ]


def grouped(n: int, p: int, n_alphas: int, penalty: Groups | SparseGroups) -> Grouped:
    """w is Gaussian on n / 50 groups, or on three of five columns of each when the penalty also asks for that."""
    rng = np.random.default_rng(0)
    X = design(rng, n, p, 0.5)
    w = np.zeros((p // SIZE, SIZE))
    chosen = rng.choice(len(w), max(2, n // 50), replace=False)
    w[chosen] = rng.standard_normal((len(chosen), SIZE))
    if isinstance(penalty, SparseGroups):
        w[:, 3:] = 0
    signal = X @ w.ravel()
    y = 1 + signal + signal.std() / np.sqrt(5) * rng.standard_normal(n)
    alpha_max = _alpha_max(penalty, (X - X.mean(axis=0)).T @ (y - y.mean()) / n)
    return Grouped(X, y, alpha_max * np.geomspace(1, 0.01, n_alphas), penalty)


def _alpha_max(penalty: Groups | SparseGroups, c: np.ndarray) -> float:
    """The least α with Ω°(c) ≤ α: 1 / the shrinkage that makes a large multiple of c feasible at α = 1, rescaled."""
    large = 1e3 / np.abs(c).max()
    return 1 / (penalty.shrinkage(large * c[:, None], np.ones(1))[0] * large)


def precise_path(
    X: np.ndarray, y: np.ndarray, alphas: np.ndarray, penalty: Groups | SparseGroups
) -> tuple[np.ndarray, np.ndarray]:
    """FISTA with restarts on the groups that may matter, all groups checked after it."""
    m, centre = X.mean(axis=0), y.mean()
    C, r = X - m, y - centre
    n, p = X.shape
    w, coefs, before = np.zeros(p), np.zeros((len(alphas), p)), alphas[0]
    step = n / np.linalg.eigvalsh(C @ C.T if n < p else C.T @ C)[-1]
    for k, alpha in enumerate(alphas):
        c = C.T @ (r - C @ w) / n
        # The strong rule (Tibshirani and others 2012) guesses; the loop below repairs what it missed.
        used, new = w.reshape(-1, penalty.size).any(axis=1), _beyond(penalty, c, 2 * alpha - before)
        while True:
            used |= new
            S = np.flatnonzero(np.repeat(used, penalty.size))
            if S.size:
                w[S] = _fista(C[:, S], r, w[S], alpha, penalty, step)
            c = C.T @ (r - C[:, S] @ w[S]) / n
            new = _beyond(penalty, c, alpha * (1 + 1e-9)) & ~used
            if not new.any():
                break
        coefs[k], before = w, alpha
    return coefs, centre - coefs @ m


def _beyond(penalty: Groups | SparseGroups, c: np.ndarray, alpha: float) -> np.ndarray:
    """Groups that may not stay at zero: −c_g ∉ α ∂Ω(0)."""
    return prox(penalty, c, max(alpha, 0.0)).reshape(-1, penalty.size).any(axis=1)


def prox(penalty: Groups | SparseGroups, v: np.ndarray, step: float) -> np.ndarray:
    """Soft threshold, then the group's."""
    ratio = penalty.l1_ratio if isinstance(penalty, SparseGroups) else 0.0
    u = (np.sign(v) * np.maximum(np.abs(v) - step * ratio, 0)).reshape(-1, penalty.size)
    norms = np.maximum(np.linalg.norm(u, axis=1), np.finfo(float).tiny)
    return (u * np.maximum(1 - step * (1 - ratio) * np.sqrt(penalty.size) / norms, 0)[:, None]).reshape(v.shape)


def _fista(
    C: np.ndarray, y: np.ndarray, w: np.ndarray, alpha: float, penalty: Groups | SparseGroups, step: float
) -> np.ndarray:
    """Accelerated proximal gradient, its momentum dropped when it points uphill (O'Donoghue and Candès 2015)."""
    n = len(y)
    v, t, enough = w, 1.0, SETTLED * (y @ y) / (2 * n)
    for k in range(STEPS):
        to = prox(penalty, v + step * C.T @ (y - C @ v) / n, step * alpha)
        if (v - to) @ (to - w) > 0:
            t = 1.0
        s = (1 + np.sqrt(1 + 4 * t**2)) / 2
        v, w, t = to + (t - 1) / s * (to - w), to, s
        if k % CHECK == 0 and _gap(C, y, w, alpha, penalty) <= enough:
            break
    return w


def _gap(C: np.ndarray, y: np.ndarray, w: np.ndarray, alpha: float, penalty: Groups | SparseGroups) -> float:
    """P(w) − D(s r) on the groups in use."""
    n, r = len(y), y - C @ w
    s = penalty.shrinkage(C.T @ r[:, None] / n, np.array([alpha]))[0]
    value = r @ r / (2 * n) + alpha * penalty.value(w[None])[0]
    return value - (y @ y - (y - s * r) @ (y - s * r)) / (2 * n)
