"""Is the centred Gram as fast as NumPy's product of two matrices, and as exact as two passes?

Gaussian columns with means around 3, and with means 10⁸ times their spread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import objective
from benchmarks.libraries.numpy import PRODUCT
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table, bar, judged

ROWS = 256  # of a product that is rounded in float64


class Objective(objective.Objective):
    title = "Centred Gram in memory"
    text = (
        "S = Σ (x − m)(x − m)ᵀ of a float64 matrix. Error is max |S − S_ref| / max diag S_ref, S_ref from two passes "
        "over blocks of 256 rows, summed in extended precision. The yardstick `X.T @ X` does not centre."
    )
    repeats = 12
    columns = {"error": "error"}  # noqa: RUF012

    def reference(self, data: np.ndarray) -> np.ndarray:
        return two_pass(lambda: [data])

    def judge(self, data: np.ndarray, reference: np.ndarray, result: np.ndarray) -> dict[str, float]:
        return {"error": relative_error(result, reference)}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["error"] <= 1e-12

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [
            bar(f"time / {PRODUCT}", table.ratio(table.ours(), table.row(PRODUCT)), "≤", 1.1),
            bar("error", judged(table.ours(), "error"), "≤", 1e-12),
        ]

    def bounds(self, data: np.ndarray, reference: Any, table: Table, rates: Rates) -> list[str]:
        n, p = data.shape
        flops, n_bytes = n * p * (p + 1), 8 * n * p
        return [
            f"{rates.seconds(flops, n_bytes):.3g} s, the larger of {flops:.3g} flops (one triangle) at "
            f"{rates.flops / 1e9:.0f} Gflop/s measured in a product of square matrices and {n_bytes / 1e9:.2g} GB at "
            f"{rates.bytes / 1e9:.0f} GB/s measured in a dot product"
        ]


def gram_bound(X: np.ndarray, table: Table, rates: Rates) -> str:
    """What whoever computes the Gram of all rows cannot go below."""
    n, p = X.shape
    seconds = rates.seconds(n * p * (p + 1), X.nbytes)
    return f"{seconds:.3g} s for one Gram of all rows ({rates.flops / 1e9:.0f} Gflop/s measured){table.beside(seconds)}"


def datasets(quick: bool) -> list[Dataset]:
    n, p = (2_000, 10) if quick else (1_000_000, 100)
    small = n // 5
    return [
        Dataset(f"{n:,} × {p}", partial(gaussian, n, p, 3.0)),
        Dataset(f"{small:,} × {p}, means 10⁸ × spread", partial(gaussian, small, p, 1e8), barred=False),
    ]


def gaussian(n: int, p: int, mean: float) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    X += mean * rng.uniform(0.5, 1.5, p)
    return X


def two_pass(pieces: Callable[[], Iterable[np.ndarray]]) -> np.ndarray:
    """S = Σ (x − m)(x − m)ᵀ over all rows of the pieces, m their mean, in plain NumPy.

    Products of 256 rows are rounded in float64, everything above them is summed in extended precision (64 bits, not
    53, on x86), so each entry is within about 256 · 2⁻⁵³ ≈ 3e-14 of the largest diagonal entry, whatever n.
    m is rounded to float64 before it is subtracted; − n d dᵀ takes back what that rounding d leaves.
    """
    n, total = 0, np.longdouble(0)
    for X in pieces():
        n, total = n + len(X), total + X.sum(axis=0, dtype=np.longdouble)
    m = (total / n).astype(np.float64)
    S, shift = np.longdouble(0), np.longdouble(0)
    with threadpool_limits(1):  # such small products would only wait for each other's threads
        for X in pieces():
            for start in range(0, len(X), ROWS):
                C = X[start : start + ROWS] - m
                S, shift = S + C.T @ C, shift + C.sum(axis=0, dtype=np.longdouble)
    d = shift / n
    return (S - n * np.outer(d, d)).astype(np.float64)


def relative_error(S: np.ndarray, reference: np.ndarray) -> float:
    """max |S − S_ref| / max diag S_ref; infinite for an answer that is not finite or has another shape."""
    if np.shape(S) != reference.shape or not np.isfinite(S).all():
        return float("inf")
    return float(np.abs(S - reference).max() / reference.diagonal().max())
