"""What does a graph over the rows add to robust PCA, and what does it cost where there is none?"""

from __future__ import annotations

from collections.abc import Callable
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
        "Rows that follow each other are neighbours; 30 % of the entries are wrong, and there are ten seeds. Smooth "
        "signals are drawn from N(0, 𝓛⁺), which is how signals on a graph are usually modelled (Dong, Thanou, Frossard "
        "& Vandergheynst 2016); waves are rows of L of low rank along the path. Where rows are in random order the "
        "graph says nothing, and the table shows what it costs to believe it. Of rank 4, robust PCA without a graph, "
        "solved to its optimum, finds L exactly in 6 of 10 seeds, and a graph has nothing to add: that row has no bar. "
        "γ is the default everywhere. Error is the mean of ‖L − L*‖/‖L*‖; wins are seeds with a lower error than "
        "robust PCA without a graph."
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
    drawn = [("smooth signals", partial(signals, n, p, seeds))]
    drawn += [(f"waves, rank {rank}", partial(waves, n, p, seeds, rank)) for rank in (10, 4)]
    return [
        Dataset(
            f"{n} × {p}, {kind}, 30 % wrong, {order}",
            partial(make, shuffled),
            barred=not (quick or shuffled or "rank 4" in kind),
        )
        for kind, make in drawn
        for shuffled, order in ((False, "smooth on the graph"), (True, "rows in random order"))
    ]


def waves(n: int, p: int, seeds: int, rank: int, shuffled: bool) -> Seeds:
    """Cosines along the path with phases of their own."""
    t = np.linspace(0, 1, n)

    def draw(rng: np.random.Generator) -> np.ndarray:
        W = np.column_stack([np.cos(np.pi * (k + 1) * t + rng.uniform(0, 2 * np.pi)) for k in range(rank)])
        return np.asarray(W @ rng.standard_normal((rank, p)))

    return spoilt(n, seeds, shuffled, draw)


def signals(n: int, p: int, seeds: int, shuffled: bool) -> Seeds:
    """Columns from N(0, 𝓛⁺), 𝓛 = D − W of the path: of full rank, and the more smooth the more likely."""
    W = np.eye(n, k=1) + np.eye(n, k=-1)
    values, vectors = np.linalg.eigh(np.diag(W.sum(axis=1)) - W)
    root = vectors[:, 1:] / np.sqrt(values[1:])  # the first value is 0, of the constant
    return spoilt(n, seeds, shuffled, lambda rng: np.asarray(root @ rng.standard_normal((n - 1, p))))


def spoilt(n: int, seeds: int, shuffled: bool, draw: Callable[[np.random.Generator], np.ndarray]) -> Seeds:
    """30 % of the entries of L wrong, by up to five times their mean size."""
    all_X, all_L = [], []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        L = draw(rng)
        L = L[rng.permutation(n)] if shuffled else L
        wrong = rng.random(L.shape) < 0.3
        X = np.where(wrong, L + 5 * np.abs(L).mean() * rng.uniform(-1, 1, L.shape), L)
        all_X.append(X)
        all_L.append(L)
    return Seeds(all_X, all_L, np.eye(n, k=1) + np.eye(n, k=-1))
