"""Where do half of the random problems fail for ℓ₁, and how long does it take to measure that?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar, judged


class Objective(objective.Objective):
    title = "Phase transition of ℓ₁"
    text = (
        "Random problems with Gaussian matrices and amplitudes on a grid of sparsities ρ = k/m around Donoho and "
        "Tanner's curve, and the ρ at which a logistic curve through the outcomes is one half. Accepted where it is "
        "near the curve at each δ = m/n; the seeds differ between the competitors, the numbers of problems do not."
    )
    repeats = 0
    cap = 90.0
    columns = {"off": "largest distance"}  # noqa: RUF012

    def judge(self, data: Grid, reference: Any, result: np.ndarray) -> dict[str, float]:
        return {"off": float(np.abs(result - data.theory()).max()), "allowed": data.allowed}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["off"] <= judged["allowed"]

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [bar("largest distance to the curve", judged(table.ours(), "off"), "≤", table.limit)]


@dataclass
class Grid:
    n: int
    deltas: tuple[float, ...]
    width: float
    points: int
    n_trials: int
    allowed: float

    def theory(self) -> np.ndarray:
        return np.array([weak_threshold(delta) for delta in self.deltas])

    @property
    def rhos(self) -> list[np.ndarray]:
        return [rho + np.linspace(-self.width, self.width, self.points) for rho in self.theory()]

    def line(self, recover: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
        """ρ of half success at each δ, by this recovery."""
        rng = np.random.default_rng(0)
        return np.array([self._half(recover, rng, d, rho) for d, rho in zip(self.deltas, self.rhos, strict=True)])

    def _half(self, recover: Any, rng: np.random.Generator, delta: float, rhos: np.ndarray) -> float:
        m, tried, won = round(delta * self.n), [], []
        for k in np.round(rhos * m).astype(int):
            for _ in range(self.n_trials):
                A, s = rng.standard_normal((m, self.n)) / np.sqrt(m), np.zeros(self.n)
                s[rng.permutation(self.n)[:k]] = rng.standard_normal(k)
                tried.append(k / m)
                won.append(np.linalg.norm(recover(A, A @ s) - s) <= 1e-3 * np.linalg.norm(s))
        ends = [rhos.min() - 0.05, rhos.max() + 0.05]
        X, w = 20 * np.array([*tried, *ends])[:, None], [*won, True, False]
        fit = LogisticRegression(C=1e4).fit(X, w)
        return float(-fit.intercept_[0] / fit.coef_[0, 0] / 20)


def weak_threshold(delta: float) -> float:
    """Donoho, Maleki & Montanari 2009."""

    def negative(z: float) -> float:
        h = (1 + z**2) * norm.cdf(-z) - z * norm.pdf(z)
        return float(-(1 - 2 * h / delta) / (1 + z**2 - 2 * h))

    return float(-minimize_scalar(negative, bounds=(0.05, 6.0), method="bounded", options={"xatol": 1e-9}).fun)


def datasets(quick: bool) -> list[Dataset]:
    deltas = (0.5,) if quick else (0.25, 0.5, 0.75)
    n, width, points, trials, allowed = (80, 0.2, 6, 6, 0.1) if quick else (1000, 0.06, 7, 16, 0.02)
    name = f"signals of {n:,}, δ = {', '.join(map(str, deltas))}, {points} × {trials} problems each"
    return [Dataset(name, partial(Grid, n, deltas, width, points, trials, allowed), limit=allowed)]
