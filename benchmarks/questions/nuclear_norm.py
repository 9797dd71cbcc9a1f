"""Are small nuclear-norm problems solved as an interior-point method solves them?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar, judged


@dataclass(frozen=True)
class Known:
    """X with NaN where an entry is not known; α = 0 is the completion of least nuclear norm (11.26)."""

    X: np.ndarray
    alpha: float


class Objective(objective.Objective):
    title = "The nuclear-norm problem"
    text = (
        "min ‖M‖_* with M = X at the known entries, or min ½‖P_Ω(X − M)‖² + α‖M‖_*. The reference is Clarabel's "
        "solution through cvxpy, to 1e-9; the difference is relative, in the Frobenius norm, at most 1e-5."
    )
    repeats = 3
    cap = 30.0
    columns = {"difference": "difference to the reference"}  # noqa: RUF012

    def reference(self, data: Known) -> np.ndarray:
        from benchmarks.judging.semidefinite import nuclear_norm_completion

        return nuclear_norm_completion(data.X, data.alpha, "CLARABEL", tol_gap_abs=1e-9, tol_gap_rel=1e-9)

    def judge(self, data: Known, reference: np.ndarray, result: np.ndarray) -> dict[str, float]:
        if np.shape(result) != reference.shape or not np.isfinite(result).all():
            return {"difference": float("inf")}
        return {"difference": float(np.linalg.norm(result - reference) / np.linalg.norm(reference))}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["difference"] <= 1e-5

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [bar("difference to the reference", judged(table.ours(), "difference"), "≤", 1e-5)]


def datasets(quick: bool) -> list[Dataset]:
    m, n = (12, 10) if quick else (40, 30)
    return [
        Dataset(f"{m} × {n}, exact (11.26)", partial(planted, m, n, 0.0)),
        Dataset(f"{m} × {n}, penalised", partial(planted, m, n, 0.5)),
    ]


def planted(m: int, n: int, alpha: float) -> Known:
    rng = np.random.default_rng(0)
    M = rng.standard_normal((m, 2)) @ rng.standard_normal((2, n))
    noise = 0.2 * rng.standard_normal((m, n)) if alpha else 0.0
    return Known(np.where(rng.random((m, n)) < 0.7, M + noise, np.nan), alpha)
