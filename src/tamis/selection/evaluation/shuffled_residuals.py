"""Targets whose residuals beside a subset are shuffled (Freedman and Lane 1983), and the errors of fits to them.

y* = ŷ + P e: ŷ is the least-squares fit of y on the subset in all rows, e = y − ŷ, P a permutation. The subset then
tells about y* what it does about y, and other columns no more than chance has it. Without a subset that is y shuffled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis._core.memory import require_memory
from tamis.operators import as_operator
from tamis.sources.base import Source, row_values

if TYPE_CHECKING:
    from tamis.selection.evaluation.linear_fit import Folds

Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Rows:
    """The rows behind the Gram matrices: their source, and (train, test) of each fit; one fit on all rows where there
    are no splits."""

    source: Source
    splits: Sequence[Split] | None


@dataclass(frozen=True)
class NullErrors:
    """(F, n_candidates, B) squared errors of the held-out rows, and (F, B) Σ (y* − mean)² of them."""

    errors: np.ndarray
    spread: np.ndarray


def null_errors(
    folds: Folds, rows: Rows, candidates: np.ndarray, n_shuffles: int, rng: np.random.Generator
) -> NullErrors:
    """Of the fits to shuffled targets with each candidate beside the subset that the folds are at."""
    y, weight = row_values(rows.source)
    assert y is not None, "a prepared fit has a target"
    y = y - np.average(y, weights=weight)
    used = np.arange(len(y)) if weight is None else np.flatnonzero(weight)
    w = np.ones(len(y)) if weight is None else weight
    columns = [*folds.members, *candidates.tolist()]
    require_memory(
        8 * len(y) * (n_shuffles + len(columns)), f"{n_shuffles} shuffles of {len(y):,} rows", "take some of the rows"
    )
    X = as_operator(rows.source).columns(np.array(columns, dtype=np.intp))
    center = np.asarray(X.T @ w).ravel() / w.sum()
    Y = _shuffled(X, y, used, folds, center, n_shuffles, rng)
    splits = rows.splits if rows.splits is not None else [(np.arange(len(y)), np.arange(len(y)))]
    found = [_fit(folds, f, _Products.of(X, Y, w, center, *split), candidates) for f, split in enumerate(splits)]
    return NullErrors(np.stack([errors for errors, _ in found]), np.stack([spread for _, spread in found]))


def _shuffled(
    X: Any, y: np.ndarray, used: np.ndarray, folds: Folds, center: np.ndarray, n: int, rng: np.random.Generator
) -> np.ndarray:
    """(n_rows, n) targets."""
    k, S = len(folds.members), folds.members
    fit = np.zeros(len(y))
    if k:
        G = folds.whole
        beta = np.linalg.pinv(G[np.ix_(S, S)], rcond=1e-12, hermitian=True) @ G[S, -1]
        fit = np.asarray(X[:, :k] @ beta).ravel() - center[:k] @ beta
    e = (y - fit)[used]
    out = np.tile(y[:, None], (1, n))
    out[used] = fit[used, None] + rng.permuted(np.tile(e, (n, 1)), axis=1).T
    return out


@dataclass(frozen=True)
class _Products:
    """Of the training rows about their means with y*, and of the held-out rows about the same means."""

    Ay: np.ndarray  # (columns, B)
    Ty: np.ndarray  # (columns, B)
    Tyy: np.ndarray  # (B,)
    spread: np.ndarray  # (B,)

    @classmethod
    def of(cls, X: Any, Y: np.ndarray, w: np.ndarray, center: np.ndarray, train: np.ndarray, test: np.ndarray) -> Any:
        W, Sx, Sy, Sxy, _ = _sums(X, Y, w, center, train)
        mx, my = Sx / W, Sy / W
        Wt, Tx, Ty, Txy, Tyy = _sums(X, Y, w, center, test)
        return cls(
            Sxy - np.outer(Sx, my),
            Txy - np.outer(mx, Ty) - np.outer(Tx, my) + Wt * np.outer(mx, my),
            Tyy - 2 * my * Ty + Wt * my**2,
            Tyy - Ty**2 / Wt,
        )


def _sums(X: Any, Y: np.ndarray, w: np.ndarray, center: np.ndarray, rows: np.ndarray) -> tuple[Any, ...]:
    """Σ w, Σ w x, Σ w y, Σ w x y and Σ w y² over some rows, x taken about the centre."""
    w, Z = w[rows], Y[rows]
    wZ = w[:, None] * Z
    part = X[rows]
    Sy = wZ.sum(axis=0)
    Sxy = np.asarray(part.T @ wZ) - np.outer(center, Sy)
    Sx = np.asarray(part.T @ w).ravel() - center * w.sum()
    return w.sum(), Sx, Sy, Sxy, (wZ * Z).sum(axis=0)


def _fit(folds: Folds, f: int, products: Any, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n_candidates, B) errors of one fit, and its spread: the rank-one update of ``Folds.errors`` for many targets."""
    S, k = folds.members, len(folds.members)
    V = folds.V[f][:, candidates]
    beta = folds.solution(f, S) @ products.Ay[:k]
    T = folds.T[f]
    g = products.Ty - T[np.ix_([*S, *candidates.tolist()], S)] @ beta
    error = products.Tyy - (beta * (products.Ty[:k] + g[:k])).sum(axis=0)
    r = products.Ay[k:] - V.T @ products.Ay[:k]
    t = g[k:] - V.T @ g[:k]
    s, u, adds = (
        values[f][:, None] for values in (folds.s[:, candidates], folds.u[:, candidates], folds.adds(candidates))
    )
    step = np.divide(r, s, out=np.zeros_like(r), where=adds)
    errors = error - 2 * step * t + step**2 * u
    for i in np.flatnonzero(folds.open[f] | folds.opens(candidates)[f]).tolist():
        errors[i] = _direct(folds, f, products, i, int(candidates[i]))
    return errors, products.spread


def _direct(folds: Folds, f: int, products: Any, i: int, j: int) -> np.ndarray:
    """(B,) errors of one fit with one candidate, where the training rows leave coefficients open."""
    S, k = [*folds.members, j], len(folds.members)
    at = [*range(k), k + i]
    beta = folds.solution(f, S) @ products.Ay[at]
    T = folds.T[f][np.ix_(S, S)]
    return products.Tyy - (beta * (2 * products.Ty[at] - T @ beta)).sum(axis=0)
