"""Probabilistic principal components of rows with gaps, by expectation and maximisation.

x = μ + W z + noise with z ~ N(0, I) and noise of variance σ², fitted to the entries that are there (Tipping & Bishop
1999; with gaps, Ilin & Raiko 2010). Without gaps its maximum is PCA: W = V (Λ − σ²I)^½.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tamis._core.checks import shorten
from tamis._core.errors import ConvergenceWarning, InputError
from tamis._core.progress import Steps
from tamis._core.warn import warn
from tamis._kernels.interruption import check_interrupted
from tamis.base.new_rows import require_no_infinity
from tamis.components.spectrum import Spectrum
from tamis.solvers.svd import signed
from tamis.sources import Source

MAX_ROUNDS = 1000


@dataclass(frozen=True)
class MissingRows:
    """X with zeros in the gaps, and where entries are ``observed`` (as floats, 0 or 1)."""

    X: np.ndarray
    observed: np.ndarray

    @classmethod
    def of(cls, X: Any, source: Source | None = None) -> Self:
        if sp.issparse(X):
            raise InputError("missing='em' takes dense rows: entries of a sparse X that are not stored are zeros")
        X = np.array(X, dtype=np.float64)
        require_no_infinity(X, None if source is None else source.names)
        gaps = np.isnan(X)
        X[gaps] = 0.0
        rows = cls(X, (~gaps).astype(np.float64))
        lost = np.flatnonzero(rows.observed.sum(axis=0) == 0) if source is not None else ()
        if source is not None and len(lost):
            names = shorten(source.names[j] for j in lost)
            raise InputError(f"columns {names} are missing in every row: drop them", argument="X")
        return rows

    @property
    def n_missing(self) -> int:
        return int(self.observed.size - self.observed.sum())

    def scores(self, pca: Any) -> np.ndarray:
        """(n, k) of rows whose gaps are filled with what the model expects there given the rest."""
        V = np.asarray(pca.components_, dtype=np.float64)
        noise = max(pca.noise_variance_, 1e-12 * float(pca.explained_variance_.max()))
        W = V.T * np.sqrt(np.maximum(pca.explained_variance_ - noise, 0.0))
        z, _ = _posterior(self, W, pca.mean_, noise)
        centred = self.observed * (self.X - pca.mean_) + (1 - self.observed) * (z @ W.T)
        return np.asarray(centred @ V.T)

    def loglikelihoods(self, W: np.ndarray, mean: np.ndarray, noise: float) -> np.ndarray:
        """log N(x_O; μ_O, W_O W_Oᵀ + σ²I) of each row."""
        return _loglikelihoods(self, W, mean, noise, *_posterior(self, W, mean, noise))


def expectation_maximisation(
    rows: MissingRows, k: int, tol: float, steps: Steps
) -> tuple[Spectrum, np.ndarray, float, int]:
    """The spectrum of the fitted covariance W Wᵀ + σ²I, the mean, σ², and the number of rounds."""
    n, p = rows.X.shape
    count = rows.observed.sum(axis=0)
    mean = rows.X.sum(axis=0) / count
    spread = (rows.observed * (rows.X - mean) ** 2).sum(axis=0) / count
    filled = rows.observed * (rows.X - mean)  # gaps at the mean: where to begin
    s, Vt = np.linalg.svd(filled, full_matrices=False)[1:]
    noise = max(float((s[k:] ** 2).sum() / (n * max(1, p - k))), 1e-6 * float(spread.mean()))
    W = Vt[:k].T * (s[:k] / np.sqrt(n))
    before, rounds = -np.inf, 0
    for _ in steps(range(MAX_ROUNDS), "EM"):
        check_interrupted()
        rounds += 1
        W, mean, noise, likelihood = _round(rows, W, mean, noise)
        if likelihood - before <= tol or noise <= 1e-14 * float(spread.mean()):
            break
        before = likelihood
    else:
        warn(f"EM has not settled within {MAX_ROUNDS} rounds: raise tol", ConvergenceWarning)
    V, s, _ = np.linalg.svd(W, full_matrices=False)
    divisor = n / (n - 1)
    total = (float(s @ s) + p * noise) * divisor
    return Spectrum((s**2 + noise) * divisor, signed(V.T), total), mean, noise * divisor, rounds


def _round(
    rows: MissingRows, W: np.ndarray, mean: np.ndarray, noise: float
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """One expectation and one maximisation; the loglikelihood before them, per entry."""
    k = W.shape[1]
    z, S = _posterior(rows, W, mean, noise)
    likelihood = float(_loglikelihoods(rows, W, mean, noise, z, S).sum() / rows.observed.sum())
    one = np.ones((len(z), 1))
    zz = np.einsum("ni,nj->nij", z, z) + noise * S  # E zzᵀ
    second = np.concatenate([np.concatenate([zz, z[:, :, None]], 2), np.concatenate([z, one], 1)[:, None]], 1)
    A = (rows.observed.T @ second.reshape(len(z), -1)).reshape(-1, k + 1, k + 1)
    b = (rows.observed * rows.X).T @ np.concatenate([z, one], 1)
    solved = np.linalg.solve(A + 1e-12 * np.trace(A, axis1=1, axis2=2)[:, None, None] * np.eye(k + 1), b[:, :, None])
    W, mean = solved[:, :k, 0], solved[:, k, 0]
    r = rows.observed * (rows.X - mean - z @ W.T)
    spread = np.einsum("pi,nij,pj,np->", W, S, W, rows.observed, optimize=True) * noise
    noise = float((np.vdot(r, r) + spread) / rows.observed.sum())
    # z may have any mean and covariance: going on with theirs is a longer step uphill (Liu, Rubin & Wu 1998)
    centre = z.mean(axis=0)
    expanded = np.linalg.cholesky(zz.mean(axis=0) - np.multiply.outer(centre, centre) + 1e-300 * np.eye(k))
    return W @ expanded, mean + W @ centre, noise, likelihood


def _posterior(rows: MissingRows, W: np.ndarray, mean: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """E z (n, k) given the observed entries of each row, and S (n, k, k) with cov z = σ² S."""
    k = W.shape[1]
    products = np.einsum("pi,pj->pij", W, W).reshape(len(W), -1)
    S = np.linalg.inv((rows.observed @ products).reshape(-1, k, k) + noise * np.eye(k))
    projected = (rows.observed * (rows.X - mean)) @ W
    return np.einsum("nij,nj->ni", S, projected), S


def _loglikelihoods(
    rows: MissingRows, W: np.ndarray, mean: np.ndarray, noise: float, z: np.ndarray, S: np.ndarray
) -> np.ndarray:
    """log N(x_O; μ_O, W_O W_Oᵀ + σ²I) of each row, by Woodbury's identity."""
    k, m = W.shape[1], rows.observed.sum(axis=1)
    centred = rows.observed * (rows.X - mean)
    quadratic = ((centred**2).sum(axis=1) - ((centred @ W) * z).sum(axis=1)) / noise
    logdet = (m - k) * np.log(noise) - np.linalg.slogdet(S)[1]
    return np.asarray(-0.5 * (quadratic + logdet + m * np.log(2 * np.pi)))
