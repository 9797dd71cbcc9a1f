"""How fast is one signal coded by orthogonal matching pursuit, where forming a Gram matrix would cost more than it?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table, bar
from benchmarks.questions.basis_pursuit import planted


class Objective(objective.Objective):
    title = "Orthogonal matching pursuit of one signal"
    text = (
        "From a signal and a matrix with columns of unit length to the code. Accepted where the relative error to the "
        "planted code is at most 1e-8."
    )
    repeats = 10
    columns = {"error": "relative error"}  # noqa: RUF012

    def judge(self, data: OneSignal, reference: Any, result: np.ndarray) -> dict[str, float]:
        return {"error": float(np.linalg.norm(result - data.code) / np.linalg.norm(data.code))}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["error"] <= 1e-8

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        return [
            bar("times faster than SPAMS", table.ratio(table.row("SPAMS omp"), ours), "≥", 1.0),
            bar("times faster than scikit-learn", table.ratio(table.row("scikit-learn orthogonal_mp"), ours), "≥", 4.0),
        ]

    def bounds(self, data: OneSignal, reference: Any, table: Table, rates: Rates) -> list[str]:
        bytes_read = data.A.nbytes + data.n_nonzero * data.A.size * 2  # once as it is, then in numbers of 16 bits
        seconds = bytes_read / rates.bytes
        text = f"{1e3 * seconds:.2g} ms to read A once, and in 16 bits for each column that joins"
        text += f" ({rates.bytes / 1e9:.0f} GB/s from memory; a matrix of this size stays in the cache)"
        return [text + table.beside(seconds)]


@dataclass
class OneSignal:
    """y = A code."""

    A: np.ndarray
    y: np.ndarray
    code: np.ndarray
    n_nonzero: int


def datasets(quick: bool) -> list[Dataset]:
    m, n, k = (30, 60, 4) if quick else (500, 2000, 60)
    return [Dataset(f"{m:,} × {n:,}, {k} non-zeros", partial(one_signal, m, n, k))]


def one_signal(m: int, n: int, k: int) -> OneSignal:
    rng = np.random.default_rng(1)
    A = rng.standard_normal((m, n))
    A /= np.linalg.norm(A, axis=0)
    code = planted(rng, n, k, 1)[0]
    return OneSignal(A, A @ code, code, k)
