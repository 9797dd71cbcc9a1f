"""The lasso's whole path, exactly: w is piecewise linear in α, so its kinks say it all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from tamis._core.checks import check_count, check_number, check_real
from tamis._core.errors import InputError
from tamis._core.evidence import Diagnostics, Status
from tamis._kernels import kernels
from tamis.operators import as_operator
from tamis.solvers.dense_columns import gram_matrix


class Event(NamedTuple):
    """At ``alpha`` the feature enters or leaves the support."""

    alpha: float
    feature: int
    entered: bool


@dataclass(frozen=True)
class LarsPath:
    """Kinks from the α where the first feature enters down to where the path ends.

    ``alphas`` (m,) descend strictly; ``coefs_sparse`` (m, p) holds the coefficients there in CSR; ``violations`` (m,)
    is measured: how far q − Gw lies from α ∂Ω(w) there, at worst. ``status`` is "max_iter" when ``max_kinks`` ended it.
    """

    alphas: np.ndarray
    coefs_sparse: csr_array
    violations: np.ndarray
    events: tuple[Event, ...]
    status: Status

    certificate = None

    @property
    def n_iter(self) -> int:
        """Kinks."""
        return len(self.alphas)

    @property
    def diagnostics(self) -> Diagnostics:
        return Diagnostics({"kkt": float(self.violations.max(initial=0.0))}, self.violations)

    @cached_property
    def coefs(self) -> np.ndarray:
        """The coefficients at the kinks, dense (m, p)."""
        return self.coefs_sparse.toarray()

    def coef_at(self, alpha: float) -> np.ndarray:
        """The minimiser at α (p,), on the straight line between the kinks beside it; zero above the first."""
        alpha = check_number("alpha", alpha, at_least=0.0)
        last = float(self.alphas[-1])
        if alpha < last:
            raise InputError(f"alpha must be ≥ {last:g}, where this path ends, got {alpha!r}: ask for a longer path")
        if alpha >= self.alphas[0]:
            return self.coefs_sparse[[0]].toarray()[0]
        below = int(np.searchsorted(-self.alphas, -alpha))
        high, low = self.alphas[below - 1], self.alphas[below]
        above, under = self.coefs_sparse[[below - 1, below]].toarray()
        return under + (alpha - low) / (high - low) * (above - under)


def lars_path(
    G: Any,
    q: Any,
    *,
    weights: Any = None,
    positive: bool = False,
    alpha_min: float = 0.0,
    max_features: int | None = None,
    max_kinks: int | None = None,
) -> LarsPath:
    """The minimisers of ½ wᵀGw − qᵀw + α Σⱼ vⱼ|wⱼ| for every α ≥ ``alpha_min``, with G = XᵀX/n and q = Xᵀy/n.

    While the active set A and its signs s stand, w_A = G_AA⁻¹(q_A − α (v s)_A) is linear in α; the next kink is where a
    coefficient reaches zero or |q − Gw|ⱼ reaches α vⱼ (Osborne, Presnell & Turlach 2000; Efron et al. 2004). A Cholesky
    factor of G_AA follows A. Each segment is computed anew from it, so errors do not travel along the path.

    Several features may reach their bounds together: who moves is then decided by the small non-negative least squares
    problem that the direction solves. A column that depends on those in A (a copy, a constant) never enters; of two
    equal columns the first does. Where the minimiser is not unique, one is given.

    Parameters
    ----------
    G, q : (p, p) and (p,)
        Read in float64; G is not copied when its rows are contiguous.
    weights : (p,), optional
        vⱼ > 0; ones by default.
    positive : bool
        Asks for w ≥ 0.
    alpha_min : float
        Where the path ends; 0 ends it at least squares.
    max_features : int, optional
        Ends it where one more feature would enter.
    max_kinks : int, optional
        A path may have very many kinks in theory; 20 p + 100 by default.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.solvers.lars import lars_path
    >>> path = lars_path(np.eye(3), [3.0, -2.0, 0.5])
    >>> path.alphas
    array([3. , 2. , 0.5, 0. ])
    >>> path.coef_at(1.0)
    array([ 2., -1.,  0.])
    >>> path.events[1]
    Event(alpha=2.0, feature=1, entered=True)
    """
    G, q = _statistics(G, q)
    p = len(q)
    v = _weights(weights, p)
    alpha_min = check_number("alpha_min", alpha_min, at_least=0.0)
    room = p if max_features is None else min(p, check_count("max_features", max_features))
    most = 20 * p + 100 if max_kinks is None else check_count("max_kinks", max_kinks)
    alphas, values, indices, starts, violations, kinks, features, entered, finished = kernels.lars(
        G, q, v, bool(positive), alpha_min, most, np.empty((room, room))
    )
    events = zip(alphas[kinks].tolist(), features.tolist(), entered.astype(bool).tolist(), strict=True)
    return LarsPath(
        alphas,
        csr_array((values, indices, starts), shape=(len(alphas), p)),
        violations,
        tuple(Event(*event) for event in events),
        Status.CONVERGED if finished else Status.MAX_ITER,
    )


def operator_lars_path(A: Any, y: Any, **options: Any) -> LarsPath:
    """`lars_path` of 1/(2n)‖y − Aw‖² + α Σⱼ vⱼ|wⱼ| for A (n, p), anything that ``as_operator`` takes.

    There is no intercept: take columns and y about their means where one is meant. ``options`` are `lars_path`'s.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import eye_array
    >>> from tamis.solvers import operator_lars_path
    >>> operator_lars_path(eye_array(3, format="csr"), [3.0, -2.0, 0.5]).alphas
    array([1.        , 0.66666667, 0.16666667, 0.        ])
    """
    A, y = as_operator(A), np.asarray(y, dtype=np.float64)
    n = A.shape[0]
    if y.shape != (n,):
        raise InputError(f"y must hold {n} numbers, one for each row of A, got shape {y.shape}")
    return lars_path(gram_matrix(A) / n, A.T @ y / n, **options)


def _statistics(G: Any, q: Any) -> tuple[np.ndarray, np.ndarray]:
    for name, given in (("G", G), ("q", q)):
        check_real(name, np.asarray(given).dtype)
    G, q = np.asarray(G, dtype=np.float64), np.ascontiguousarray(q, dtype=np.float64)
    if q.ndim != 1 or len(q) == 0 or G.shape != (len(q), len(q)):
        raise InputError(f"G must be (p, p) and q (p,) with p ≥ 1, got {G.shape} and {q.shape}")
    if not (np.isfinite(G).all() and np.isfinite(q).all()):
        raise InputError("G and q must be finite: remove or impute missing values before forming them")
    if not np.allclose(G, G.T, rtol=0, atol=1e-8 * np.abs(G).max()):
        raise InputError("G must be symmetric: give G = X.T @ X / n")
    return (G if G.strides[1] == G.itemsize else np.ascontiguousarray(G)), q


def _weights(weights: Any, p: int) -> np.ndarray:
    if weights is None:
        return np.ones(p)
    v = np.ascontiguousarray(weights, dtype=np.float64)
    if v.shape != (p,) or not (np.isfinite(v) & (v > 0)).all():
        raise InputError(
            f"weights must be {p} finite numbers > 0, got {weights!r}: project unpenalised columns out first"
        )
    return v
