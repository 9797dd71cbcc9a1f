"""Does a forward search by information gain take one counting pass per round, linear in rows and columns?

Discrete columns of 2 or 3 values, a few of which determine the class together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks import objective
from benchmarks.judging.greedy import LIMIT, is_choice, shortfall
from benchmarks.libraries.tamis.selection import GainSearch
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table, bar
from benchmarks.questions.mrmr_discrete import entropy

LINEAR = 2.3  # of twice the size over the size: 2, and a margin for the caches
SIZES = (GainSearch, *GainSearch.__subclasses__())
PARTS = {(kind.rows, kind.columns): kind.name for kind in SIZES}


class Answer(NamedTuple):
    """Columns in the order of their choice, their score, and the shares of the table that were given."""

    columns: list[int]
    score: float
    part: tuple[float, float]


class Objective(objective.Objective):
    title = "Forward search by information gain"
    text = (
        "Gain(S) = H(y) − H(y | x_S), what the partition of the rows by all columns of S tells of the class; columns "
        "are added one by one, each the one of largest Gain(S ∪ {x}). No competitor searches by the gain of a refined "
        "partition, so the question is whether ours takes one counting pass per round: its time on half and on a "
        "quarter of the rows, and of the columns, is taken in the same turns. Judged by sorting and counting "
        "the rows in plain NumPy: how far the worst step stays below the best free column, relative to it, and the "
        "error of the final gain in bits, both accepted up to 1e-9. The yardstick is scikit-learn's "
        "`mutual_info_classif` of the columns one by one: a single round of the search."
    )
    repeats = 10
    columns = {"shortfall": "shortfall", "error": "error, bits"}  # noqa: RUF012

    def reference(self, data: Codes) -> dict[Any, np.ndarray]:
        """Gains (k, p) of the steps that were judged already: one search for many repeats."""
        return {}

    def judge(self, data: Codes, reference: dict[Any, np.ndarray], result: Answer) -> dict[str, float]:
        part, order = data.part(*result.part), [int(j) for j in result.columns]
        if not is_choice(order, part.k, part.X.shape[1]):
            return dict.fromkeys(self.columns, float("inf"))
        key = (result.part, *order)
        if key not in reference:
            reference[key] = gains(part.X, part.y, order)
        scores = reference[key]
        return {
            "shortfall": shortfall(order, scores),
            "error": abs(float(result.score) - float(scores[-1, order[-1]])),
        }

    def accepts(self, judged: dict[str, float]) -> bool:
        return max(judged.values()) <= LIMIT

    def bars(self, table: Table) -> list[dict[str, Any]]:
        row = {part: table.row(name) for part, name in PARTS.items()}
        return [
            bar(f"time, {what}", table.ratio(row[whole], row[half]), "≤", LINEAR)
            for what, whole, half in [
                ("all rows / half", (1, 1), (1 / 2, 1)),
                ("half of the rows / a quarter", (1 / 2, 1), (1 / 4, 1)),
                ("all columns / half", (1, 1), (1, 1 / 2)),
                ("half of the columns / a quarter", (1, 1 / 2), (1, 1 / 4)),
            ]
        ]

    def bounds(self, data: Codes, reference: Any, table: Table, rates: Rates) -> list[str]:
        n_bytes, codes = data.X.nbytes, data.X.size
        seconds = (n_bytes + data.k * codes) / rates.bytes
        return [
            f"{seconds:.2g} s to read the table of {n_bytes / 1e6:.3g} MB once and its codes of a byte each, "
            f"{codes / 1e6:.3g} MB, once per round, at {rates.bytes / 1e9:.0f} GB/s{table.beside(seconds)}"
        ]


def gains(X: np.ndarray, y: np.ndarray, order: list[int]) -> np.ndarray:
    """Gain (k, p) in bits of every column with those chosen before it."""
    m, cells = int(y.max()) + 1, np.zeros(len(y), dtype=np.int64)
    steps = []
    for j in order:
        steps.append([gain(cells * (int(x.max()) + 1) + x, y, m) for x in X.T])
        _, cells = np.unique(cells * (int(X[:, j].max()) + 1) + X[:, j], return_inverse=True)
    return np.array(steps)


def gain(cells: np.ndarray, y: np.ndarray, m: int) -> float:
    """H(cells) + H(y) − H(cells, y)."""
    joint = np.bincount(cells * m + y, minlength=m * (int(cells.max()) + 1)).reshape(-1, m)
    return float(entropy(joint.sum(axis=1)) + entropy(joint.sum(axis=0)) - entropy(joint.ravel()))


@dataclass
class Codes:
    """Codes, classes, and how many columns to choose."""

    X: np.ndarray
    y: np.ndarray
    k: int

    def part(self, rows: float, columns: float) -> Codes:
        """The first rows and columns, a copy as a user would have it."""
        n, p = (round(size * share) for size, share in zip(self.X.shape, (rows, columns), strict=True))
        return Codes(np.ascontiguousarray(self.X[:n, :p]), self.y[:n], self.k)


def datasets(quick: bool) -> list[Dataset]:
    n, p, k = (400, 16, 3) if quick else (100_000, 200, 10)
    return [Dataset(f"{n:,} × {p}, 2 or 3 values, 4 classes, {k} chosen", partial(codes, n, p, k))]


def codes(n: int, p: int, k: int) -> Codes:
    """The class is the quarter of a noisy sum over one column in four."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, rng.integers(2, 4, p), (n, p))
    relevant = np.arange(0, p, 4)
    total = X[:, relevant] @ rng.uniform(0.2, 1, len(relevant)) + rng.standard_normal(n)
    return Codes(X, np.searchsorted(np.quantile(total, [0.25, 0.5, 0.75]), total), k)
