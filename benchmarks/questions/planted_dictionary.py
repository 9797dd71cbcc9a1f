"""How many atoms of a planted dictionary does K-SVD find again?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar


class Answer(NamedTuple):
    dictionaries: list[np.ndarray]


class Objective(objective.Objective):
    title = "Planted dictionaries"
    text = (
        "1,500 signals of 20 numbers, each of 3 atoms of 50, noise at 20 dB: the experiment of Aharon, Elad and "
        "Bruckstein (2006). An atom is recovered where one that was found has |⟨d, d̂⟩| > 0.99 with it; mean over seeds."
    )
    repeats = 1
    columns = {"recovered": "atoms recovered"}  # noqa: RUF012

    def reference(self, data: Problems) -> None:
        return None

    def judge(self, data: Problems, reference: None, result: Answer) -> dict[str, float]:
        shares = []
        for D, found in zip(data.dictionaries, result.dictionaries, strict=True):
            unit = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
            shares.append((np.abs(D @ unit.T).max(axis=1) > 0.99).mean())
        return {"recovered": float(np.mean(shares))}

    def accepts(self, judged: dict[str, float]) -> bool:
        return bool(np.isfinite(judged["recovered"]))

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        return [bar("share of atoms recovered", ours.judged.get("recovered") if ours else None, "≥", 0.9)]


@dataclass
class Problems:
    rows: list[np.ndarray]
    dictionaries: list[np.ndarray]
    n_nonzero: int
    sweeps: int


def datasets(quick: bool) -> list[Dataset]:
    seeds, n, sweeps = (1, 300, 3) if quick else (10, 1_500, 80)
    return [
        Dataset(f"{n:,} signals, 50 atoms of 20, 3 non-zeros, {sweeps} sweeps", partial(problems, seeds, n, sweeps))
    ]


def problems(seeds: int, n: int, sweeps: int) -> Problems:
    made = [planted(np.random.default_rng(seed), n) for seed in range(seeds)]
    return Problems([X for X, _ in made], [D for _, D in made], 3, sweeps)


def planted(rng: np.random.Generator, n: int, k: int = 50, p: int = 20) -> tuple[np.ndarray, np.ndarray]:
    D = rng.standard_normal((k, p))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    Z = np.zeros((n, k))
    for z in Z:
        z[rng.choice(k, 3, replace=False)] = rng.standard_normal(3)
    X = Z @ D
    noise = rng.standard_normal(X.shape)
    return X + noise * (np.linalg.norm(X) / np.linalg.norm(noise) / 10), D
