"""One completion from beginning to end: what is chosen, the fit that tells the score, the fit of all entries."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from tamis._core.errors import InputError
from tamis._core.evidence import Diagnostics, Status
from tamis._core.optional import need
from tamis._core.progress import Steps
from tamis.lowrank.completion.choice import (
    Baseline,
    CandidateSearch,
    Choice,
    HeldOut,
    Triplets,
    alpha_max,
    entries_of,
    hold_out,
    mean_of,
)
from tamis.lowrank.completion.standard_errors import Leverages
from tamis.solvers.als import FactorPair, als, als_of_growing_rank, certified, start_pair
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.multipliers import admm
from tamis.solvers.nuclear_completion import Completion, singular_value_thresholding, soft_impute
from tamis.solvers.svd import Factors

METHODS = ("als", "soft_impute", "svt", "factored", "sdp")
MOST_RANK = 100  # of a model whose rank is chosen
FEW = 30  # entries below which none are held out
SHARE = 0.01  # of α_max, the α taken then
LARGEST_SDP = 40_000  # entries of the whole matrix


@dataclass
class Plan:
    """The arguments of a completion, checked."""

    method: str
    rank: int | None
    alpha: float | None
    biases: bool
    bounds: tuple[float, float] | None
    held_out: float
    limits: IterationLimits
    n_threads: int
    rng: np.random.Generator
    steps: Steps

    @property
    def chooses(self) -> bool:
        if self.method == "factored":
            return self.rank is None
        return self.method in ("als", "soft_impute") and self.alpha is None


@dataclass
class Fit:
    completion: Completion
    alpha: float | None
    baseline: Baseline
    why: str
    status: Status
    n_iter: int
    score: float | None = None
    interval: tuple[float, float] | None = None
    score_of_mean: float | None = None
    beats_mean: bool | None = None
    while_choosing: float | None = None
    inflation: float = 1.0
    path: dict[str, list[Any]] | None = None


def complete(X: Triplets, plan: Plan) -> Fit:
    """Chooses what is to be chosen, then fits all entries."""
    if not plan.chooses:
        return _fit_entries(X, plan, plan.rank, plan.alpha, None, "alpha and rank as given")
    if X.nnz < FEW:
        top = alpha_max(entries_of(Baseline.of(X, plan.biases, plan.n_threads).off(X), plan.n_threads), plan.rng)
        rank = 1 if plan.method == "factored" else plan.rank
        why = f"{X.nnz} entries are too few to hold some out: alpha is {SHARE} of where nothing is left"
        return _fit_entries(X, plan, rank, max(SHARE * top, 1e-12), None, why)
    return _choose_and_fit(X, plan)


def _choose_and_fit(X: Triplets, plan: Plan) -> Fit:
    """Two parts of the entries are held out: one chooses, the other judges; the model is then fitted to all."""
    rest, judges = hold_out(X, plan.held_out, plan.rng)
    train, choosers = hold_out(rest, plan.held_out, plan.rng)
    choice = _choose(train, choosers, plan)
    at = choice.chosen
    pair, alpha = choice.pairs[at], choice.alphas[at]
    # The entries that chose nothing judge a model of all the others, at what was chosen.
    baseline = Baseline.of(rest, plan.biases, plan.n_threads)
    few = replace(plan.limits, max_iter=min(20, plan.limits.max_iter))
    entries = entries_of(baseline.off(rest), plan.n_threads)
    pair, _, _ = als(entries, alpha, pair, few)
    squares = judges.squares(pair, baseline, plan.bounds)
    score, interval = _root_mean(squares)
    of_mean = (judges.values - mean_of(rest)) ** 2
    levers = Leverages(rest, pair.U, pair.V, alpha, plan.biases, plan.n_threads)
    unbounded = squares if plan.bounds is None else judges.squares(pair, baseline, None)
    noise = levers.noise(entries.inner(entries.residual(pair))[0])
    inflation = levers.inflation(unbounded, judges.rows, judges.columns, noise)
    del rest, train
    what = f"rank {choice.ranks[at]}" if plan.method == "factored" else f"alpha {alpha:.4g}"
    why = f"{what} by {len(choosers.values):,} held-out entries, the one-standard-error rule"
    fitted = _fit_entries(X, plan, pair.rank if plan.method == "factored" else plan.rank, alpha, pair, why)
    path: dict[str, list[Any]] = {
        "alpha": choice.alphas,
        "rank": choice.ranks,
        "mse": choice.errors,
        "standard_error": choice.standard_errors,
    }
    return replace(
        fitted, score=score, interval=interval, score_of_mean=float(np.sqrt(of_mean.mean())),
        beats_mean=_is_lower(squares, of_mean), while_choosing=float(np.sqrt(choice.errors[at])), path=path,
        inflation=inflation,
    )  # fmt: skip


def _choose(train: Triplets, choosers: HeldOut, plan: Plan) -> Choice:
    """α, or the rank of method "factored", by entries that the fits have not seen."""
    baseline = Baseline.of(train, plan.biases, plan.n_threads)
    entries = entries_of(baseline.off(train), plan.n_threads)
    search = CandidateSearch(entries, choosers, baseline, plan.bounds, plan.limits, plan.rng)
    most = min(MOST_RANK, *train.shape) if plan.rank is None else plan.rank
    if plan.method == "factored":
        return search.over_ranks(most, plan.steps)
    return search.over_alphas(most, plan.rank is None, plan.steps)


def _root_mean(squares: np.ndarray) -> tuple[float, tuple[float, float]]:
    """√ of the mean, and of the ends of its 95 % interval."""
    mean = float(squares.mean())
    half = 1.96 * float(squares.std(ddof=1) / np.sqrt(len(squares))) if len(squares) > 1 else mean
    return float(np.sqrt(mean)), (float(np.sqrt(max(0.0, mean - half))), float(np.sqrt(mean + half)))


def _is_lower(squares: np.ndarray, than: np.ndarray) -> bool:
    """Whether the mean of paired squared errors is lower beyond chance; yes where the others are without error."""
    gain = than - squares
    half = 1.96 * float(gain.std(ddof=1) / np.sqrt(len(gain))) if len(gain) > 1 else np.inf
    return bool(gain.mean() > half or not than.any())


def _fit_entries(
    X: Triplets, plan: Plan, rank: int | None, alpha: float | None, start: FactorPair | None, why: str
) -> Fit:
    baseline = Baseline.of(X, plan.biases, plan.n_threads)
    X = baseline.off(X)
    common: dict[str, Any] = {"n_threads": plan.n_threads, "rng": plan.rng, "steps": plan.steps}
    if plan.method in ("als", "factored"):
        alpha = 0.0 if plan.method == "factored" else alpha
        assert alpha is not None
        found = _fit_factors(X, plan, rank, alpha, start)
    elif plan.method == "svt":
        found = singular_value_thresholding(X, plan.limits, **common)
    elif plan.method == "sdp":
        found = _semidefinite(X, alpha)
    elif alpha == 0:
        found = _least_nuclear_norm(X, plan)
    else:
        assert alpha is not None
        found = soft_impute(X, alpha, plan.limits, start=None if start is None else start.factors(), **common)
    return Fit(found, alpha, baseline, f"{plan.method}: {why}", found.status, found.n_iter)


def _fit_factors(X: Triplets, plan: Plan, rank: int | None, alpha: float, start: FactorPair | None) -> Completion:
    entries = entries_of(X, plan.n_threads)
    most = min(MOST_RANK, *X.shape) if rank is None else rank
    if rank is not None:
        pair = start_pair(entries, most, plan.rng) if start is None else start
        pair, status, n_iter = als(entries, alpha, pair, plan.limits, steps=plan.steps)
    else:
        pair = start_pair(entries, 0, plan.rng) if start is None else start
        pair, status, n_iter = als_of_growing_rank(
            entries, alpha, pair, most, plan.limits, plan.rng, rounds=10, more=20
        )
    return replace(certified(entries, pair, alpha, plan.rng), status=status, n_iter=n_iter)


def _least_nuclear_norm(X: csr_array, plan: Plan) -> Completion:
    """(11.26): ADMM on the matrix in full, without a sparse part."""
    found = admm(_written_out(X), np.inf, plan.limits, n_threads=plan.n_threads, rng=plan.rng, steps=plan.steps)
    return Completion(found.low_rank, found.status, found.n_iter, diagnostics=found.diagnostics)


def _semidefinite(X: csr_array, alpha: float | None) -> Completion:
    """(11.26), or the penalised problem at α, by an interior-point method through cvxpy."""
    if X.shape[0] * X.shape[1] > LARGEST_SDP:
        raise InputError(
            f"method='sdp' is for up to {LARGEST_SDP:,} entries, got {X.shape[0]:,} × {X.shape[1]:,}: take "
            "'soft_impute'",
            argument="method",
        )
    cp = need("cvxpy", extra="sdp", purpose="method='sdp'")
    entries = _written_out(X)
    M, at = cp.Variable(X.shape), np.isfinite(entries)
    misfit = cp.multiply(at.astype(float), M - np.nan_to_num(entries))
    if not alpha:
        problem = cp.Problem(cp.Minimize(cp.normNuc(M)), [misfit == 0])
    else:
        problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(misfit) + alpha * cp.normNuc(M)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of accuracy: the status below says it
        problem.solve(solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    if M.value is None:
        raise InputError(f"cvxpy found no solution ({problem.status}): take method='soft_impute'", argument="method")
    U, s, Vt = np.linalg.svd(M.value, full_matrices=False)
    k = int(np.count_nonzero(s > 1e-9 * s.max(initial=0.0)))
    gap = Diagnostics({"objective": float(problem.value), "accurate": float(problem.status == "optimal")})
    return Completion(Factors(U[:, :k], s[:k], Vt[:k]), Status.CONVERGED, 1, diagnostics=gap)


def _written_out(X: csr_array) -> np.ndarray:
    out = np.full(X.shape, np.nan, X.dtype)
    out[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.indices] = X.data
    return out


__all__ = ["METHODS", "Choice", "Fit", "Plan", "complete"]
