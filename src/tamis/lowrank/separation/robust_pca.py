"""Robust PCA: a matrix as low rank + sparse."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.errors import ConvergenceWarning, InputError
from tamis._core.evidence import Status
from tamis._core.progress import ProgressMixin, reports_progress
from tamis._core.random import as_rng
from tamis._core.series import names_of
from tamis._core.threads import thread_count
from tamis._core.warn import warn
from tamis.base.fitting import all_or_nothing, batch_or_nothing
from tamis.base.frames import as_frame, frame_library
from tamis.base.saved import SavedMixin
from tamis.lowrank.matrix_input import read_matrix, require_some, scores_given
from tamis.lowrank.separation.online import OnlineSubspace
from tamis.lowrank.separation.robust_rows import robust_scores
from tamis.lowrank.separation.strategy import choose_method, sampled_rank, takes_moments
from tamis.solvers.alternating_projections import alternating_projections
from tamis.solvers.huber_nuclear import huber_nuclear
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.multipliers import Separation, admm, augmented_lagrangian
from tamis.solvers.svd import Factors

METHODS = ("auto", "admm", "alm", "alternating", "stable", "online")
GROWTH = 1.5  # of the penalty of "alm"
MAX_ITER = 1000
SPREAD = 4.0  # standard deviations beyond which an entry of a new row is outlying
RATIO = 1.4826  # of the standard deviation of a Gaussian to its median size
ENOUGH = 1e-4  # residual and relative gap that "auto" is content with after max_iter steps of ADMM
ROUNDS = 6  # solutions, at most, between which the noise is measured again
LEAST_NOISE = {4: 1e-3, 8: 1e-4}  # by bytes of a number, of the middle size of the entries: less is taken for none


def _is_online(model: Any) -> bool:
    if model.method != "online":
        raise AttributeError(f"partial_fit is for method='online', got method={model.method!r}")
    return True


class RobustPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ProgressMixin, SavedMixin, BaseEstimator):
    """Principal components of data with some grossly wrong entries: low rank + sparse.

    X = L + S with L of low rank and S sparse: min ‖L‖_* + α‖S‖₁ (Candès, Li, Ma & Wright 2011).

    A few gross errors, wherever they are and however large, end in S and leave the principal components of L alone.
    NaN is a missing entry, which L fills.

    Parameters
    ----------
    method : {"auto", "admm", "alm", "alternating", "stable", "online"}
        "admm": alternating directions with a fixed penalty r; L by thresholding singular values at 1/r, S by shrinking
        entries by α/r. Slow, ends with a small duality gap. "alm": the same with a growing penalty (Lin, Chen & Ma
        2010), which ends soon: at the optimum where X is of low rank + sparse, elsewhere some per cent above it; where
        ``certificate_`` shows more than 0.1 %, its status is "stalled". "alternating": projections on the tangent space
        of matrices of low rank (Cai, Cai & Wei 2019), not convex, for large data. "stable": dense noise of standard
        deviation ``noise`` in all entries as well (Zhou et al. 2010). "online": a block of rows at a time, also by
        ``partial_fit``. "auto" takes "alternating" for large data that are of low rank + sparse, else "alm", from which
        it goes on with "admm" where "alm" stalled and the data are small (until residual and gap are at most ``tol``,
        or 1e-4 after ``max_iter`` steps); ``strategy_`` says why.
    alpha : float, optional
        Weight of ‖S‖₁; 1/√max(n, p) by default. Not used by "alternating" and "online", which shrink nothing.
    rank : int, optional
        Rank of L for "alternating" and "online"; by default that of a random sample of rows and columns.
    center : bool
        Whether column medians are taken off first.
    certify : bool
        Goes on with "admm" until the duality gap is at most ``tol`` times the objective. From the result of another
        method its penalty is balanced in the first half of ``max_iter`` and fixed from there.
    noise : float, optional
        Standard deviation of dense noise for "stable"; measured from the residuals by default.
    penalty : float, optional
        r of "admm"; n p / (4‖X‖₁) by default.
    tol : float, optional
        1e-7, and 1e-4 for float32: of ‖X − L − S‖/‖X‖, and of the relative gap for "admm" and "stable".
    max_iter : int
    time_limit : float, optional
        Seconds after which the best so far is kept.
    n_jobs : int, optional
        Threads of the kernels.
    random_state : None, int, Generator or RandomState
        Starts of the power method, samples of rows and columns.

    Attributes
    ----------
    low_rank_, sparse_ : (n, p) arrays
        L, with the medians added again, and S.
    rank_, components_ (rank_, p), singular_values_ (rank_,)
        Of L.
    certificate_ : SeparationGap or None
        How far the objective can be from its minimum; ``verify(X)`` recomputes it. None for "alternating" and "online".
    strategy_, status_, n_iter_, diagnostics_, threshold_, location_

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import RobustPCA
    >>> rng = np.random.default_rng(0)
    >>> X = np.outer(rng.normal(size=40), rng.normal(size=30))
    >>> X[3, 5] += 10.0
    >>> model = RobustPCA().fit(X)
    >>> model.rank_, np.argwhere(model.sparse_).tolist()
    (1, [[3, 5]])
    """

    def __init__(
        self,
        method: str = "auto",
        alpha: float | None = None,
        *,
        rank: int | None = None,
        center: bool = False,
        certify: bool = False,
        noise: float | None = None,
        penalty: float | None = None,
        tol: float | None = None,
        max_iter: int = MAX_ITER,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.alpha = alpha
        self.rank = rank
        self.center = center
        self.certify = certify
        self.noise = noise
        self.penalty = penalty
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None) -> RobustPCA:
        """Split X (n, p), an array, a frame or a file; NaN is a missing entry. ``y`` is not used."""
        self._check_arguments()
        self._library = frame_library(X)
        X = read_matrix(self, X, reset=True)
        require_some(X)
        if self.rank is not None:
            check_count("rank", self.rank, at_most=min(X.shape))
        self._rng, self._threads = as_rng(self.random_state), thread_count(self.n_jobs)
        X = self._centred(X)
        limits = self._limits(X)
        with limits.until_interrupted():
            method, why, rank = self._method(X)
            self.strategy_ = f"{method}: {why}"
            found = self._solve(X, method, rank, limits)
        self._keep(X, found)
        del self._rng, self._threads
        if found.status != Status.CONVERGED:
            warn(f"RobustPCA ended with status {found.status.value} after {found.n_iter} steps{_above(found)}",
                 ConvergenceWarning)  # fmt: skip
        return self

    @available_if(_is_online)
    @batch_or_nothing
    def partial_fit(self, X: Any, y: Any = None) -> RobustPCA:
        """One block of rows more, for method="online"; ``low_rank_`` and ``sparse_`` are those of this block."""
        self._check_arguments()
        first = not hasattr(self, "_online")
        X = read_matrix(self, X, reset=first)
        require_some(X)
        if first:
            self.location_ = self._medians(X) if self.center else np.zeros(X.shape[1], X.dtype)
            self._online = OnlineSubspace(self.rank, as_rng(self.random_state), thread_count(self.n_jobs))
        self._online = copy(self._online)
        scores, S = self._online.add(X - self.location_)
        self._learn_online(scores, S)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Scores (n, rank_) of rows on the components, which outlying and missing entries do not move."""
        return self.separate(X)[0]

    def separate(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(scores, L, S) of new rows: S is 0 but for entries that lie beyond ``threshold_`` from L."""
        check_is_fitted(self)
        X = read_matrix(self, X, reset=False)
        location = self.location_.astype(X.dtype, copy=False)
        components = self.components_.astype(X.dtype, copy=False)
        centred = X - location if location.any() else X
        scores, S = robust_scores(centred, components, self.threshold_, thread_count(self.n_jobs))
        return scores, scores @ components + location, S

    def inverse_transform(self, scores: Any) -> np.ndarray:
        """Rows (n, p) of low rank from their scores."""
        check_is_fitted(self)
        return scores_given(scores, self.rank_) @ self.components_ + self.location_

    @property
    def low_rank_(self) -> np.ndarray:
        """L (n, p), made from its factors when it is asked for."""
        if not hasattr(self, "scores_"):
            raise AttributeError("low_rank_")
        return self.scores_ @ self.components_ + self.location_

    def outlier_frame(self, n: int = 20) -> Any:
        """The n largest entries of S as a frame: row, column (by name where there are names), value and what L says."""
        check_is_fitted(self)
        n = check_count("n", n)
        order = np.argsort(-np.abs(self.sparse_), axis=None, kind="stable")[:n]
        rows, columns = np.unravel_index(order, self.sparse_.shape)
        seen = self.sparse_[rows, columns] != 0
        rows, columns = rows[seen], columns[seen]
        names = names_of(self, None, self.n_features_in_)
        expected = np.einsum("ik,ki->i", self.scores_[rows], self.components_[:, columns]) + self.location_[columns]
        beyond = self.sparse_[rows, columns]
        table = {
            "row": rows.tolist(), "column": [names[j] for j in columns], "expected": expected.tolist(),
            "beyond": beyond.tolist(),
        }  # fmt: skip
        return as_frame(table, self._library)

    # ---- arguments -------------------------------------------------------------------------------------------------

    def _check_arguments(self) -> None:
        check_choice("method", self.method, METHODS)
        for name in ("center", "certify"):
            check_choice(name, getattr(self, name), (True, False))
        for name in ("alpha", "noise", "penalty", "tol", "time_limit"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), above=0)
        if self.rank is not None:
            check_count("rank", self.rank)
        check_count("max_iter", self.max_iter)
        as_rng(self.random_state)
        thread_count(self.n_jobs)
        iterative = tuple(method for method in METHODS if method != "online")
        uses = {
            "rank": ("auto", "alternating", "online"), "noise": ("stable",), "penalty": ("admm",), "tol": iterative,
        }  # fmt: skip
        for name, methods in uses.items():
            if getattr(self, name) is not None and self.method not in methods:
                raise InputError(
                    f"{name}={getattr(self, name)!r} is not used by method={self.method!r}: leave it out, or take "
                    f"method={methods[-1]!r}",
                    argument=name,
                )
        if self.alpha is not None and self.method in ("alternating", "online"):
            raise InputError(
                f"alpha={self.alpha!r} is not used by method={self.method!r}: leave it out", argument="alpha"
            )
        if self.method == "online" and self.max_iter != MAX_ITER:
            raise InputError(
                f"max_iter={self.max_iter!r} is not used by method='online', which reads every row once: leave it out",
                argument="max_iter",
            )
        if self.method == "auto" and self.rank is not None and (self.certify or self.alpha is not None):
            other = "certify=True" if self.certify else f"alpha={self.alpha!r}"
            raise InputError(
                f"rank={self.rank!r} and {other} do not go together: the convex problem has no rank; give one of them",
                argument="rank",
            )
        if self.certify and self.method in ("stable", "online"):
            raise InputError(
                f"certify=True needs X = L + S: method={self.method!r} has another objective", argument="certify"
            )

    def _limits(self, X: np.ndarray) -> IterationLimits:
        tol = self.tol if self.tol is not None else 1e-7 if X.dtype == np.float64 else 1e-4
        return IterationLimits.from_now(tol, self.max_iter, self.time_limit)

    def _centred(self, X: np.ndarray) -> np.ndarray:
        if not self.center:
            self.location_ = np.zeros(X.shape[1], X.dtype)
            return X
        self.location_ = self._medians(X)
        return X - self.location_

    @staticmethod
    def _medians(X: np.ndarray) -> np.ndarray:
        """Of the observed entries of each column; 0 where there are none."""
        empty = np.isnan(X).all(axis=0)
        medians = np.zeros(X.shape[1], X.dtype)
        medians[~empty] = np.nanmedian(X[:, ~empty], axis=0)
        return medians

    def _method(self, X: np.ndarray) -> tuple[str, str, int | None]:
        if self.method == "auto":
            if self.alpha is not None:
                return "alm", "alpha is given, which the convex problem has", None
            return choose_method(X, self.rank, self.certify, self._threads, self._rng)
        rank = self.rank
        if self.method == "alternating" and rank is None:
            rank = sampled_rank(X, self._threads, self._rng)
            if rank is None:
                raise InputError(
                    "method='alternating' needs rank: no sample of rows and columns shows one; give rank, or take "
                    "method='alm'",
                    argument="rank",
                )
        return self.method, "asked for", rank

    # ---- the work --------------------------------------------------------------------------------------------------

    def _solve(self, X: np.ndarray, method: str, rank: int | None, limits: IterationLimits) -> Separation:
        common: dict[str, Any] = {"n_threads": self._threads, "rng": self._rng, "steps": self._steps}
        alpha = 1 / np.sqrt(max(X.shape)) if self.alpha is None else float(self.alpha)
        self.alpha_ = None if method in ("alternating", "online") and not self.certify else alpha
        if method == "online":
            return self._solve_online(X, rank, limits)
        if method == "stable":
            return self._solve_stable(X, alpha, limits, common)
        if method == "alternating":
            assert rank is not None
            found = alternating_projections(X, rank, limits, **common)
        elif method == "alm":
            found = augmented_lagrangian(X, alpha, limits, **common, growth=GROWTH)
        else:
            return admm(X, alpha, limits, penalty=self.penalty, **common)
        if not self._goes_on(X, found, limits):
            return found
        start = None if found.Z is None else (found.Z, found.low_rank)
        found = admm(X, alpha, limits, start=start, **common)
        return found if self.certify else _good_enough(found)

    def _goes_on(self, X: np.ndarray, found: Separation, limits: IterationLimits) -> bool:
        """Whether ADMM is to take a fast result to the optimum: asked for, or needed and a matter of seconds."""
        if self.certify:
            return found.certificate is None or found.certificate.relative_gap > limits.tol
        if self.method != "auto" or found.status != Status.STALLED or not takes_moments(X):
            return False
        assert found.certificate is not None
        self.strategy_ += f"; then admm, for its gap was {found.certificate.relative_gap:.1%}"
        return True

    def _solve_stable(self, X: np.ndarray, alpha: float, limits: IterationLimits, common: dict[str, Any]) -> Separation:
        """μ = σ √(2 max(n, p)), about the spectral norm of the noise; σ from the residuals where it is not given."""
        root = np.sqrt(2.0 * max(X.shape))
        sigma: float | None = self.noise
        rough = replace(limits, tol=1e-3, max_iter=min(100, limits.max_iter))
        low_rank = augmented_lagrangian(X, alpha, rough, **common, certified=False).low_rank  # steps are of size μ
        if sigma is None:
            sigma, low_rank = self._measured_noise(X, alpha, root, low_rank, rough, common)
        self.noise_ = float(sigma)
        mu = max(sigma * root, 1e-9 * float(np.nanmax(np.abs(X))) * root) or 1.0
        return huber_nuclear(X, alpha, mu, limits, start=low_rank, **common)

    def _measured_noise(
        self,
        X: np.ndarray,
        alpha: float,
        root: float,
        low_rank: Factors,
        rough: IterationLimits,
        common: dict[str, Any],
    ) -> tuple[float, Factors]:
        """σ from below: of what the problem without noise leaves to S, then of residuals at the σ found last.

        From above it would stay large, for L is shrunk by as much as the noise is thought to be.
        """
        least = LEAST_NOISE[X.itemsize] * _middle(X)
        sigma = max(least, _middle(X - low_rank.toarray()))
        for _ in range(ROUNDS if sigma > 0 else 0):
            low_rank = huber_nuclear(X, alpha, sigma * root, rough, start=low_rank, **common).low_rank
            whole = (low_rank.U * (low_rank.s + X.dtype.type(sigma * root))) @ low_rank.Vt  # before it was thresholded
            taken = 1 - len(low_rank.s) * (sum(X.shape) - len(low_rank.s)) / X.size  # degrees of freedom that L left
            before, sigma = sigma, max(least, _middle(X - whole) / np.sqrt(max(0.25, taken)))
            if abs(sigma - before) <= 0.05 * sigma:
                break
        return sigma, low_rank

    def _solve_online(self, X: np.ndarray, rank: int | None, limits: IterationLimits) -> Separation:
        self._online = OnlineSubspace(rank, self._rng, self._threads)
        return self._online.fit(X, limits, self._steps)

    def _keep(self, X: np.ndarray, found: Separation) -> None:
        self.scores_ = found.low_rank.U * found.low_rank.s
        self.components_, self.singular_values_ = found.low_rank.Vt, found.low_rank.s
        self.rank_ = self._n_features_out = len(found.low_rank.s)
        self.sparse_ = found.sparse
        self.status_, self.n_iter_, self.diagnostics_ = found.status.value, found.n_iter, found.diagnostics
        self.certificate_ = found.certificate
        if self.certificate_ is not None and self.location_.any():
            object.__setattr__(self.certificate_, "location", self.location_)
        self.threshold_ = self._threshold(X, found)

    def _threshold(self, X: np.ndarray, found: Separation) -> float:
        """Four standard deviations of what is neither in L nor gross, and never less than rounding."""
        rows = self._rng.choice(len(X), min(len(X), max(1, 10**6 // X.shape[1])), replace=False)
        R = X[rows] - self.scores_[rows] @ self.components_
        least = 1e-6 if X.dtype == np.float64 else 1e-3
        return max(SPREAD * _middle(R), least * float(np.nanmax(np.abs(X))))

    def _learn_online(self, scores: np.ndarray, S: np.ndarray) -> None:
        online = self._online
        self.scores_, self.sparse_, self.components_ = scores, S, online.components
        self.rank_ = self._n_features_out = len(online.components)
        self.singular_values_, self.threshold_, self.n_samples_seen_ = online.s, online.limit, online.n_seen
        self.certificate_, self.alpha_, self.strategy_, self._library = None, None, "online: asked for", None

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "components_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _middle(R: np.ndarray) -> float:
    """The standard deviation of a Gaussian whose median size is that of the entries of R."""
    return float(RATIO * np.nanmedian(np.abs(R)))


def _good_enough(found: Separation) -> Separation:
    """What "auto" asks where the steps ran out: both X = L + S and the optimum to ENOUGH."""
    assert found.certificate is not None
    reached = max(found.diagnostics["residual"], found.certificate.relative_gap) <= ENOUGH
    return replace(found, status=Status.CONVERGED) if found.status == Status.MAX_ITER and reached else found


def _above(found: Separation) -> str:
    """How far from the minimum the objective may be, for a warning."""
    if found.status != Status.STALLED or found.certificate is None:
        return ""
    gap = found.certificate.relative_gap
    return f": its objective may be {gap:.1%} above the minimum; certify=True goes on from there"
