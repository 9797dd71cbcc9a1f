"""Covariances: of rows, in one pass, or as a matrix that the user has."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_feature_names

from tamis._core.checks import check_count, check_finite
from tamis._core.errors import InputError
from tamis._core.far_columns import real_variance
from tamis._core.progress import Steps, silent
from tamis.base.frames import frame_library
from tamis.base.training_data import TrainingData
from tamis.stats import collect
from tamis.stats.gram import Gram, check_room, checked

NEGATIVE = 1e-2  # of the largest variance: how far below 0 an eigenvalue of a matrix of two printed digits may be


def gram_of_rows(data: TrainingData, n_jobs: int | None, steps: Steps = silent) -> Gram:
    """One pass; complains about missing and infinite values by column."""
    check_room(data.p, copies=3)
    (gram,) = collect(data.source, Gram(n_jobs=n_jobs), n_jobs=n_jobs, steps=steps)
    return checked(gram, data.source)


def covariance_of(gram: Gram, standardize: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """C with n − 1 as divisor (n the number of rows, weights shared out among them), mean, scale, and the diagonal."""
    p, n = gram.n_features, gram.n_rows
    C = gram.scatter[:p, :p] * (n / (gram.weight * max(1, n - 1)))
    variance = real_variance(C.diagonal(), gram.mean)
    constant = np.flatnonzero(variance == 0)
    C[constant] = C[:, constant] = 0.0  # what rounding left
    scale = np.ones(p)
    if standardize:
        scale = np.sqrt(np.where(variance > 0, variance, 1.0))
        C /= scale[:, None]
        C /= scale
        variance = np.where(variance > 0, 1.0, 0.0)
    return C, gram.mean, scale, variance


def as_covariance(estimator: Any, C: Any, n_samples: Any) -> tuple[np.ndarray, int | None]:
    """A symmetric matrix without negative eigenvalues that matter, and the number of rows behind it."""
    names = C
    C = np.asarray(C.to_numpy() if hasattr(C, "to_numpy") else C)
    if C.ndim != 2 or C.shape[0] != C.shape[1] or C.shape[0] == 0:
        raise _wrong(f"C must be a covariance matrix (p, p), got shape {C.shape}")
    if C.dtype.kind not in "fiub":
        raise _wrong(f"C must hold real numbers, got dtype {C.dtype}")
    C = C.astype(np.float64)
    check_finite("C", C, "compute it from complete rows")
    largest = float(np.abs(C).max())
    if np.abs(C - C.T).max() > 1e-8 * largest:
        raise _wrong("C is not symmetric: give the covariances or correlations of the columns")
    if (C.diagonal() < 0).any():
        raise _wrong("C has a negative variance on its diagonal: give the covariances or correlations of the columns")
    _require_no_negative_eigenvalue(C)
    estimator.n_features_in_, estimator._target_name = len(C), None
    estimator._frame_library = frame_library(names)
    _check_feature_names(estimator, names, reset=True)
    return 0.5 * (C + C.T), None if n_samples is None else check_count("n_samples", n_samples, at_least=2)


def _require_no_negative_eigenvalue(C: np.ndarray) -> None:
    """Below −NEGATIVE times the largest variance; one above it is what printing few digits leaves, and counts as 0."""
    if not C.any():
        return
    try:
        np.linalg.cholesky(C + NEGATIVE * float(C.diagonal().max()) * np.eye(len(C)))
    except np.linalg.LinAlgError:
        least = float(np.linalg.eigvalsh(C)[0])
        raise _wrong(
            f"C has the eigenvalue {least:.3g}, so it holds no covariances: compute it from complete rows, not pair by "
            "pair, or set its negative eigenvalues to 0 first"
        ) from None


def _wrong(message: str) -> InputError:
    return InputError(message, argument="C")
