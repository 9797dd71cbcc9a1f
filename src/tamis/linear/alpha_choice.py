"""Which α of a path to take: by held-out error, or by an information criterion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

CROSS_VALIDATED = ("min", "1se")
CRITERIA = ("aic", "bic", "ebic")
RULES = (*CROSS_VALIDATED, *CRITERIA)


@dataclass(frozen=True)
class Choice:
    """Positions in the descending alphas: of the least mean error, and of the largest α within one standard error."""

    least: int
    within: int

    def by(self, rule: str) -> int:
        return self.least if rule == "min" else self.within


def choose(errors: np.ndarray) -> Choice:
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
