"""The judge every path of a convex sparse model shares: how far above a proved lower bound does each alpha lie?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.judging import duality
from benchmarks.machine import Rates
from benchmarks.objective import Table

LIMIT = 1e-7
Path = tuple[np.ndarray, np.ndarray]  # coefficients (m, p) or (m, K, p), intercepts (m,) or (m, K)

JUDGED = (
    "Judged: the largest (P − D) / P(0) over the path, D a lower bound of the optimum (the dual value of a reference"
    " path whose own gap is below 1e-9 P(0)) and P(0) the value of the best constant; accepted up to 1e-7."
)


@dataclass(frozen=True)
class Reference:
    """Lower bounds (m,) of the optimal values, and how many columns the last alpha uses."""

    lower: np.ndarray
    support: int


class PathObjective(objective.Objective):
    """A question whose answer is a path; it says its loss, its penalty and a precise path to take the bounds from."""

    columns = {"suboptimality": "suboptimality"}  # noqa: RUF012
    loss: duality.Loss = duality.Squares()

    def penalty(self, data: Any) -> duality.Penalty:
        return duality.L1()

    def precise(self, data: Any) -> Path:
        """Any path will do, because its dual values are proved afterwards."""
        raise NotImplementedError

    def reference(self, data: Any) -> Reference:
        path = self.precise(data)
        return Reference(lower_bounds(self.loss, self.penalty(data), data, path), columns_used(path[0][-1]))

    def judge(self, data: Any, reference: Reference, result: Path) -> dict[str, float]:
        return {"suboptimality": suboptimality(self.loss, self.penalty(data), data, reference.lower, result)}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["suboptimality"] <= LIMIT

    def bounds(self, data: Any, reference: Reference, table: Table, rates: Rates) -> list[str]:
        return [work_bound(data.X, reference.support, table, rates)]

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [table.times_faster("times faster than the fastest competitor", table.limit)]


def lower_bounds(loss: duality.Loss, penalty: duality.Penalty, data: Any, path: Path) -> np.ndarray:
    lower = duality.dual_values(loss, penalty, data, *path)
    gap = np.max(duality.primal_values(loss, penalty, data, *path) - lower) / loss.null_value(data.y)
    if not gap <= LIMIT / 100:
        raise RuntimeError(f"the judge's reference path has a relative gap of {gap:.1e}: too loose to judge {LIMIT:g}")
    return lower


def suboptimality(loss: duality.Loss, penalty: duality.Penalty, data: Any, lower: np.ndarray, path: Path) -> float:
    coefs, intercepts = path
    if hasattr(coefs, "toarray"):
        coefs = coefs.toarray()
    if (len(coefs), np.shape(coefs)[-1]) != (len(data.alphas), data.X.shape[1]) or not np.isfinite(coefs).all():
        return float("inf")
    above = duality.primal_values(loss, penalty, data, coefs, np.asarray(intercepts)) - lower
    return float(above.max() / loss.null_value(data.y))


def columns_used(w: np.ndarray) -> int:
    return int(np.any(np.atleast_2d(w) != 0, axis=0).sum())


def work_bound(X: Any, support: int, table: Table, rates: Rates) -> str:
    """X read once, and the Gram of the columns of the last alpha: what no method here does without."""
    n = X.shape[0]
    n_bytes, flops = (X.nbytes, n * support * (support + 1)) if isinstance(X, np.ndarray) else (12 * X.nnz, 0)
    seconds = rates.seconds(flops, n_bytes)
    work = f"X read once ({n_bytes / 1e9:.2g} GB at {rates.bytes / 1e9:.0f} GB/s)"
    if flops:
        gram = f"the Gram of the {support} columns of the last alpha ({rates.flops / 1e9:.0f} Gflop/s)"
        work = f"the longer of {work} and {gram}"
    return f"{seconds:.3g} s, {work}{table.beside(seconds)}"
