"""Does approximate message passing do in its first iterations what its state evolution says?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar, judged


class Objective(objective.Objective):
    title = "Message passing and its state evolution"
    text = (
        "The mean square error of the code after each of the first iterations, mean over seeds of Gaussian matrices of "
        "variance 1/m and codes of normal amplitudes with mean square 1, against the state evolution that the "
        "judge integrates numerically. Every iteration count is a run of its own, of the public function. Accepted "
        "where no mean is off by more than 5 %."
    )
    repeats = 0
    cap = 240.0
    columns = {"deviation": "largest deviation"}  # noqa: RUF012

    def reference(self, data: Seeds) -> np.ndarray:
        return evolution(data.delta, data.share, data.iterations)

    def judge(self, data: Seeds, reference: np.ndarray, result: np.ndarray) -> dict[str, float]:
        return {"deviation": float(np.abs(result / reference - 1).max())}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["deviation"] <= 0.05

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [bar("largest deviation", judged(table.ours(), "deviation"), "≤", 0.05)]


@dataclass
class Seeds:
    """Codes of length n with a share of normal entries of mean square 1, measured m = δ n times."""

    n: int
    delta: float
    share: float
    seeds: int
    iterations: list[int]

    def errors(self, recover: Callable[[np.ndarray, np.ndarray, int], np.ndarray]) -> np.ndarray:
        """Mean over seeds of the mean square error after each of the iterations."""
        m, k = round(self.delta * self.n), round(self.share * self.n)
        total = np.zeros(len(self.iterations))
        for seed in range(self.seeds):
            rng = np.random.default_rng(seed)
            A, s = rng.standard_normal((m, self.n)), np.zeros(self.n)
            A /= np.sqrt(m)
            s[:k] = rng.standard_normal(k)
            s /= np.sqrt(np.mean(s[:k] ** 2))
            y = A @ s
            total += [np.mean((recover(A, y, t) - s) ** 2) for t in self.iterations]
        return total / self.seeds


def datasets(quick: bool) -> list[Dataset]:
    n, seeds, iterations = (2_000, 4, [1, 2]) if quick else (10_000, 20, [1, 2, 3, 5, 7, 10])
    name = f"n = {n:,}, δ = 0.5, ρ = 0.2, {seeds} seeds, iterations {', '.join(map(str, iterations))}"
    return [Dataset(name, partial(Seeds, n, 0.5, 0.1, seeds, iterations))]


def evolution(delta: float, share: float, iterations: list[int]) -> np.ndarray:
    """δ τ² after each iteration: τ² ← E(S_θτ(X + τZ) − X)²/δ, X standard normal with probability ``share``, else 0."""
    theta, tau2, errors = threshold(delta), share / delta, []
    for _ in range(max(iterations)):
        tau = np.sqrt(tau2)
        error = share * _risk(1.0, tau, theta) + (1 - share) * _risk(0.0, tau, theta)
        errors.append(error)
        tau2 = error / delta
    return np.array([errors[t - 1] for t in iterations])


def _risk(variance: float, tau: float, theta: float) -> float:
    """E(S(X + τZ) − X)² with X ~ N(0, variance): given v = X + τZ, X is normal with mean c v and variance c τ²."""
    total = variance + tau**2
    c = variance / total

    def density(v: float) -> float:
        soft = np.sign(v) * max(abs(v) - theta * tau, 0.0)
        return float(((soft - c * v) ** 2 + c * tau**2) * norm.pdf(v, scale=np.sqrt(total)))

    return 2 * sum(quad(density, *part)[0] for part in ((0.0, theta * tau), (theta * tau, 12 * np.sqrt(total))))


def threshold(delta: float) -> float:
    """The minimax threshold, on a fine grid (Donoho, Maleki & Montanari 2009)."""
    z = np.linspace(0.1, 6, 59_001)
    risk = (1 + z**2) * norm.cdf(-z) - z * norm.pdf(z)
    return float(z[np.argmax((1 - 2 / delta * risk) / (1 + z**2 - 2 * risk))])
