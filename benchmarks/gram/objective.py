"""Is the centred Gram as fast as NumPy's product of two matrices, and as exact as two passes?"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import question
from benchmarks.gram.reference import relative_error, two_pass
from benchmarks.machine import Rates
from benchmarks.question import Table, bar, judged

PRODUCT = "NumPy X.T @ X"


class Objective(question.Objective):
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
