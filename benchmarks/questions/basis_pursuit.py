"""How fast is the code of least ℓ₁ norm found that measures a signal exactly?

Codes with Gaussian amplitudes, measured by a Gaussian matrix, or by rows of a cosine transform that nobody writes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar


class Objective(objective.Objective):
    title = "Basis pursuit"
    text = (
        "The code with the least ‖s‖₁ among those with A s = y, of signals whose planted code is that one. Accepted "
        "where the relative error ‖s − planted‖ / ‖planted‖ is at most 1e-9 with the matrix (1e-6 where SPAMS' path "
        "ends, shown unjudged) and 1e-6 with the transform. All signals of a set are recovered one after the other."
    )
    repeats = 5
    cap = 30.0  # seconds for all signals: interior points and the simplex method take minutes, we a tenth of a second
    columns = {"error": "relative error"}  # noqa: RUF012

    def judge(self, data: Measured, reference: Any, result: np.ndarray) -> dict[str, float]:
        errors = np.linalg.norm(result - data.codes, axis=1) / np.linalg.norm(data.codes, axis=1)
        return {"error": float(errors.max()), "asked": data.accuracy}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["error"] <= judged["asked"]

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours, spgl1 = table.ours(), table.row("SPGL1")
        lines = [bar("times faster than SPGL1", table.ratio(spgl1, ours), "≥", table.limit)]
        if table.limit > 4:
            lines.append(table.times_faster("times faster than Clarabel", 200.0, than="cvxpy, Clarabel"))
        return lines


@dataclass
class Measured:
    """y = A s of each row of ``codes``: A a matrix, or None where it is rows of the cosine transform of length n."""

    A: np.ndarray | None
    rows: np.ndarray
    n: int
    codes: np.ndarray
    Y: np.ndarray
    accuracy: float


def datasets(quick: bool) -> list[Dataset]:
    dense = (30, 60, 4, 2) if quick else (500, 2000, 60, 10)
    transform = (256, 128, 10) if quick else (65_536, 16_384, 2_000)
    return [
        Dataset("Gaussian {:,} × {:,}, {} non-zeros, {} signals".format(*dense), partial(gaussian, *dense), limit=5.0),
        Dataset("partial cosine transform {:,}, {:,} rows, {:,} non-zeros".format(*transform),
                partial(cosine, *transform), limit=2.5),
    ]  # fmt: skip


def gaussian(m: int, n: int, k: int, signals: int) -> Measured:
    rng = np.random.default_rng(0)
    A = rng.standard_normal((m, n))
    A /= np.linalg.norm(A, axis=0)
    codes = planted(rng, n, k, signals)
    return Measured(A, np.arange(m), n, codes, codes @ A.T, 1e-9)


def cosine(n: int, m: int, k: int) -> Measured:
    from scipy.fft import dct

    rng = np.random.default_rng(0)
    rows = np.sort(rng.choice(n, m, replace=False))
    codes = planted(rng, n, k, 1)
    return Measured(None, rows, n, codes, dct(codes, norm="ortho", axis=1)[:, rows], 1e-6)


def planted(rng: np.random.Generator, n: int, k: int, signals: int) -> np.ndarray:
    codes = np.zeros((signals, n))
    for s in codes:
        s[rng.choice(n, k, replace=False)] = rng.standard_normal(k)
    return codes
