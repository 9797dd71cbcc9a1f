"""What a certificate is verified with: the rows and the penalty's limits, written out once more.

Nothing here is shared with datafits, penalties' proximal operators or the solvers, so that it can contradict them.
Outputs are always a second axis: Z and θ are (n, K), W is (K, p).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis.solvers.verification_columns import BlockAbout, ColumnsAbout
from tamis.sources import as_source


class CertifiedRows:
    """Blocks (s, X, y, Z = XWᵀ + b) of a table, labels coded as the loss wants them.

    CertifiedRows without weight are left out; where there is an intercept, X is about centres and Z about the same.
    """

    def __init__(self, certificate: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self.W = np.atleast_2d(certificate.w).astype(np.float64)
        self.b = np.atleast_1d(certificate.intercept).astype(np.float64)
        self.n_outputs = len(self.W)
        self.classes = certificate.classes
        self.class_weight = certificate.class_weight
        self.several = np.asarray(y, dtype=np.float64) if self._has_columns(y) else None
        if self.several is not None and self.several.shape[1] != self.n_outputs:
            raise InputError(
                f"y has shape {self.several.shape}, but the model was fitted on {self.n_outputs} target(s): give the y "
                "that was fitted"
            )
        self.source: Any = as_source(X, None if self.several is not None else y, sample_weight=sample_weight)
        self.columns = ColumnsAbout(self._weighted, self.W.shape[1], certificate.fit_intercept)
        self.b = self.columns.intercepts(self.W, self.b)

    def _has_columns(self, y: Any) -> bool:
        return self.classes is None and not isinstance(y, str) and len(getattr(y, "shape", ())) == 2

    def deviations(self) -> np.ndarray:
        """Standard deviations of the columns."""
        return self.columns.deviations(self._weighted)

    def blocks(self) -> Iterator[tuple[np.ndarray, BlockAbout, np.ndarray, np.ndarray]]:
        for s, given, y in self._given():
            X = self.columns.of(given)
            yield s, X, y, X.times(self.W) + self.b

    def _weighted(self) -> Iterator[tuple[np.ndarray, Any]]:
        return ((s, X) for s, X, _ in self._given())

    def _given(self) -> Iterator[tuple[np.ndarray, Any, np.ndarray]]:
        for block in self.source.blocks():
            s = np.ones(len(block)) if block.weight is None else block.weight
            if self.several is not None:
                y = self.several[block.start : block.start + len(block)]
            elif self.classes is None:
                y = block.y[:, None]
            else:
                codes = self._codes(block.y)
                s = s if self.class_weight is None else s * np.asarray(self.class_weight)[codes]
                y = np.eye(len(self.classes))[codes]
                y = 2 * y[:, 1:] - 1 if self.n_outputs == 1 else y
            used = s > 0
            yield (s, block.X, y) if used.all() else (s[used], block.X[used], y[used])

    def _codes(self, y: np.ndarray) -> np.ndarray:
        """Positions in ``classes``; sources give labels as positions in levels of their own."""
        found, positions = np.unique(y, return_inverse=True)
        if self.source.labels:
            levels = self.source.schema.target.levels
            labels = [levels[int(k)] for k in found]
        else:
            labels = found.tolist()
        code_of = {label: k for k, label in enumerate(np.asarray(self.classes).tolist())}
        strange = [label for label in labels if label not in code_of]
        if strange:
            raise InputError(f"y holds {shorten(strange)}, not among the classes {shorten(code_of)} of the fit")
        return np.array([code_of[label] for label in labels], dtype=np.intp)[positions]


class Limits:
    """Where c may lie so that (αΩ)*(c) is finite, and what it is there. Columns are divided by their scale."""

    def __init__(self, certificate: Any, rows: CertifiedRows) -> None:
        terms, alpha = certificate.terms, certificate.alpha
        self.p = len(terms.l1)
        given = np.ones(self.p) if certificate.scale is None else certificate.scale
        self.column_scale = rows.deviations() if certificate.standardized else given
        self.positive = terms.positive
        self.l1, self.l2 = alpha * terms.l1[:, None], alpha * terms.l2[:, None]
        self.labels = terms.labels
        self.group = np.zeros(0) if terms.group is None else alpha * terms.group
        in_group = 0.0 if self.labels is None else self.group[self.labels][:, None]
        self.free = np.flatnonzero((self.l1 + self.l2 + in_group == 0)[:, 0])
        self.fit_intercept = certificate.fit_intercept
        self.n_along = len(self.free) + bool(self.fit_intercept)
        self.nonzero = (np.atleast_2d(certificate.w) != 0).T
        self.centre, self.spread = np.zeros(len(self.free)), np.ones(len(self.free))

    def measure(self, rows: CertifiedRows) -> None:
        """Means and spreads of the unpenalised columns: about them, 1 and these columns can be told apart."""
        if not len(self.free):
            return
        if self.fit_intercept:
            self.centre = self._mean(rows, lambda x: x)
        size = np.sqrt(self._mean(rows, lambda x: x**2))
        self.spread = np.where(size > 0, size, 1.0)

    def _mean(self, rows: CertifiedRows, of: Any) -> np.ndarray:
        total, n = np.zeros(len(self.free)), 0.0
        for s, X, _, _ in rows.blocks():
            total += s @ of(self._unpenalised(X))
            n += float(s.sum())
        return total / n

    def _unpenalised(self, X: BlockAbout) -> np.ndarray:
        return (X.columns(self.free) - self.centre) / self.spread

    def along(self, X: BlockAbout) -> np.ndarray:
        """(1, x_U), centred where there is an intercept: the directions in which the correlation must vanish."""
        part = self._unpenalised(X) if len(self.free) else np.empty((X.X.shape[0], 0))
        return np.column_stack([np.ones(len(part)), part]) if self.fit_intercept else part

    def starts(self) -> list[np.ndarray]:
        """Where the correlation with the intercept and the unpenalised columns is to vanish: everywhere.

        Where w ≥ 0 is asked it may be less than 0 as well, at the cost of −cᵀw: then the bound of w > 0 alone, and that
        of none, of which the better one counts.
        """
        everywhere = np.ones((self.n_along, self.nonzero.shape[1]), bool)
        if not (self.positive and len(self.free)):
            return [everywhere]
        first = self.n_along - len(self.free)
        some, none = everywhere.copy(), everywhere.copy()
        some[first:], none[first:] = self.nonzero[self.free], False
        return [some, none]

    def scaled(self, c: Any) -> np.ndarray:
        return np.asarray(c) / self.column_scale[:, None]

    def penalty(self, W: np.ndarray) -> float:
        w = W.T * self.column_scale[:, None]
        if self.positive and (w < 0).any():
            return np.inf
        grouped = self._group_norms(w) @ self.group if self.labels is not None else 0.0
        return float((self.l1 * np.abs(w) + 0.5 * self.l2 * w**2).sum() + grouped)

    def scale(self, c: np.ndarray, most: float) -> float:
        """The largest t ≤ most that keeps t c in the domain."""
        return most if self._allows(most * c) else largest_where(lambda t: self._allows(t * c), most)

    def best_scale(self, c: np.ndarray, yr: float, rr: float) -> float:
        """The t with the largest t·yr − t²/2·rr − (αΩ)*(t c)."""
        if yr <= 0 or rr <= 0:
            return 0.0
        most = self.scale(c, yr / rr)
        if not (self.l2 > 0).any():
            return most
        return largest_where(lambda t: yr - t * rr - self._conjugate_slope(t, c) >= 0, most)

    def conjugate(self, c: np.ndarray) -> float:
        ridged = (self.l2 > 0)[:, 0]
        over = np.maximum(self._strength(c)[ridged] - self.l1[ridged], 0)
        return float((over**2 / (2 * self.l2[ridged])).sum())

    def _conjugate_slope(self, t: float, c: np.ndarray) -> float:
        ridged = (self.l2 > 0)[:, 0]
        strength = self._strength(c)[ridged]
        return float((strength * np.maximum(t * strength - self.l1[ridged], 0) / self.l2[ridged]).sum())

    def _allows(self, c: np.ndarray) -> bool:
        penalised = np.ones((self.p, 1), bool)
        penalised[self.free] = False
        over = np.where(penalised, np.maximum(self._strength(c) - self.l1, 0), 0)
        if self.labels is not None:
            return bool((self._group_norms(over) <= self.group).all())
        return not over[(self.l2 == 0)[:, 0]].any()

    def _strength(self, c: np.ndarray) -> np.ndarray:
        return np.maximum(c, 0) if self.positive else np.abs(c)

    def _group_norms(self, w: np.ndarray) -> np.ndarray:
        squares = np.zeros(len(self.group))
        np.add.at(squares, self.labels, (w**2).sum(axis=1))
        return np.sqrt(squares)


def largest_where(holds: Any, high: float) -> float:
    """The largest t in [0, high] where a condition that holds up to some point still does."""
    low = 0.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
