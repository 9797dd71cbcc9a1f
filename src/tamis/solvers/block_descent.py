"""Grouped quadratics: block descent with Newton steps on the support."""

from __future__ import annotations

import numpy as np

from tamis._kernels import kernels
from tamis._kernels.workspace import square
from tamis.penalties import Terms

ROUNDS = 4  # at most of a minimum with rounding added, each from the last
SLACK = 1e-13  # of the largest correlation: the kernel resolves no less


class BlockQuadratic:
    """min ½ wᵀHw − qᵀw + α Ω(w) on a set of features that grows.

    A sweep minimises over one group after another, in random order where ``seed`` ≥ 0, each exactly: w_g = t u, where
    (tH_gg + α group_g I) u = z_g and t makes ‖u‖ = 1. Newton steps on what is not zero then bring the last digits,
    their systems solved by conjugate gradients on a single-precision copy of H. Groups without a group term fall into
    single features.

    With several outputs q and w are (K, k), H is shared, and a group spans its features in all outputs.
    """

    def __init__(self, terms: Terms, max_iter: int = 1000, n_threads: int = 1, seed: int = -1) -> None:
        self.terms = terms
        self.max_iter = max_iter
        self.n_threads = n_threads
        self.seed = seed
        self.features = np.zeros(0, np.int64)
        self._solved: list[tuple[float, np.ndarray]] = []
        self._set_terms()
        self._room(0)

    def grow(self, features: np.ndarray) -> None:
        """Admit features, given by their number in the whole problem; those of a group must follow each other."""
        self.features = np.append(self.features, np.asarray(features, np.int64))
        self._set_terms()

    def reset(self) -> None:
        """H has changed."""
        self._n_slots[0] = 0

    def minimise(self, H: np.ndarray, q: np.ndarray, w: np.ndarray, alpha: float, tol: float) -> tuple[int, bool]:
        """Improve w in place until a bound of what is left of the objective is at most tol: rounds, and whether it is.

        The bound is that of Fenchel with the dual point at the gradient, with 2‖w_g‖ for the unknown length of
        the minimiser's groups.
        """
        k = len(self.features)
        if not k:
            return 0, True
        if k > len(self._slots):
            self._room(k + k // 2)
        self._extrapolate(w, alpha)
        mu = 8 * len(H) * np.finfo(float).eps * H.diagonal() if alpha > 0 else np.zeros(len(H))
        n_iter = 0
        for _ in range(ROUNDS):
            before = w.copy()
            n, converged = self._damped(H, q, w, alpha, mu, tol)
            n_iter, moved = n_iter + n, mu * np.abs(w - before)
            if np.vdot(moved, np.abs(w)) <= 0.1 * tol or moved.max() <= SLACK * np.abs(q).max():
                break
        self._solved = [*[x for x in self._solved if x[0] != alpha][-1:], (alpha, w.copy())]
        return n_iter, converged

    def _damped(
        self, H: np.ndarray, q: np.ndarray, w: np.ndarray, alpha: float, mu: np.ndarray, tol: float
    ) -> tuple[int, bool]:
        """The minimum over v with ½ Σ μⱼ(vⱼ − wⱼ)² added to the objective, μ the rounding of H.

        Of columns whose means are 1e8 of their spreads H is the rounding of a matrix of rank 1, along some directions
        less than 0: there the objective would fall for ever.
        """
        k = q.shape[-1]
        ridge = self._l2 + mu / alpha if alpha > 0 else self._l2
        n_iter, converged = kernels.block_steps(
            H, (q + mu * w).reshape(-1, k), self._l1, ridge, self._group, self._starts, self.terms.positive, alpha,
            w.reshape(-1, k), self._copy, self._slots, self._n_slots, tol, self.max_iter, self.seed,
            self.n_threads,
        )  # fmt: skip
        return n_iter, converged

    def _extrapolate(self, w: np.ndarray, alpha: float) -> None:
        """Start where the last two solutions point to: between entries and exits the path is smooth in α."""
        if len(self._solved) < 2:
            return
        (first, before), (last, now) = self._solved
        ratio = (alpha - last) / (last - first)
        if not 0 < ratio <= 2 or not np.array_equal(w[..., : now.shape[-1]], now):
            return
        step = ratio * (now[..., : before.shape[-1]] - before)
        here = w[..., : before.shape[-1]]
        stays = (before != 0) & (here * (here + step) > 0)
        here += np.where(stays, step, 0.0)

    def _set_terms(self) -> None:
        """The terms of the features let in, and where each group starts among them."""
        terms, S = self.terms, self.features
        self._l1, self._l2 = terms.l1[S], terms.l2[S]
        if terms.group is None:
            self._starts, self._group = np.arange(len(S) + 1), np.zeros(len(S))
            return
        labels = terms.labels[S]
        alone = terms.group[labels] == 0
        first = np.append(True, (labels[1:] != labels[:-1]) | alone[1:])[: len(S)]
        self._starts = np.append(np.flatnonzero(first), len(S))
        self._group = terms.group[labels[first]]

    def _room(self, capacity: int) -> None:
        """For the kernel's copy of H, which it keeps from call to call."""
        self._copy = square(capacity, np.float32)
        self._slots, self._n_slots = np.zeros(capacity, np.int64), np.zeros(1, np.int64)
