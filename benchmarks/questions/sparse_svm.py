"""Who solves an ℓ₁ support vector machine first?

Without an intercept, because liblinear penalises it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.judging import duality
from benchmarks.judging.path import JUDGED, Path, PathObjective
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table
from benchmarks.questions.lasso import design


class Objective(PathObjective):
    title = "Sparse support vector machine"
    text = (
        "P(w) = 1/n Σ max(0, 1 − yᵢxᵢᵀw)² + α‖w‖₁ at one α, which is ‖w‖₁ + C Σ max(0, 1 − yᵢxᵢᵀw)² with C = 1/(nα), "
        f"without an intercept. {JUDGED} P(0) = 1. Dense: Corr(x_i, x_j) = 0.5^|i − j|, 50 planted columns, C for "
        "about 30 of them; sparse: word counts of a Zipf law, weighted by their rarity, 100 planted words, as rows "
        "(CSR). liblinear: `LinearSVC(penalty='l1', dual=False, fit_intercept=False)`."
    )
    repeats = 4
    cap = 15.0
    loss = duality.SquaredHinge()

    def precise(self, data: Classes) -> Path:
        from tamis import SparseSVC

        model = SparseSVC(alpha=data.alphas[0], fit_intercept=False, tol=1e-11).fit(data.X, data.y)
        return model.coef_, np.zeros(1)

    def bounds(self, data: Any, reference: Any, table: Table, rates: Rates) -> list[str]:
        return []


@dataclass
class Classes:
    """Rows, classes ±1 and one α."""

    X: Any
    y: np.ndarray
    alphas: np.ndarray

    @property
    def C(self) -> float:
        return float(1 / (len(self.y) * self.alphas[0]))


def datasets(quick: bool) -> list[Dataset]:
    if quick:
        return [Dataset("300 × 20", partial(dense, 300, 20), limit=1.5)]
    return [
        Dataset("10,000 × 1,000, about 30 columns", partial(dense, 10_000, 1_000), limit=1.5),
        Dataset("20,000 × 50,000, words", partial(words, 20_000, 50_000), limit=1.1),
    ]


def dense(n: int, p: int) -> Classes:
    rng = np.random.default_rng(0)
    X = design(rng, n, p, 0.5)
    X -= X.mean(axis=0)
    w = np.zeros(p)
    k = min(50, p // 4)
    w[rng.choice(p, k, replace=False)] = rng.choice([-1.0, 1.0], k) * np.geomspace(0.1, 1, k)
    z = X @ w
    y = np.where(z / z.std() + 0.5 * rng.standard_normal(n) > 0, 1.0, -1.0)
    return Classes(X, y, np.array([0.12 * 2 * np.abs(X.T @ y).max() / n]))


def words(n: int, p: int) -> Classes:
    """About 80 different words a row, the j-th with a frequency of about 1/j."""
    rng = np.random.default_rng(0)
    share = 1 / (10 + np.arange(p))
    columns = rng.choice(p, (n, 120), p=share / share.sum())
    rows = np.repeat(np.arange(n), 120)
    X = sparse.csr_array((np.ones(rows.size), (rows, columns.ravel())), shape=(n, p))
    X.sum_duplicates()
    rarity = np.log(n / (1 + np.asarray((X > 0).sum(axis=0)).ravel()))
    X = sparse.csr_array(X.multiply(rarity[None, :]))
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X = sparse.csr_array(X.multiply(1 / norms[:, None]))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # as liblinear takes them
    w = np.zeros(p)
    w[rng.choice(2_000, 100, replace=False)] = rng.standard_normal(100)
    z = X @ w
    y = np.where(z + 0.3 * z.std() * rng.standard_normal(n) > np.median(z), 1.0, -1.0)
    return Classes(X, y, np.array([0.05 * 2 * np.abs(X.T @ y).max() / n]))
