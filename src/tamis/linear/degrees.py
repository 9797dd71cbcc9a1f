"""Degrees of freedom of a penalised fit, for information criteria."""

from __future__ import annotations

import numpy as np

from tamis.penalties import CompiledPenalty, Penalty


def effective_number(H: np.ndarray, ridge: np.ndarray) -> float:
    """tr (H_SS + diag ridge)⁻¹ H_SS over the support S: its size for the lasso (Zou, Hastie and Tibshirani 2007), less
    where squares of coefficients are penalised too. H is the Hessian of the datafit. Groups count by their columns.
    """
    if not ridge.any():
        return float(len(H))
    return float(np.trace(np.linalg.lstsq(H + np.diag(ridge), H, rcond=None)[0]))


def ridge_of(penalty: Penalty, p: int) -> np.ndarray:
    """The weights of the squares in the penalty; none are known of a penalty that is not made of terms."""
    return penalty.terms(p).l2 if isinstance(penalty, CompiledPenalty) else np.zeros(p)
