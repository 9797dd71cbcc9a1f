"""Degrees of freedom of a penalised fit, for information criteria."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.datafits import CouplesOutputs
from tamis.penalties import CompiledPenalty, Penalty


def effective_number(H: np.ndarray, ridge: np.ndarray) -> float:
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


def without(H: np.ndarray, out: np.ndarray) -> np.ndarray:
    """H after the coefficients ``out`` are minimised over: the Schur complement, on the others."""
    kept = ~out
    across = H[np.ix_(out, kept)]
    return H[np.ix_(kept, kept)] - across.T @ np.linalg.lstsq(H[np.ix_(out, out)], across, rcond=None)[0]


def ridge_of(penalty: Penalty, p: int) -> np.ndarray:
    """The weights of the squares in the penalty; none are known of a penalty that is not made of terms."""
    return penalty.terms(p).l2 if isinstance(penalty, CompiledPenalty) else np.zeros(p)
