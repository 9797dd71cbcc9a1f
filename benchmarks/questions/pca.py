"""How fast are the first principal directions, to six digits of the subspace?

Planted spectra with a gap after the last component asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse.linalg

from benchmarks import objective
from benchmarks.objective import Dataset, Table


@dataclass(frozen=True)
class Rows:
    """X and how many components are asked for."""

    X: Any
    k: int


class Objective(objective.Objective):
    title = "Principal components"
    text = (
        "The first k principal directions of centred rows. Error is the sine of the largest angle between the subspace "
        "found and the reference: eigenvectors of the covariance, or ARPACK to machine precision."
    )
    repeats = 3
    cap = 120.0
    columns = {"error": "sine of the angle"}  # noqa: RUF012

    def reference(self, data: Rows) -> np.ndarray:
        n, p = data.X.shape
        mean = np.asarray(data.X.mean(axis=0)).ravel()
        if p <= 1000:
            C = np.asarray(data.X.T @ data.X) / n - np.outer(mean, mean)
            return np.linalg.eigh(C)[1][:, ::-1][:, : data.k].T
        A = scipy.sparse.linalg.LinearOperator(
            (n, p), dtype=float,
            matvec=lambda v: data.X @ np.ravel(v) - mean @ np.ravel(v),
            rmatvec=lambda r: data.X.T @ np.ravel(r) - mean * np.ravel(r).sum(),
        )  # fmt: skip
        return scipy.sparse.linalg.svds(A, data.k, v0=np.ones(min(n, p)))[2]

    def judge(self, data: Rows, reference: np.ndarray, result: np.ndarray) -> dict[str, float]:
        if np.shape(result) != reference.shape or not np.isfinite(result).all():
            return {"error": float("inf")}
        Q = np.linalg.qr(np.asarray(result, dtype=float).T)[0]
        return {"error": float(np.linalg.norm(Q - reference.T @ (reference @ Q), 2))}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["error"] <= 1e-6

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [table.times_faster("times faster than the fastest", table.limit)]


def datasets(quick: bool) -> list[Dataset]:
    if quick:
        return [
            Dataset("500 × 20, k = 3", partial(planted, 500, 20, 3)),
            Dataset("60 × 200, k = 3", partial(planted, 60, 200, 3)),
        ]
    return [
        Dataset("1,000,000 × 100, k = 10", partial(planted, 1_000_000, 100, 10), limit=1.5),
        Dataset("2,000 × 20,000, k = 20", partial(planted, 2_000, 20_000, 20), limit=1.2),
    ]


def planted(n: int, p: int, k: int) -> Rows:
    """k directions, each 1.3 times as strong as noise and falling, over white noise."""
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.standard_normal((p, k)))[0]
    edge = np.sqrt(n) + np.sqrt(p)  # the largest singular value of the noise, nearly
    strength = 1.5 * edge * np.geomspace(4, 1, k) / np.sqrt(n)
    X = rng.standard_normal((n, p))
    X += (rng.standard_normal((n, k)) * strength) @ V.T
    return Rows(X + 1.0, k)
