"""The choice of α: the grid of a path, the rules that take one of its alphas (by held-out error or an information
criterion), and the degrees of freedom that a criterion counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis._core.memory import require_memory
from tamis.datafits import CouplesOutputs
from tamis.penalties import CompiledPenalty, Penalty

CROSS_VALIDATED = ("min", "1se")
CRITERIA = ("aic", "bic", "ebic")
RULES = (*CROSS_VALIDATED, *CRITERIA)


def require_room(alphas: Any, n_coefs: int) -> None:
    """Complain, before any work is done, about more alphas than there is room for: a path keeps n_coefs for each."""
    count = check_count("alphas", alphas, at_most=2**53) if np.ndim(alphas) == 0 else np.size(alphas)
    require_memory(8.0 * count * (1 + n_coefs), f"a path of {count:,} alphas", "give fewer, such as alphas=100")


def alpha_grid(alphas: Any, find_max: Callable[[], float], eps: float) -> np.ndarray:
    """Descending alphas: those given, or so many from α_max, which costs passes to find, down to eps · α_max."""
    if np.ndim(alphas) == 0:
        count = check_count("alphas", alphas)
        check_number("eps", eps, above=0, at_most=1)
        alpha_max = find_max()
        if not np.isfinite(alpha_max):
            raise InputError(
                f"alphas={count} asks for a grid from α_max down, but without an ℓ₁ or group term (l1_ratio = 0) no α "
                "makes every coefficient zero: give the alphas themselves",
                argument="alphas",
            )
        least = float(np.finfo(float).resolution)
        if alpha_max <= least:  # there is nothing to find: as in scikit-learn, no α below what can be told from 0
            return np.full(count, least)
        return np.geomspace(alpha_max, alpha_max * eps, count) if count > 1 else np.array([alpha_max])
    try:
        _require_numbers(alphas)
        if np.ndim(alphas) > 1:
            raise ValueError
        given = np.sort(np.asarray(alphas, dtype=np.float64).ravel())[::-1].copy()
    except (TypeError, ValueError):
        raise InputError(f"alphas must be a whole number or numbers ≥ 0, got {alphas!r}", argument="alphas") from None
    if not len(given) or not np.isfinite(given).all() or given[-1] < 0:
        raise InputError(f"alphas must be finite numbers ≥ 0, got {alphas!r}", argument="alphas")
    return given


def _require_numbers(alphas: Any) -> None:
    """Neither strings, which NumPy would read as numbers, nor booleans."""
    given = np.asarray(alphas)
    values = given.ravel().tolist() if given.dtype.kind == "O" else ()
    if given.dtype.kind in "USb" or any(isinstance(value, (str, bytes, bool)) for value in values):
        raise TypeError


@dataclass(frozen=True)
class Choice:
    """Positions in the descending alphas: of the least mean error, and of the largest α within one standard error."""

    least: int
    one_standard_error: int

    def by(self, rule: str) -> int:
        return self.least if rule == "min" else self.one_standard_error


def choose_alpha(errors: np.ndarray) -> Choice:
    """From errors (n_alphas, n_folds); among equal errors the larger α. The standard error is std/√folds."""
    mean = errors.mean(axis=1)
    k = errors.shape[1]
    spread = errors.std(axis=1, ddof=1) / np.sqrt(k) if k > 1 else np.zeros_like(mean)
    least = int(np.argmin(mean))
    return Choice(least, int(np.argmax(mean <= mean[least] + spread[least])))


def criterion(rule: str, deviance: np.ndarray, df: np.ndarray, n: float, p: int) -> np.ndarray:
    """deviance + c · df: AIC c = 2 (Akaike 1974), BIC c = log n (Schwarz 1978), EBIC BIC + 2 log C(p, df) (Chen and
    Chen 2008, with their γ = 1).

    ``deviance`` is −2 log-likelihood: n log(RSS/n) for squares, whose variance is profiled out, 2n · log loss for
    classes.
    """
    value = deviance + (2.0 if rule == "aic" else np.log(n)) * df
    if rule == "ebic":
        k = np.clip(df, 0, p)
        value = value + 2 * (gammaln(p + 1) - gammaln(k + 1) - gammaln(p - k + 1))
    return value


def degrees_of_freedom(H: np.ndarray, ridge: np.ndarray) -> float:
    """tr (H_SS + diag ridge)⁻¹ H_SS over the support S: its size for the lasso (Zou, Hastie and Tibshirani 2007), less
    where squares of coefficients are penalised too. H is the Hessian of the datafit. Groups count by their columns.
    """
    if not ridge.any():
        return float(len(H))
    return float(np.trace(np.linalg.lstsq(H + np.diag(ridge), H, rcond=None)[0]))


def joint_hessian(datafit: Any, y: np.ndarray, Z: np.ndarray, s: Any, X: np.ndarray, used: np.ndarray) -> np.ndarray:
    """Second derivatives of the datafit with respect to the coefficients ``used`` (K, p) of columns X, all outputs.

    Output by output, in the order of ``np.nonzero(used)``.
    """
    blocks: list[list[np.ndarray]] = []
    for j, right in enumerate(used):
        unit = np.zeros_like(Z)
        unit[:, j] = 1.0
        coupled = isinstance(datafit, CouplesOutputs)
        curve = datafit.curve(y, Z, unit, s) if coupled else unit * datafit.hessian(y, Z, s)  # (n, K): d²/dz_k dz_j
        weighted = [curve[:, [k]] * X[:, right] for k in range(len(used))]
        blocks.append([X[:, left].T @ part for left, part in zip(used, weighted, strict=True)])
    return np.block([[blocks[j][k] for j in range(len(used))] for k in range(len(used))])


def minimised_over(H: np.ndarray, out: np.ndarray) -> np.ndarray:
    """H after the coefficients ``out`` are minimised over: the Schur complement, on the others."""
    kept = ~out
    across = H[np.ix_(out, kept)]
    return H[np.ix_(kept, kept)] - across.T @ np.linalg.lstsq(H[np.ix_(out, out)], across, rcond=None)[0]


def ridge_of(penalty: Penalty, p: int) -> np.ndarray:
    """The weights of the squares in the penalty; none are known of a penalty that is not made of terms."""
    return penalty.terms(p).l2 if isinstance(penalty, CompiledPenalty) else np.zeros(p)
