"""What does the second thread bring, and does it change anything?

Codes of natural patches by two threads, beside two processes of one thread that share the patches.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from benchmarks import objective
from benchmarks.judging.patches import first_atoms, natural_patches, tamis_codes
from benchmarks.objective import Dataset, Table, bar


class Objective(objective.Objective):
    title = "Threads on codes"
    text = (
        "Codes of natural patches by two threads. The yardstick is two processes of one thread, which code half of the "
        "patches each at the same time: what the machine gives where nothing is shared. Accepted where the codes are "
        "those of one thread, bit by bit."
    )
    repeats = 10
    columns = {"differ": "codes that differ"}  # noqa: RUF012

    def reference(self, data: Signals) -> csr_array:
        return tamis_codes(data.X, data.D, data.coder, 1)

    def judge(self, data: Signals, reference: csr_array, result: csr_array) -> dict[str, float]:
        if result.shape != reference.shape:
            return {"differ": float("inf")}
        return {"differ": float((result.toarray() != reference.toarray()).sum())}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["differ"] == 0

    def bars(self, table: Table) -> list[dict[str, Any]]:
        share = table.ratio(table.row("two processes"), table.ours())
        return [bar("of the throughput of two processes", share, "≥", 0.85)]


@dataclass
class Signals:
    X: np.ndarray
    D: np.ndarray
    coder: str


def datasets(quick: bool) -> list[Dataset]:
    n, k = (300, 40) if quick else (11_000, 441)
    words = {"omp": "10 non-zeros by OMP", "lasso": "lasso, α = 0.15"}
    return [
        Dataset(f"{n:,} natural patches of 64, {k} atoms, {words[coder]}", partial(signals, n, k, coder))
        for coder in words
    ]


def signals(n: int, k: int, coder: str) -> Signals:
    X = natural_patches(n)
    return Signals(X, first_atoms(X, k), coder)
