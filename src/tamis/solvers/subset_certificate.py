"""The proof of a best subset: no subset of K columns has an objective below the bound."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.evidence import ObjectiveGap
from tamis.sources import as_source, gather


@dataclass(frozen=True, repr=False)
class SubsetGap(ObjectiveGap):
    """How far a best subset can be from the best at most.

    ½ mean (y − Xw − b)² + ridge/2 ‖w‖², and a bound for every w with at most K coefficients.

    ``leaves`` are the ends of a branch and bound by perspective bounds: columns that are in, columns that are out, and
    the coefficients (columns, values) whose residual bounds all subsets between. None: ``verify`` looks through the
    subsets itself, by leaps and bounds. ``scale``: what the columns are divided by.
    """

    primal: float
    dual: float
    n_nonzero: int
    ridge: float
    w: np.ndarray
    intercept: float
    fit_intercept: bool
    scale: np.ndarray | None = None
    leaves: Any = None

    def verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> SubsetGap:
        """Both numbers recomputed from the rows in plain NumPy."""
        block = gather(as_source(X, y, sample_weight=sample_weight))
        X = block.X.toarray() if hasattr(block.X, "toarray") else np.asarray(block.X)
        X = X.astype(np.float64) / (1.0 if self.scale is None else self.scale)
        s = np.ones(len(X)) if block.weight is None else block.weight
        h, y = s / s.sum(), np.asarray(block.y, dtype=np.float64)
        w = self.w * (1.0 if self.scale is None else self.scale)
        r = y - X @ w - self.intercept
        primal = float(0.5 * h @ r**2 + 0.5 * self.ridge * w @ w)
        if np.count_nonzero(w) > self.n_nonzero:
            primal = np.inf
        if self.fit_intercept:
            X, y = X - h @ X, y - h @ y
        if self.dual <= 0:
            return replace(self, primal=primal, dual=0.0)
        dual = self._by_leaps(X, y, h) if self.leaves is None else self._by_leaves(X, y, h)
        return replace(self, primal=primal, dual=dual)

    def _by_leaves(self, X: np.ndarray, y: np.ndarray, h: np.ndarray) -> float:
        """The least bound of the leaves, if between them they leave no subset out."""
        if not _cover([(set(i), set(o)) for i, o, _, _ in self.leaves], set(), set(), self.n_nonzero):
            return 0.0
        return min(self._leaf_bound(X, y, h, leaf) for leaf in self.leaves)

    def _leaf_bound(self, X: np.ndarray, y: np.ndarray, h: np.ndarray, leaf: Any) -> float:
        inside, outside, features, values = leaf
        r = y - X[:, features] @ np.asarray(values)
        squares = (X.T @ (h * r)) ** 2
        counted = squares[list(inside)].sum()
        others = np.delete(squares, list(inside) + list(outside))
        counted += np.sort(others)[::-1][: self.n_nonzero - len(inside)].sum()
        yr, whole = float(h @ (y * r)), float(h @ r**2 + counted / self.ridge)
        return 0.5 * yr**2 / whole if yr > 0 and whole > 0 else 0.0

    def _by_leaps(self, X: np.ndarray, y: np.ndarray, h: np.ndarray) -> float:
        """The bound of the certificate, or less where some subset goes below it by more than rounding."""
        if self.n_nonzero == 0:
            return min(self.dual, 0.5 * float(h @ y**2))
        everything = self._of_all_columns(X, y, h)
        if everything >= self.dual * (1 - 1e-9):
            return min(self.dual, everything)
        if self.ridge == 0:
            X = X[:, _no_copies(X, h)]
        if X.shape[1] <= self.n_nonzero:
            return everything
        G, q, yy = X.T @ (h[:, None] * X) + self.ridge * np.eye(X.shape[1]), X.T @ (h * y), float(h @ y**2)
        level, least = self.dual * (1 - 1e-9), self.dual
        stack = [(np.arange(len(q)), 0)]
        while stack:
            allowed, fixed = stack.pop()
            inverse = np.linalg.inv(G[np.ix_(allowed, allowed)])
            w = inverse @ q[allowed]
            value = 0.5 * (yy - float(q[allowed] @ w))
            if value >= level:
                continue
            if len(allowed) <= self.n_nonzero:
                least = min(least, value)
                continue
            if fixed == self.n_nonzero:
                stack.append((allowed[:fixed], fixed))
                continue
            losses = 0.5 * w**2 / inverse.diagonal()
            if value + np.sort(losses[fixed:])[len(allowed) - self.n_nonzero - 1] >= level:
                continue
            at = fixed + int(np.argmax(losses[fixed:]))
            stack.append((np.delete(allowed, at), fixed))
            first = np.concatenate([allowed[:fixed], allowed[at : at + 1], np.delete(allowed, at)[fixed:]])
            stack.append((first, fixed + 1))
        return least

    def _of_all_columns(self, X: np.ndarray, y: np.ndarray, h: np.ndarray) -> float:
        """The least objective of all columns, which no subset is below; they may depend on each other."""
        A = np.vstack([np.sqrt(h)[:, None] * X, np.sqrt(self.ridge) * np.eye(X.shape[1])])
        right = np.concatenate([np.sqrt(h) * y, np.zeros(X.shape[1])])
        w = np.linalg.lstsq(A, right, rcond=None)[0]
        return float(0.5 * np.sum((right - A @ w) ** 2))


def _no_copies(X: np.ndarray, h: np.ndarray) -> list[int]:
    """The first of columns that are multiples of each other, and none that are 0."""
    kept: list[int] = []
    for j, x in enumerate(X.T):
        size = np.sqrt(h @ x**2)
        rest = [x - z * (h @ (z * x)) / (h @ z**2) for z in X[:, kept].T]
        if size > 0 and all(np.sqrt(h @ r**2) > COPY * size for r in rest):
            kept.append(j)
    return kept


COPY = 1e-12  # of a column's size: a difference that is rounding


def _cover(leaves: list[tuple[set[int], set[int]]], inside: set[int], outside: set[int], K: int) -> bool:
    """Whether every subset of K columns that has ``inside`` and not ``outside`` belongs to a leaf."""
    if len(inside) > K:
        return True
    if any(i <= inside and o <= outside for i, o in leaves):
        return True
    possible = [(i, o) for i, o in leaves if not (i & outside or o & inside)]
    undecided = [j for i, o in possible for j in (i | o) - inside - outside]
    if not undecided:
        return False
    j = max(set(undecided), key=undecided.count)
    return _cover(possible, inside | {j}, outside, K) and _cover(possible, inside, outside | {j}, K)
