"""How fast is a noisy measured signal explained by few non-zeros: the lasso of compressed sensing?

A Gaussian matrix, or rows of a cosine transform that nobody writes out; noise 30 dB below the measurements.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.by_hand import partial_cosine
from benchmarks.judging import l1
from benchmarks.objective import Dataset, Table
from benchmarks.questions.basis_pursuit import cosine, planted


class Objective(objective.Objective):
    title = "Basis pursuit denoising"
    text = (
        "The least ½‖y − A s‖² + λ‖s‖₁ with λ = σ ‖a‖ √(2 log n), ‖a‖ the length of columns and σ² the variance of the "
        "noise, 30 dB below the measurements. "
        "Accepted where the objective is at most 1 + 1e-7 times the least, which the judge has found and proved by a "
        "duality gap below 1e-10. SPGL1 is given the radius ‖y − A s‖ of that minimum, for which its problem has the "
        "same solution."
    )
    repeats = 5
    cap = 20.0
    columns = {"excess": "objective / least − 1"}  # noqa: RUF012

    def judge(self, data: Noisy, reference: Any, result: np.ndarray) -> dict[str, float]:
        return {"excess": float(l1.objective(data.operator(), data.y, data.lam, result) / data.least - 1)}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["excess"] <= 1e-7

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [table.times_faster("times faster than the fastest competitor", 1.5)]


@dataclass
class Noisy:
    """y = A code + noise: A a matrix, or None where it is ``rows`` of the cosine transform of length n."""

    A: np.ndarray | None
    rows: np.ndarray
    n: int
    y: np.ndarray
    lam: float
    least: float = 0.0
    radius: float = 0.0

    def operator(self) -> Any:
        return l1.operator(self.A) if self.A is not None else partial_cosine(self.n, self.rows)

    def solved(self) -> Noisy:
        """With the least objective and the norm of its residual."""
        s, least = l1.minimise(self.operator(), self.y, self.lam)
        self.least = float(least)
        self.radius = float(np.linalg.norm(self.y - self.operator() @ s))
        return self


def datasets(quick: bool) -> list[Dataset]:
    dense = (40, 80, 5) if quick else (1000, 4000, 100)
    transform = (256, 128, 10) if quick else (65_536, 16_384, 2_000)
    return [
        Dataset("Gaussian {:,} × {:,}, {} non-zeros".format(*dense), partial(gaussian, *dense)),
        Dataset("partial cosine transform {:,}, {:,} rows, {:,} non-zeros".format(*transform),
                partial(transformed, *transform)),
    ]  # fmt: skip


def gaussian(m: int, n: int, k: int) -> Noisy:
    rng = np.random.default_rng(0)
    A = rng.standard_normal((m, n))
    A /= np.linalg.norm(A, axis=0)
    return _noisy(rng, A, np.arange(m), n, A @ planted(rng, n, k, 1)[0], 1.0)


def transformed(n: int, m: int, k: int) -> Noisy:
    clean = cosine(n, m, k)
    return _noisy(np.random.default_rng(1), None, clean.rows, n, clean.Y[0], np.sqrt(m / n))


def _noisy(
    rng: np.random.Generator, A: np.ndarray | None, rows: np.ndarray, n: int, clean: np.ndarray, length: float
) -> Noisy:
    """``length``: of the columns of A."""
    sigma = 10**-1.5 * float(np.linalg.norm(clean)) / np.sqrt(len(clean))
    y = clean + sigma * rng.standard_normal(len(clean))
    return Noisy(A, rows, n, y, length * sigma * np.sqrt(2 * np.log(n))).solved()
