"""What does a graph over the rows add to robust PCA, and what does it cost where there is none?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar, judged


@dataclass(frozen=True)
class Seeds:
    """Several X = L + S, and the graph that neighbours on a path make."""

    X: list[np.ndarray]
    L: list[np.ndarray]
    graph: np.ndarray


class Objective(objective.Objective):
    title = "Robust PCA on a graph"
    text = (
        "Rows that follow each other are neighbours; 30 % of the entries are wrong, and there are ten seeds. On "
        "smooth data the rows of L are waves along the path; on the others they are in random order, so that the "
        "graph says nothing, and the table shows what it costs to believe it. At rank 4 robust PCA solved to its "
        "optimum finds L in most seeds by itself, so that a graph has little to add; at rank 10 it does not. Error is "
        "the mean of ‖L − L*‖/‖L*‖; "
        "wins are seeds with a lower error than robust PCA without a graph."
    )
    repeats = 2
    cap = 60.0
    columns = {"error": "mean error of L", "lost": "seeds not won, of ten"}  # noqa: RUF012

    def reference(self, data: Seeds) -> list[float]:
        from tamis import RobustPCA

        return [_error(RobustPCA(random_state=0).fit(X).low_rank_, L) for X, L in zip(data.X, data.L, strict=True)]

    def judge(self, data: Seeds, reference: list[float], result: list[np.ndarray]) -> dict[str, float]:
        errors = [_error(found, L) for found, L in zip(result, data.L, strict=True)]
        lost = sum(ours >= plain for ours, plain in zip(errors, reference, strict=True))
        return {"error": float(np.mean(errors)), "lost": float(lost)}

    def accepts(self, judged: dict[str, float]) -> bool:
        return bool(np.isfinite(judged["error"]))

    def bars(self, table: Table) -> list[dict[str, Any]]:
        lost = judged(table.ours(), "lost")
        return [bar("seeds won against RobustPCA", None if lost is None else 10 - lost, "≥", 9)]


def _error(found: np.ndarray, true: np.ndarray) -> float:
    return float(np.linalg.norm(found - true) / np.linalg.norm(true))


def datasets(quick: bool) -> list[Dataset]:
    n, p, seeds = (40, 30, 2) if quick else (120, 80, 10)
    return [
        Dataset(
            f"{n} × {p}, rank {rank}, 30 % wrong, {kind}",
            partial(waves, n, p, seeds, shuffled, rank),
            barred=not (quick or shuffled or rank == 4),
        )
        for rank in (10, 4)
        for shuffled, kind in ((False, "smooth on the graph"), (True, "rows in random order"))
    ]


def waves(n: int, p: int, seeds: int, shuffled: bool, rank: int) -> Seeds:
    all_X, all_L = [], []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        t = np.linspace(0, 1, n)
        W = np.column_stack([np.cos(np.pi * (k + 1) * t + rng.uniform(0, 2 * np.pi)) for k in range(rank)])
        L = W @ rng.standard_normal((rank, p))
        L = L[rng.permutation(n)] if shuffled else L
        wrong = rng.random(L.shape) < 0.3
        X = np.where(wrong, L + 5 * np.abs(L).mean() * rng.uniform(-1, 1, L.shape), L)
        all_X.append(X)
        all_L.append(L)
    return Seeds(all_X, all_L, np.eye(n, k=1) + np.eye(n, k=-1))
