"""Losses that bend sharply (quantiles): solved smooth first, then less and less so, each from the one before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.evidence import Solution
from tamis._core.progress import Steps, silent
from tamis.datafits import HasCurvature, HasDual, HasLocal, HasNull, HasSmoothing
from tamis.penalties.base import CompiledPenalty
from tamis.solvers.gram_descent import descent_to
from tamis.solvers.paths import SolvedPath
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.requirements import require
from tamis.solvers.working_set import WorkingSet

FIRST = 1e4  # times the smoothing that is asked for, and a step down
STEP = 30.0
SMALL_STEP = 3.0
ROUGH = 1e-5  # the tolerance on the way down, relative to the null model's loss,
SPREAD = 1e5  # or where outliers make that large, to so many times the smoothing that is asked for


class Smoothing(BaseEstimator):
    """Working sets with less and less smoothing.

    Parameters
    ----------
    tol, max_iter, seed, n_jobs
        As in WorkingSet.
    """

    needs = (OperatorProblem, CompiledPenalty, HasSmoothing, HasCurvature, HasDual, HasNull, HasLocal)
    screening = False
    descends = True  # one α is enough: the way down from α_max is that of the smoothest problem alone

    def __init__(self, tol: float = 1e-7, max_iter: int = 1000, seed: int = -1, n_jobs: int | None = None) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.seed = seed
        self.n_jobs = n_jobs

    def path(
        self, problem: Any, alphas: np.ndarray, start: np.ndarray | None = None, steps: Steps = silent
    ) -> SolvedPath:
        """The smoothest problem for all alphas, each warm-started from the one before; then every α by itself."""
        require(self, problem)
        alphas = np.asarray(alphas, dtype=np.float64)
        smoothest = self._smoother(problem, FIRST)
        limit = SPREAD * float(problem.datafit.delta)
        rough = ROUGH * min(1.0, limit / max(smoothest.null_value(), np.finfo(float).tiny))
        first = self._first(smoothest, alphas, start, rough)
        out = SolvedPath.empty(alphas, problem.A.shape[1])
        for k, alpha in enumerate(steps(alphas, "path")):
            found = self._sharpened(problem, np.array([alpha]), first.coefs[k], rough)
            out.coefs[k], out.intercepts[k] = found.coefs[0], found.intercepts[0]
            out.record(k, int(found.n_iter[0]), float(found.gaps[0]), bool(found.converged[0]), 0)
        return out

    def solve(self, problem: Any, start: np.ndarray | None = None, on_step: Steps = silent) -> Solution:
        """The solution at ``problem.alpha``, from ``start`` at the smoothing that is asked for."""
        require(self, problem)
        if start is None:
            start = self.path(problem, np.array([problem.alpha]), None, on_step).coefs[0]
        return self._inner(self.tol).solve(problem, start, on_step)

    def _first(self, smoothest: Any, alphas: np.ndarray, start: np.ndarray | None, rough: float) -> SolvedPath:
        """The smoothest problem; of one α without a start down a short path from α_max."""
        if start is not None or len(alphas) > 1:
            return self._inner(rough).path(smoothest, alphas, start)
        down = descent_to(float(alphas[0]), smoothest.alpha_max())
        found = self._inner(rough).path(smoothest, down)
        return replace(found, coefs=found.coefs[-1:])

    def _sharpened(self, problem: Any, alpha: np.ndarray, w: np.ndarray, rough: float) -> SolvedPath:
        """In large steps; where that does not end, in smaller ones."""
        for step in (STEP, SMALL_STEP):
            factor, at = FIRST / step, w
            while factor > 1:
                at = self._inner(rough).path(self._smoother(problem, factor), alpha, at).coefs[0]
                factor /= step
            found = self._inner(self.tol).path(problem, alpha, at)
            if found.converged[0]:
                break
        return found

    def _inner(self, tol: float) -> WorkingSet:
        return WorkingSet(tol, self.max_iter, self.seed, self.n_jobs, False)

    def _smoother(self, problem: Any, factor: float) -> Any:
        return replace(problem, datafit=problem.datafit.smoother(factor))
