"""Who finds the best ten of 5,000 columns, and how much of it is proved?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar
from benchmarks.questions.lasso import design


class Answer(NamedTuple):
    """Coefficients, intercept, and the relative gap that is claimed; NaN where none is."""

    coef: np.ndarray
    intercept: float
    gap: float


class Objective(objective.Objective):
    title = "Best subset"
    text = (
        "1/(2n)‖y − Xw − b‖² + ridge/2 ‖w‖² with at most K coefficients that are not zero; columns of unit length, "
        "correlation 0.5^|i − j|, signal to noise 3. Judged: the objective above that of the planted columns, "
        "relatively; accepted up to 1e-9, that is no worse. First without a ridge and without a proof, beside abess: "
        "`LinearRegression(support_size=[K])`; then with n · ridge = 0.3, where ours goes on until the gap is below "
        "1 % or 10 s are over. l0bnb needs NumPy 1 and is not installed beside the others. A minute of a weak ridge, "
        "and a small table, are questions of their own."
    )
    repeats = 3
    cap = 60.0
    columns = {"excess": "objective above the planted", "gap": "proved gap"}  # noqa: RUF012

    def reference(self, data: Planted) -> float:
        return best_on(data, data.S)

    def judge(self, data: Planted, reference: float, result: Answer) -> dict[str, float]:
        w = np.asarray(result.coef)
        if np.count_nonzero(w) > data.K:
            return {"excess": np.inf, "gap": result.gap}
        # Of the columns chosen, for a rival without a ridge leaves its coefficients a little off.
        value = best_on(data, np.flatnonzero(w))
        return {"excess": float(value / reference - 1), "gap": float(result.gap)}

    def accepts(self, judged: dict[str, float]) -> bool:
        return bool(judged["excess"] <= 1e-9)

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        if any(row.role != "tamis" and row.accepted for row in table.rows):
            return [table.times_faster("times faster than the fastest competitor", table.limit)]
        return [bar("proved relative gap", ours and ours.judged.get("gap"), "≤", 0.01)]


@dataclass
class Planted:
    """Rows, the planted columns, ridge, and seconds for a proof."""

    X: np.ndarray
    y: np.ndarray
    S: np.ndarray
    ridge: float
    seconds: float

    @property
    def K(self) -> int:
        return len(self.S)


def datasets(quick: bool) -> list[Dataset]:
    n, p, K = (100, 40, 3) if quick else (1_000, 5_000, 10)
    name = f"{n:,} × {p:,}, K = {K}"
    return [
        Dataset(f"{name}, no ridge, no proof", partial(planted, n, p, K, 0.0, 0.0), limit=0.5),
        Dataset(f"{name}, n · ridge = 0.3", partial(planted, n, p, K, 0.3, 10.0)),
    ]


def planted(n: int, p: int, K: int, times_n: float, seconds: float) -> Planted:
    rng = np.random.default_rng(0)
    X = design(rng, n, p, 0.5)
    X -= X.mean(axis=0)
    X /= np.linalg.norm(X, axis=0)
    S = np.sort(rng.choice(p, K, replace=False))
    z = X[:, S].sum(axis=1)
    y = z + z.std() / np.sqrt(3) * rng.standard_normal(n)
    return Planted(np.asfortranarray(X), y, S, times_n / n, seconds)


def best_on(data: Planted, S: np.ndarray) -> float:
    X, y, n = data.X[:, S], data.y - data.y.mean(), len(data.y)
    w = np.linalg.solve(X.T @ X / n + data.ridge * np.eye(len(S)), X.T @ y / n)
    return float(((y - X @ w) ** 2).mean() / 2 + data.ridge / 2 * w @ w)
