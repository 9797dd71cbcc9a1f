"""How many components: a number, a share of the variance, or a rule that knows what noise looks like."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.linalg import eigvalsh

from tamis._core.checks import check_number, suggestion
from tamis._core.errors import InputError
from tamis._kernels.interruption import until_interrupted

RULES = ("auto", "parallel", "gavish_donoho")
DRAWS, LEVEL = 40, 0.95  # tables of noise that a spectrum is compared with, and the quantile of theirs it must exceed
LARGE = 500  # rows or columns, whichever are fewer: beyond, half as many tables


def check_n_components(value: Any, most: int, *, rules: bool = True) -> Any:
    """A count in 1 … most, a share in (0, 1], the name of a rule, or None for all."""
    if value is None:
        return most
    if isinstance(value, str) and rules:
        if str.__str__(value) in RULES:
            return str.__str__(value)
        rule_names = ", ".join(repr(rule) for rule in RULES)
        raise _wrong(f"n_components must be a number, a share of the variance or one of {rule_names}; got {value!r}"
                     f"{suggestion(value, RULES)}")  # fmt: skip
    if isinstance(value, bool) or not isinstance(value, Real):
        raise _wrong(f"n_components must be a whole number or a share of the variance, got {value!r}")
    if isinstance(value, Integral):
        if not 1 <= int(value) <= most:
            raise _wrong(
                f"n_components must be between 1 and {most}, the lesser of the numbers of rows and columns (n_samples, "
                f"n_features); got {value!r}"
            )
        return int(value)
    return check_number("n_components", value, above=0.0, at_most=1.0)


def _wrong(message: str) -> InputError:
    return InputError(message, argument="n_components")


def count_for_share(shares: np.ndarray, share: float) -> int:
    """The least K with Σ_{k ≤ K} λₖ / Σ λₖ ≥ share, to rounding."""
    reached = np.cumsum(shares) >= share - 1e-12
    return int(reached.argmax()) + 1 if reached.any() else len(shares)


def parallel_analysis(variances: np.ndarray, spreads: np.ndarray, n: int, rng: np.random.Generator) -> int:
    """Horn (1965): as long as a variance exceeds the quantile of the same in tables of independent normal columns.

    ``spreads`` are the variances of the columns, n the number of rows. For n > p a table's scatter is drawn as such
    (Bartlett's decomposition of a Wishart matrix), so no rows are needed and none are drawn.
    """
    m = min(len(variances), n - 1)
    draws = DRAWS if min(n, len(spreads)) <= LARGE else DRAWS // 2
    noise = np.array([_noise(spreads, n, m, rng) for _ in until_interrupted(range(draws))])
    above = variances[:m] > np.quantile(noise, LEVEL, axis=0)
    return m if above.all() else int(above.argmin())


def _noise(spreads: np.ndarray, n: int, m: int, rng: np.random.Generator) -> np.ndarray:
    """The m largest variances of n rows of independent normal columns, about their means."""
    p, scale = len(spreads), np.sqrt(spreads)
    if n - 1 <= p:  # a rotation takes the mean out: n − 1 rows about zero
        B = rng.standard_normal((n - 1, p)) * scale
    else:
        B = np.tril(rng.standard_normal((p, p)), -1)
        B[np.diag_indices(p)] = np.sqrt(rng.chisquare(n - 1 - np.arange(p)))
        B *= scale[:, None]
    return eigvalsh(B @ B.T, check_finite=False)[::-1][:m] / (n - 1)


def gavish_donoho(variances: np.ndarray, n: int, p: int) -> int:
    """Singular values above ω(β) times their median, β = min(n, p)/max(n, p): the best hard threshold for a low-rank
    table in white noise of unknown level (Gavish & Donoho 2014, equation 5).

    p counts the columns that are not constant: the others hold no noise to tell its level from. Where more than half of
    the rest are 0, there is no noise, and all that is left is signal.
    """
    m = min(n - 1, p)
    beta = m / max(n - 1, p)
    omega = 0.56 * beta**3 - 0.95 * beta**2 + 1.82 * beta + 1.43
    s = np.sqrt(variances[:m])
    return int(np.count_nonzero(s > omega * np.median(s)))
