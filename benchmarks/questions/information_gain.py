"""How fast is the information gain of every column with the class?

Discrete columns of 2 to 10 values, one in ten of them depending on the class.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.libraries.sklearn import feature_selection
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table, bar, judged

SKLEARN = feature_selection.InformationGain.name
Data = tuple[np.ndarray, np.ndarray]


class Objective(objective.Objective):
    title = "Information gain of discrete columns"
    text = (
        "Gain(x) = H(y) − H(y | x) in bits for every column. Error is the largest difference from the entropies of the "
        "counts, computed by the judge column by column in extended precision."
    )
    repeats = 5
    columns = {"error": "error, bits"}  # noqa: RUF012

    def reference(self, data: Data) -> np.ndarray:
        X, y = data
        return np.array([_gain(x, y) for x in X.T])

    def judge(self, data: Data, reference: np.ndarray, result: np.ndarray) -> dict[str, float]:
        if np.shape(result) != reference.shape or not np.isfinite(result).all():
            return {"error": float("inf")}
        return {"error": float(np.abs(result - reference).max())}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["error"] <= 1e-12

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [
            bar(f"times faster than {SKLEARN}", table.ratio(table.row(SKLEARN), table.ours()), "≥", 100),
            bar("error, bits", judged(table.ours(), "error"), "≤", 1e-12),
        ]

    def bounds(self, data: Data, reference: Any, table: Table, rates: Rates) -> list[str]:
        n_bytes = data[0].nbytes
        return [
            f"{n_bytes / rates.bytes:.2g} s to read the table of {n_bytes / 1e6:.3g} MB at {rates.bytes / 1e9:.0f} GB/s"
        ]


def _gain(x: np.ndarray, y: np.ndarray) -> float:
    """H(x) + H(y) − H(x, y)."""
    pairs = np.stack([x, y], axis=1)
    return float(_entropy(x[:, None]) + _entropy(y[:, None]) - _entropy(pairs))


def _entropy(rows: np.ndarray) -> np.longdouble:
    _, counts = np.unique(rows, axis=0, return_counts=True)
    share = counts.astype(np.longdouble) / len(rows)
    return -(share * np.log2(share)).sum()


def datasets(quick: bool) -> list[Dataset]:
    n, p = (300, 12) if quick else (5_000, 500)
    return [Dataset(f"{n:,} × {p}, 2 to 10 values, 4 classes", partial(discrete_table, n, p, 4))]


def discrete_table(n: int, p: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    levels = rng.integers(2, 11, p)
    X = rng.integers(0, levels, (n, p))
    for j in range(0, p, 10):
        rows = rng.random(n) < rng.uniform(0.1, 0.9)
        X[rows, j] = y[rows] % levels[j]
    return X, y
