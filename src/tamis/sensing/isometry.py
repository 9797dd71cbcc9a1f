"""The restricted isometry constant δ_k of (11.21), between two bounds that are proved."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.evidence import Certificate
from tamis._core.random import as_rng
from tamis._kernels.interruption import check_interrupted
from tamis.sensing.coherence import checked, gram_blocks, largest, unit_scales
from tamis.sensing.gap_certificates import matrix_of
from tamis.solvers.iteration_limits import IterationLimits

AT_ONCE = 4096  # supports whose eigenvalues are computed together
SMALL = 2**22  # entries of a matrix whose norm is computed


@dataclass(frozen=True, repr=False)
class RipBounds(Certificate):
    """lower ≤ δ_k ≤ upper, where (1 − δ_k)‖s‖² ≤ ‖A s‖² ≤ (1 + δ_k)‖s‖² for all s with k non-zeros.

    Attributes
    ----------
    k : int
    lower : float
        ‖A_SᴴA_S − I‖ of the support that was found.
    upper : float
        Gershgorin's bound max_j (|‖aⱼ‖² − 1| + Σ of the k − 1 largest |⟨aᵢ, aⱼ⟩|), or max(‖A‖² − 1, 1) where less;
        ``lower`` where all supports were tried.
    exact : bool
        Whether all supports were tried, so that both are δ_k.
    support : (k,)
        The columns S.
    normalised : bool
        Whether it is that of A with columns of unit length.
    """

    k: int
    lower: float
    upper: float
    exact: bool
    support: np.ndarray
    normalised: bool = False

    def verify(self, X: Any, y: Any = None) -> RipBounds:
        """The bounds again from the matrix in plain NumPy; an exact upper bound by trying all supports again."""
        del y
        X = matrix_of(X)
        X = X / np.linalg.norm(X, axis=0) if self.normalised else X
        G = X.conj().T @ X
        lower = np.abs(np.linalg.eigvalsh(G[np.ix_(self.support, self.support)]) - 1.0).max()
        off = np.sort(np.abs(G - np.diag(np.diag(G))), axis=0)[::-1]
        upper = (np.abs(np.diag(G).real - 1.0) + off[: self.k - 1].sum(axis=0)).max()
        upper = min(upper, max(np.linalg.norm(X, 2) ** 2 - 1.0, 1.0))
        if self.exact:
            supports = itertools.combinations(range(len(G)), self.k)
            upper = max(np.abs(np.linalg.eigvalsh(G[np.ix_(S, S)]) - 1.0).max() for S in supports)
        return RipBounds(self.k, float(lower), float(upper), self.exact, self.support, self.normalised)


def rip_bounds(
    A: Any,
    k: int,
    *,
    normalise: bool = False,
    n_starts: int = 20,
    most_supports: int = 200_000,
    time_limit: float | None = None,
    random_state: Any = 0,
) -> RipBounds:
    """Bounds on the restricted isometry constant δ_k of (11.21): how far k columns can be from orthonormal ones.

    δ_k < 1 says that no two different codes of k/2 non-zeros give the same measurements, δ_2k < 1/√2 that ℓ₁ finds
    every code of k non-zeros [cai2014]_. Finding δ_k is NP-hard: where there are few supports all of them are tried,
    and else ``lower`` is that of the worst support which a search found, ``upper`` what the Gram matrix allows at most.
    Both are proved, and far apart for large k.

    Parameters
    ----------
    A : array, sparse array or operator
        As it is, unless ``normalise``: (11.21) asks for columns of about unit length.
    k : int
        Non-zeros.
    normalise : bool
        Whether columns are scaled to unit length first.
    n_starts : int
        Searches from random columns, besides one from the worst pair.
    most_supports : int
        All supports are tried where there are at most so many.
    time_limit : float or None
        Seconds, after which the search ends; the bounds hold whenever it does.
    random_state : None, int, Generator or RandomState
        Of the starts.

    Returns
    -------
    bounds : RipBounds

    References
    ----------
    .. [cai2014] Cai & Zhang, Sparse representation of a polytope and recovery of sparse signals, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import rip_bounds
    >>> A = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.8]])
    >>> bounds = rip_bounds(A, 2)
    >>> round(bounds.lower, 6), round(bounds.upper, 6), bounds.exact
    (0.8, 0.8, True)
    """
    operator = checked(A)
    n = operator.shape[1]
    k = check_count("k", k, at_most=n)
    limits = IterationLimits.of_time(time_limit)
    scale = unit_scales(operator) if normalise else np.ones(n)
    check_count("n_starts", n_starts, at_least=0)
    few = math.comb(n, k) <= check_number("most_supports", most_supports, at_least=0.0)
    with limits.until_interrupted():
        found = _exhausted(operator, scale, k, limits) if few else None
        if found is not None:
            return RipBounds(k, found[0], found[0], True, found[1], normalise)
        lower, support = _searched(operator, scale, k, n_starts, as_rng(random_state), limits)
    return RipBounds(k, lower, max(lower, _upper(operator, scale, k)), False, support, normalise)


def _exhausted(A: Any, scale: np.ndarray, k: int, limits: IterationLimits) -> tuple[float, np.ndarray] | None:
    """δ_k and its support by trying all; None where the time ends before."""
    X = A.columns(np.arange(A.shape[1]))
    X = (X.toarray() if hasattr(X, "toarray") else X) * scale
    G = X.conj().T @ X
    best, support = -1.0, np.arange(k)
    for S in _batches(itertools.combinations(range(len(G)), k)):
        if limits.late:
            return None
        distance = _distances(G, S)
        j = int(distance.argmax())
        if distance[j] > best:
            best, support = float(distance[j]), S[j]
    return best, support


def _batches(supports: Iterator[tuple[int, ...]]) -> Iterator[np.ndarray]:
    while batch := list(itertools.islice(supports, AT_ONCE)):
        yield np.array(batch, dtype=np.intp)


def _distances(G: np.ndarray, S: np.ndarray) -> np.ndarray:
    """‖G_SS − I‖ for each row S of supports."""
    values = np.linalg.eigvalsh(G[S[:, :, None], S[:, None, :]])
    return np.maximum(values[:, -1] - 1.0, 1.0 - values[:, 0])


def _searched(
    A: Any, scale: np.ndarray, k: int, n_starts: int, rng: np.random.Generator, limits: IterationLimits
) -> tuple[float, np.ndarray]:
    """The worst of the supports that grow, to both ends of the spectrum, from the worst pair and random columns."""
    first = _worst_pair(A, scale)[: min(2, k)]
    starts = [first, *(rng.permutation(A.shape[1])[: min(2, k)] for _ in range(n_starts))]
    best, support = -1.0, np.sort(np.asarray(first))
    for start, smallest in itertools.product(starts, (True, False)):
        if best >= 0.0 and limits.late:
            break
        S = _refined(A, scale, _grown(A, scale, start, k, smallest), smallest)
        value = _distance(A, scale, S)
        if value > best:
            best, support = value, np.sort(S)
    return best, support


def _worst_pair(A: Any, scale: np.ndarray) -> np.ndarray:
    """The two columns with ‖G_SS − I‖ largest, by the sizes off the diagonal."""
    if A.shape[1] == 1:
        return np.array([0])
    best, pair = -1.0, (0, 1)
    for start, G in gram_blocks(A):
        here = np.arange(G.shape[1])
        size = np.abs(G) * scale[:, None] * scale[start + here]
        size[start + here, here] = 0.0
        i, j = np.unravel_index(int(size.argmax()), size.shape)
        if size[i, j] > best:
            best, pair = float(size[i, j]), (int(i), start + int(j))
    return np.array(pair if pair[0] != pair[1] else (pair[0], (pair[0] + 1) % A.shape[1]))


def _columns(A: Any, scale: np.ndarray, S: np.ndarray) -> np.ndarray:
    X = A.columns(S)
    return (X.toarray() if hasattr(X, "toarray") else np.asarray(X)) * scale[S]


def _extreme(A: Any, scale: np.ndarray, S: np.ndarray, smallest: bool) -> tuple[np.ndarray, np.ndarray]:
    """The extreme eigenvector v of A_SᴴA_S, and Aᴴ A_S v of all columns."""
    X = _columns(A, scale, S)
    v = np.linalg.eigh(X.conj().T @ X)[1][:, 0 if smallest else -1]
    return v, scale * (A.H @ (X @ v))


def _grown(A: Any, scale: np.ndarray, start: np.ndarray, k: int, smallest: bool) -> np.ndarray:
    """The column that pulls the extreme eigenvalue most, one after the other: the one with |⟨aⱼ, A_S v⟩| largest."""
    S = np.asarray(start)
    while len(S) < k:
        check_interrupted()
        _, c = _extreme(A, scale, S, smallest)
        correlation = np.abs(c)
        correlation[S] = -1.0
        S = np.append(S, int(correlation.argmax()))
    return S


def _refined(A: Any, scale: np.ndarray, S: np.ndarray, smallest: bool, most: int = 50) -> np.ndarray:
    """Exchange the column that matters least for the one outside that pulls most, while the distance grows."""
    value = _distance(A, scale, S)
    for _ in range(most if len(S) < A.shape[1] and len(S) > 1 else 0):
        check_interrupted()
        v, c = _extreme(A, scale, S, smallest)
        correlation = np.abs(c)
        correlation[S] = -1.0
        other = S.copy()
        other[int(np.abs(v).argmin())] = int(correlation.argmax())
        new = _distance(A, scale, other)
        if new <= value * (1.0 + 1e-12):
            break
        S, value = other, new
    return S


def _distance(A: Any, scale: np.ndarray, S: np.ndarray) -> float:
    X = _columns(A, scale, S)
    values = np.linalg.eigvalsh(X.conj().T @ X)
    return float(max(values[-1] - 1.0, 1.0 - values[0]))


def _upper(A: Any, scale: np.ndarray, k: int) -> float:
    """Gershgorin's discs, and that all eigenvalues of A_SᴴA_S lie between 0 and ‖A‖²."""
    discs = rows = 0.0
    for start, G in gram_blocks(A):
        here = np.arange(G.shape[1])
        size = np.abs(G) * scale[:, None] * scale[start + here]
        diagonal = size[start + here, here].copy()
        rows = max(rows, float(size.sum(axis=0).max()))  # ‖A‖² ≤ max_i Σ_j |G_ij|
        size[start + here, here] = 0.0
        discs = max(discs, float((np.abs(diagonal - 1.0) + largest(size, k - 1).sum(axis=0)).max()))
    square = _square_norm(A, scale) if A.shape[0] * A.shape[1] <= SMALL else rows
    return min(discs, max(square - 1.0, 1.0))


def _square_norm(A: Any, scale: np.ndarray) -> float:
    """‖A‖² from A written out."""
    X = _columns(A, scale, np.arange(A.shape[1]))
    G = X @ X.conj().T if X.shape[0] < X.shape[1] else X.conj().T @ X
    return float(np.linalg.eigvalsh(G)[-1]) * (1.0 + 1e-12)
