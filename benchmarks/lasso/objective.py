"""Who reaches a lasso path of certified quality first?"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import question
from benchmarks.lasso.datasets import Regression
from benchmarks.machine import Rates
from benchmarks.question import Table, bar

PRODUCT = "NumPy X.T @ X"
LIMIT = 1e-7
Path = tuple[np.ndarray, np.ndarray]  # coefficients (n_alphas, p), intercepts (n_alphas,)


class Objective(question.Objective):
    title = "Lasso path"
    text = (
        "P(w, b) = 1/(2n) ‖y − Xw − b‖² + α‖w‖₁ at alphas from α_max to α_max / 100, intercept included. Judged: the "
        "largest (P − D) / P(0) over the path, D a lower bound of the optimum (the dual value of a reference path "
        "whose own gap is below 1e-9 P(0)); accepted up to 1e-7. Corr(x_i, x_j) = ρ^|i − j|, a planted support of "
        "p / 10 columns of ±1, signal to noise 5. Where a library has no path with an intercept, centring is timed too."
    )
    repeats = 12
    columns = {"suboptimality": "suboptimality"}  # noqa: RUF012

    def reference(self, data: Regression) -> np.ndarray:
        """Lower bounds D (n_alphas,) of the optimal values, proved by a dual point each."""
        path = _precise_path(data)
        lower = dual_values(data, *path)
        gap = np.max(primal_values(data, *path) - lower) / null_value(data)
        if not gap <= LIMIT / 100:
            raise RuntimeError(
                f"the judge's reference path has a relative gap of {gap:.1e}: too loose to judge {LIMIT:g}"
            )
        return lower

    def judge(self, data: Regression, reference: np.ndarray, result: Path) -> dict[str, float]:
        coefs, intercepts = result
        if np.shape(coefs) != (len(data.alphas), data.X.shape[1]) or not np.isfinite(coefs).all():
            return {"suboptimality": float("inf")}
        above = (primal_values(data, coefs, intercepts) - reference) / null_value(data)
        return {"suboptimality": float(above.max())}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["suboptimality"] <= LIMIT

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [
            bar("times faster than the fastest competitor", table.ratio(table.fastest_rival(), table.ours()), "≥", 1.2),
            bar(f"time / {PRODUCT}", table.ratio(table.ours(), table.row(PRODUCT)), "≤", 1.4),
        ]

    def bounds(self, data: Regression, rates: Rates) -> list[str]:
        n, p = data.X.shape
        seconds = rates.seconds(n * p * (p + 1), 8 * n * p)
        return [f"{seconds:.3g} s for any method that needs the whole Gram ({rates.flops / 1e9:.0f} Gflop/s measured)"]


def null_value(data: Regression) -> float:
    """P(0) with the best intercept: half the variance of y."""
    return float(np.var(data.y) / 2)


def primal_values(data: Regression, coefs: np.ndarray, intercepts: np.ndarray) -> np.ndarray:
    R = _residuals(data, coefs, intercepts)
    return (R**2).mean(axis=0) / 2 + data.alphas * np.abs(coefs).sum(axis=1)


def dual_values(data: Regression, coefs: np.ndarray, intercepts: np.ndarray) -> np.ndarray:
    """D(θ) = (‖y_c‖² − ‖y_c − nθ‖²) / (2n) with nθ = s·r_c, r_c the centred residual and s ≤ 1 making |X_cᵀθ| ≤ α."""
    n = len(data.y)
    R = _residuals(data, coefs, intercepts)
    R -= R.mean(axis=0)
    y = data.y - data.y.mean()
    steepest = np.abs((data.X - data.X.mean(axis=0)).T @ R).max(axis=0) / n
    s = np.minimum(1, data.alphas / steepest)
    return (y @ y - ((y[:, None] - s * R) ** 2).sum(axis=0)) / (2 * n)


def _residuals(data: Regression, coefs: np.ndarray, intercepts: np.ndarray) -> np.ndarray:
    return data.y[:, None] - data.X @ np.asarray(coefs).T - np.asarray(intercepts)


def _precise_path(data: Regression) -> Path:
    """Any path will do, because its dual values are proved afterwards."""
    from sklearn.linear_model import lasso_path

    m = data.X.mean(axis=0)
    C = data.X - m
    _, coefs, _ = lasso_path(
        C, data.y - data.y.mean(), alphas=data.alphas, precompute=C.T @ C, tol=1e-13, max_iter=10**6
    )
    return coefs.T, data.y.mean() - m @ coefs
