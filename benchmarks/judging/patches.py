"""Natural 8 × 8 patches, and the objective of dictionaries, computed outside of all competitors."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array


def natural_patches(n: int, side: int = 8, seed: int = 0) -> np.ndarray:
    """Patches of scikit-learn's two photographs, mean removed, unit norm; flat ones are left out."""
    from sklearn.datasets import load_sample_image

    rng = np.random.default_rng(seed)
    rows = []
    for name in ("china.jpg", "flower.jpg"):
        image = load_sample_image(name).mean(axis=2)
        view = np.lib.stride_tricks.sliding_window_view(image, (side, side))
        i, j = (rng.integers(0, m, 2 * n) for m in view.shape[:2])
        rows.append(view[i, j].reshape(2 * n, -1))
    X = np.concatenate(rows)
    X = X - X.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(X, axis=1)
    X = (X / np.maximum(norms, 1e-9)[:, None])[norms > 4 * side]
    return X[rng.permutation(len(X))[:n]]


def first_atoms(X: np.ndarray, k: int, seed: int = 1) -> np.ndarray:
    """k of the patches, the start that everybody is given."""
    return X[np.random.default_rng(seed).permutation(len(X))[:k]].copy()


def gaps(X: np.ndarray, Z: np.ndarray, D: np.ndarray, alpha: float) -> np.ndarray:
    """Duality gaps of ½‖x − zD‖² + α‖z‖₁ by the residual scaled to be feasible, relative to ½‖x‖²."""
    R = X - Z @ D
    share = np.minimum(1.0, alpha / np.maximum(np.abs(R @ D.T).max(axis=1), 1e-300))[:, None]
    primal = 0.5 * (R**2).sum(axis=1) + alpha * np.abs(Z).sum(axis=1)
    dual = 0.5 * (X**2).sum(axis=1) - 0.5 * ((X - share * R) ** 2).sum(axis=1)
    return np.maximum(0.0, primal - dual) / (0.5 * (X**2).sum(axis=1))


def best_objective(X: np.ndarray, D: np.ndarray, alpha: float, at_once: int = 1000) -> float:
    """(1/n) Σ min_z ½‖x − zD‖² + α‖z‖₁, by LARS of scikit-learn, some rows at a time."""
    from sklearn.decomposition import sparse_encode

    total = 0.0
    for i in range(0, len(X), at_once):
        rows = X[i : i + at_once]
        Z = sparse_encode(rows, D, algorithm="lasso_lars", alpha=alpha, max_iter=2000)
        total += float(0.5 * ((rows - Z @ D) ** 2).sum() + alpha * np.abs(Z).sum())
    return total / len(X)


def tamis_codes(X: np.ndarray, D: np.ndarray, coder: str, n_jobs: int) -> csr_array:
    """By the coder of this name, for who compares Tamis with itself."""
    from tamis.dictionary import LassoCoder, OMPCoder

    of = {"omp": OMPCoder(10, n_jobs=n_jobs), "lasso": LassoCoder(0.15, n_jobs=n_jobs)}[coder]
    return of.encode(X, D)
