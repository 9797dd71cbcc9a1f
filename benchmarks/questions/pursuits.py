"""Do pursuits that keep a support of fixed size find the exact one, in few iterations that cost little but products?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks import objective
from benchmarks.libraries.numpy import PURSUIT_PRODUCTS, PURSUIT_SOLVES
from benchmarks.objective import Dataset, Table, bar, judged
from benchmarks.questions.basis_pursuit import planted

METHODS = {"cosamp": 30, "htp": 30, "subspace_pursuit": 30, "niht": 300}  # iterations that are allowed


class Answer(NamedTuple):
    """Codes in rows, and the most iterations that one took."""

    codes: np.ndarray
    n_iter: int


class Objective(objective.Objective):
    title = "Pursuits of a fixed support"
    text = (
        "CoSaMP, hard thresholding pursuit, subspace pursuit and normalised iterative hard thresholding of signals "
        "with Gaussian amplitudes, each measured by a Gaussian matrix of its own. Accepted where every support is the "
        "planted one. The yardsticks are one product A x and one Aᵀ r for each iteration ours makes, and the least "
        "squares on supports of the size the method solves for, by Cholesky."
    )
    repeats = 3
    columns = {"wrong": "wrong supports", "error": "relative error", "n_iter": "iterations"}  # noqa: RUF012

    def judge(self, data: Planted, reference: Any, result: Answer) -> dict[str, float]:
        wrong = ((result.codes != 0) != (data.codes != 0)).any(axis=1)
        errors = np.linalg.norm(result.codes - data.codes, axis=1) / np.linalg.norm(data.codes, axis=1)
        return {"wrong": float(wrong.sum()), "error": float(errors.max()), "n_iter": float(result.n_iter)}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["wrong"] == 0

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours, products, solves = table.ours(), table.row(PURSUIT_PRODUCTS), table.row(PURSUIT_SOLVES)
        lines = [bar("iterations", judged(ours, "n_iter"), "≤", table.limit)]
        known = [row for row in (ours, products, solves) if row is not None and row.seconds is not None]
        if len(known) == 3:
            allowed = 1.5 * known[1].seconds + known[2].seconds  # type: ignore[operator]
            share = known[0].seconds / allowed  # type: ignore[operator]
            lines.append(bar("of 1.5 × the products + the solves", share, "≤", 1.0))
        return lines


@dataclass
class Planted:
    """Y[i] = matrices[i] codes[i]."""

    method: str
    matrices: list[np.ndarray]
    codes: np.ndarray
    Y: np.ndarray
    n_nonzero: int

    def iterations(self) -> list[int]:
        """Of ours, for the yardsticks."""
        from tamis.sensing import recover

        problems = zip(self.matrices, self.Y, strict=True)
        return [recover(A, y, self.method, n_nonzero=self.n_nonzero).n_iter for A, y in problems]

    def solved_sizes(self) -> list[int]:
        """Columns of the least squares of one iteration."""
        k = self.n_nonzero
        return {"cosamp": [3 * k], "htp": [k], "subspace_pursuit": [2 * k, k], "niht": []}[self.method]


def datasets(quick: bool) -> list[Dataset]:
    m, n, k, signals = (60, 120, 4, 2) if quick else (1000, 4000, 100, 10)
    return [
        Dataset(
            f"{method}, {m:,} × {n:,}, {k} non-zeros, {signals} signals",
            partial(gaussian, method, m, n, k, signals),
            limit=float(most),
        )
        for method, most in METHODS.items()
    ]


def gaussian(method: str, m: int, n: int, k: int, signals: int) -> Planted:
    rng = np.random.default_rng(0)
    matrices = [rng.standard_normal((m, n)) / np.sqrt(m) for _ in range(signals)]
    codes = planted(rng, n, k, signals)
    return Planted(method, matrices, codes, np.array([A @ s for A, s in zip(matrices, codes, strict=True)]), k)
