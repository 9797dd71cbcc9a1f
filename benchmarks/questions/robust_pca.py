"""How fast is a matrix split into low rank and gross errors, to six digits?

Planted factors; 10 % of the entries are wrong, by up to five times their mean size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar, judged, measured


@dataclass(frozen=True)
class Planted:
    """X = L + S. ``rank`` is for those that have to be told it."""

    X: np.ndarray
    L: np.ndarray
    rank: int


class Objective(objective.Objective):
    title = "Robust PCA"
    text = (
        "X = L + S with L of low rank and a tenth of the entries of S not zero; nobody is told which, and only rpca is "
        "told the rank. Error is ‖L − L*‖/‖L*‖ to the planted L*, at most 1e-6."
    )
    repeats = 3
    cap = 60.0
    columns = {"error": "error of L", "iterations": "iterations"}  # noqa: RUF012

    def judge(self, data: Planted, reference: None, result: np.ndarray) -> dict[str, float]:
        if np.shape(result) != data.L.shape or not np.isfinite(result).all():
            return {"error": float("inf")}
        return {"error": float(np.linalg.norm(result - data.L) / np.linalg.norm(data.L))}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["error"] <= 1e-6

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours, side = table.ours(), int(table.dataset.split(" ")[0].replace(",", ""))
        pyrpca = table.row("pyrpca")
        if side >= 5000:
            memory = None if ours is None or ours.peak_mb is None else ours.peak_mb * 2**20 / (8 * side**2)
            one, rounds = table.ratio(ours, table.row("NumPy, products of one iteration")), measured(ours, "iterations")
            return [
                bar("error", judged(ours, "error"), "≤", 1e-6),
                bar("iterations", rounds, "≤", 60),
                bar("memory beside that of X", memory, "≤", 6),
                bar("times the products of as many iterations", one / rounds if one and rounds else None, "≤", 3),
            ]
        faster = table.ratio(pyrpca, ours)
        known = faster is not None or pyrpca is None or pyrpca.least is None or not (ours and ours.seconds)
        at_least = None if known else pyrpca.least / ours.seconds  # type: ignore[union-attr,operator]
        lines = [bar("times faster than pyrpca", faster if known else at_least, "≥", table.limit, not known)]
        return [*lines, bar("error", judged(ours, "error"), "≤", 1e-7)] if side == 500 else lines


def datasets(quick: bool) -> list[Dataset]:
    if quick:
        return [Dataset("80 × 80, rank 2", partial(planted, 80, 2), barred=False)]
    return [
        Dataset("500 × 500, rank 10", partial(planted, 500, 10), limit=25),
        Dataset("2,000 × 2,000, rank 20", partial(planted, 2000, 20), limit=50),
        Dataset("5,000 × 5,000, rank 50", partial(planted, 5000, 50)),
    ]


def planted(n: int, rank: int) -> Planted:
    rng = np.random.default_rng(0)
    L = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, n))
    X = L.copy()
    wrong = rng.random((n, n)) < 0.1
    X[wrong] += 5 * np.abs(L).mean() * rng.uniform(-1, 1, int(wrong.sum()))
    return Planted(X, L, rank)
