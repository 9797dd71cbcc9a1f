"""Graphs over rows or columns: given as weights, or made of nearest neighbours; their normalised Laplacians."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.threads import openmp_after_fork

ASYMMETRY = 1e-8  # of the largest weight: rounding


def laplacian(graph: Any, size: int, name: str) -> sp.csr_array:
    """𝓛 = I − D^(−½) W D^(−½) (n, n) of symmetric weights W ≥ 0; a node without neighbours has a row of zeros.

    Its eigenvalues are in [0, 2], a component of the graph has one 0: disconnected graphs are fine.
    """
    W = _weights(graph, size, name)
    degrees = np.asarray(W.sum(axis=1)).ravel()
    root = np.where(degrees > 0, 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0)), 0.0)
    scaled = sp.diags_array(root) @ W @ sp.diags_array(root)
    return sp.csr_array(sp.diags_array((degrees > 0).astype(float)) - scaled)


def neighbour_graph(X: np.ndarray, n_neighbors: int, name: str) -> sp.csr_array:
    """Weights exp(−d²/s²) to the nearest rows, s the mean distance to them, symmetric by the mean of both ways.

    Missing entries count as the mean of their column.
    """
    from sklearn.neighbors import kneighbors_graph

    k = check_count(name, n_neighbors)
    if k >= len(X):
        raise InputError(f"{name} must be below the {len(X)} nodes of the graph, got {n_neighbors!r}", argument=name)
    observed = np.isfinite(X)
    means = np.where(observed, X, 0.0).sum(axis=0) / np.maximum(observed.sum(axis=0), 1)
    with openmp_after_fork():
        W = sp.csr_array(kneighbors_graph(np.where(observed, X, means), k, mode="distance"))
    scale = float(W.data.mean()) or 1.0
    W.data = np.exp(-((W.data / scale) ** 2))
    return sp.csr_array((W + W.T) / 2)


def _weights(graph: Any, size: int, name: str) -> sp.csr_array:
    if np.iscomplexobj(graph):
        raise InputError(f"{name} must hold real weights, got complex ones", argument=name)
    try:
        W = sp.csr_array(graph, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} must be a matrix of weights ({size}, {size}), got {type(graph).__name__}", argument=name
        ) from None
    if W.shape != (size, size):
        raise InputError(f"{name} must have shape ({size}, {size}), got {tuple(W.shape)}", argument=name)
    if not np.isfinite(W.data).all() or (W.data < 0).any():
        raise InputError(f"{name} must hold finite weights ≥ 0: negative ones are of no similarity", argument=name)
    apart = abs(W - W.T)
    if apart.nnz and apart.max() > ASYMMETRY * W.max():
        raise InputError(
            f"{name} is not symmetric: give (W + W.T) / 2, or what is meant by the direction of an edge", argument=name
        )
    W.setdiag(0.0)
    W.eliminate_zeros()
    return W
