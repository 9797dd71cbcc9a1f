"""How fast are many signals coded by orthogonal matching pursuit?

Noisy combinations of a few atoms of a random dictionary.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from benchmarks import objective
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table

LOOKED_AT = 500  # signals whose pursuit the judge repeats
ALLOWED = {8: 1e-6, 4: 1e-4}  # |⟨d, r⟩| / ‖x‖ of atoms in use, by bytes of a number


class Objective(objective.Objective):
    title = "Orthogonal matching pursuit of many signals"
    text = (
        "At each step one atom joins, the one that correlates most with the residual (SPAMS: the one that lowers the "
        "residual most), and the code is refitted by least squares. From signals and dictionary to sparse codes: all "
        "products are timed. Accepted where no code uses more atoms than allowed, residuals are orthogonal to those in "
        "use (|⟨d, r⟩| ≤ 1e-6 ‖x‖, in float32 1e-4), and the mean of ‖r‖ / ‖x‖ over some of the signals is at most "
        "1.001 times that of the judge's own pursuit of them, done with NumPy's least squares."
    )
    repeats = 10
    columns = {"slope": "|⟨d, r⟩| / allowed", "residual": "‖r‖ / judge's"}  # noqa: RUF012

    def reference(self, data: Signals) -> float:
        X, D = data.X[_some(data)].astype(np.float64), data.D.astype(np.float64)
        return _mean_residual(X, np.array([pursue(x, D, data.n_nonzero) for x in X]) @ D)

    def judge(self, data: Signals, reference: float, result: csr_array) -> dict[str, float]:
        if result.shape != (len(data.X), len(data.D)) or np.diff(result.indptr).max() > data.n_nonzero:
            return {"slope": float("inf"), "residual": float("inf")}
        X, D = data.X[_some(data)].astype(np.float64), data.D.astype(np.float64)
        Z = result[_some(data)].toarray().astype(np.float64)
        slope = np.abs((X - Z @ D) @ D.T) / np.linalg.norm(X, axis=1, keepdims=True) / ALLOWED[data.X.dtype.itemsize]
        return {"slope": float(slope[Z != 0].max()), "residual": _mean_residual(X, Z @ D) / reference}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["slope"] <= 1 and judged["residual"] <= 1.001

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [table.times_faster("times faster than the fastest competitor", 1.5)]

    def bounds(self, data: Signals, reference: float, table: Table, rates: Rates) -> list[str]:
        (n, d), k = data.X.shape, len(data.D)
        return [f"{2 * n * d * k / rates.flops:.2g} s for X Dᵀ alone ({rates.flops / 1e9:.0f} Gflop/s measured)"]


def pursue(x: np.ndarray, D: np.ndarray, n_nonzero: int) -> np.ndarray:
    chosen: list[int] = []
    z, r = np.zeros(len(D)), x
    for _ in range(n_nonzero):
        chosen.append(int(np.abs(D @ r).argmax()))
        z[chosen] = np.linalg.lstsq(D[chosen].T, x, rcond=None)[0]
        r = x - z @ D
    return z


def _mean_residual(X: np.ndarray, fit: np.ndarray) -> float:
    return float((np.linalg.norm(X - fit, axis=1) / np.linalg.norm(X, axis=1)).mean())


def _some(data: Signals) -> slice:
    return slice(None, None, max(1, len(data.X) // LOOKED_AT))


@dataclass
class Signals:
    """Signals in the rows of X (n, d), unit atoms in the rows of D (k, d), and how many of them a code may use."""

    X: np.ndarray
    D: np.ndarray
    n_nonzero: int


def datasets(quick: bool) -> list[Dataset]:
    n, d, k, n_nonzero = (200, 16, 40, 4) if quick else (20_000, 64, 441, 10)
    name = f"{n:,} signals of {d}, {k} atoms, {n_nonzero} non-zeros"
    types = (np.float64, np.float32)
    return [Dataset(f"{name}, {of.__name__}", partial(signals, n, d, k, n_nonzero, of)) for of in types]


def signals(n: int, d: int, k: int, n_nonzero: int, dtype: type = np.float64) -> Signals:
    """x = Σ over n_nonzero random atoms, with Gaussian coefficients, plus noise of a tenth of its norm."""
    rng = np.random.default_rng(0)
    D = rng.standard_normal((k, d))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    Z = np.zeros((n, k))
    for z in Z:
        z[rng.choice(k, n_nonzero, replace=False)] = rng.standard_normal(n_nonzero)
    X = Z @ D
    noise = rng.standard_normal((n, d))
    noise *= 0.1 * np.linalg.norm(X, axis=1, keepdims=True) / np.linalg.norm(noise, axis=1, keepdims=True)
    return Signals((X + noise).astype(dtype), D.astype(dtype), n_nonzero)
