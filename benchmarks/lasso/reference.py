"""A precise lasso path: scikit-learn's descent on the Gram of the columns that may matter, finished exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.proof import correlations

FEW = 2_000  # so many columns are all taken at once
TOLERANCES = tuple(10.0**-k for k in range(4, 15))
SLACK = 1e-11  # relative: a violation below it does not show in a gap of 1e-9


def precise_path(X: Any, y: np.ndarray, alphas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n, p = X.shape
    mean, centre = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel(), y.mean()
    target, model = y - centre, Columns(X, mean)
    c = correlations(X, target[:, None])[:, 0] / n
    coefs, before = np.zeros((len(alphas), p)), alphas[0]
    new = np.arange(p) if p <= FEW else np.array([], dtype=int)
    for k, alpha in enumerate(alphas):
        # The strong rule (Tibshirani and others 2012) guesses; the loop below repairs what it missed.
        new = np.union1d(new, np.flatnonzero(np.abs(c) >= 2 * alpha - before))
        while True:
            model.add(np.setdiff1d(new, model.S), target)
            r = target - model.C @ model.minimise(alpha)
            c = correlations(X, (r - r.mean())[:, None])[:, 0] / n
            new = np.setdiff1d(np.flatnonzero(np.abs(c) > alpha * (1 + SLACK)), model.S)
            if not new.size:
                break
        coefs[k, model.S] = model.w
        before = alpha
    return coefs, centre - coefs @ mean


class Columns:
    """The centred columns C in use, their Gram matrix, and the coefficients to start the next descent from."""

    def __init__(self, X: Any, mean: np.ndarray) -> None:
        n = X.shape[0]
        self.X, self.mean, self.S = X, mean, np.array([], dtype=int)
        self.C, self.G, self.q, self.w = np.empty((n, 0), order="F"), np.empty((0, 0)), np.empty(0), np.empty(0)

    def add(self, new: np.ndarray, target: np.ndarray) -> None:
        N = self.X[:, new]
        N = (N.toarray() if hasattr(N, "toarray") else N) - self.mean[new]
        cross = self.C.T @ N
        self.G = np.block([[self.G, cross], [cross.T, N.T @ N]])
        self.C, self.q = np.asfortranarray(np.hstack([self.C, N])), np.append(self.q, N.T @ target)
        self.S, self.w, self.target = np.append(self.S, new), np.append(self.w, np.zeros(len(new))), target

    def minimise(self, alpha: float) -> np.ndarray:
        """Descent until it has the signs; the rest is a linear system."""
        bound = alpha * len(self.target)
        for tol in TOLERANCES if self.S.size else ():
            self.w = self._finish(self._descend(alpha, tol), bound)
            free = self.w == 0
            if np.all(np.abs(self.q - self.G @ self.w)[free] <= bound * (1 + SLACK)):
                break
        return self.w

    def _descend(self, alpha: float, tol: float) -> np.ndarray:
        from sklearn.linear_model import lasso_path

        _, w, _ = lasso_path(
            self.C,
            self.target,
            alphas=[alpha],
            precompute=self.G,
            Xy=self.q,
            coef_init=self.w,
            tol=tol,
            max_iter=10**6,
            copy_X=False,
            check_input=False,
        )
        return w[:, 0]

    def _finish(self, w: np.ndarray, bound: float) -> np.ndarray:
        """G_AA w_A = q_A − nα sign(w_A) on the support A, which a coefficient leaves when its sign would change."""
        while (A := np.flatnonzero(w)).size:
            at, sign = w[A], np.sign(w[A])
            to = np.linalg.solve(self.G[np.ix_(A, A)], self.q[A] - bound * sign)
            crosses = to * sign <= 0
            if not crosses.any():
                w[A] = to
                break
            reach = at[crosses] / (at - to)[crosses]
            w[A] = at + reach.min() * (to - at)
            w[A[crosses][reach == reach.min()]] = 0
        return w
