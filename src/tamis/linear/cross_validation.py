"""Choosing α along a path, for regressors and classifiers alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter

from tamis._core.checks import check_choice
from tamis.base.splits import Split, routing, split_rows
from tamis.base.training_data import TrainingData
from tamis.datafits import Datafit
from tamis.linear.alpha_choice import CRITERIA, RULES, alpha_grid, choose_alpha, criterion, require_room
from tamis.linear.fit_problem import FitProblem, sharpen, unfinished
from tamis.linear.folds import held_out_errors, held_out_loss, held_out_score
from tamis.linear.model import SparseModel
from tamis.linear.plan import Plan
from tamis.linear.strategy import make_folds, make_problem
from tamis.penalties import Penalty
from tamis.solvers.paths import SolvedPath

Candidates = Sequence[tuple[FitProblem, np.ndarray]]  # a problem for each penalty to choose from, and its alphas


class ChoosesAlpha(SparseModel):
    """Adds the choice of α, and of one among several penalties, to a model."""

    alphas: Any = 100
    eps: float = 1e-3
    cv: Any = 5
    scoring: Any = None
    rule: str = "min"

    # What a splitter asks for comes through ``fit``; the estimator asks for none of it itself.
    __metadata_request__fit: ClassVar[dict[str, str]] = {"groups": UNUSED}

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata go where: weights to ``fit`` and ``score``, and to ``cv`` what it asks for."""
        return routing(self, self.cv)

    def _penalties(self, plan: Plan) -> Sequence[Penalty]:
        """Those to choose from."""
        return [plan.penalty]

    def _fit_path(self, data: TrainingData, datafit: Datafit, groups: Any) -> None:
        check_choice("rule", self.rule, RULES)
        require_room(self.alphas, data.p * data.n_outputs)
        plan = self._plan(data, datafit)
        penalties = self._penalties(plan)
        if self.rule in CRITERIA:
            problem, strategy = make_problem(data, plan, self._steps)
            candidates = self._candidates(problem, penalties)
            which, k, path = self._by_criterion(candidates, plan)
        else:
            splits = self._splits(data, groups)
            problem, folds, strategy = make_folds(data, plan, splits, self._steps)
            candidates = self._candidates(problem, penalties)
            measure = held_out_loss if self.scoring is None else held_out_score(self, self.scoring, data)
            errors, left = held_out_errors(folds, plan, penalties, [a for _, a in candidates], measure, self._steps)
            self._warn_of_unfinished(left, f"{errors.size:,} pairs of fold and α")
            which, k = self._by_error(errors, candidates, plan)
            path = candidates[which][0].path(candidates[which][1], steps=self._steps)
        if not plan.squared:  # squares are finished exactly
            sharpen(candidates[which][0], path, k, plan.tol, self._steps)
        self._keep_path(candidates, which, k, path)
        self._keep(candidates[which][0], path, k, data, strategy)

    def _splits(self, data: TrainingData, groups: Any) -> list[Split]:
        """By scikit-learn's splitters; folds of classes are stratified."""
        classifier = data.classes is not None
        y = data.codes if classifier else data.y if data.in_memory else None
        return split_rows(self.cv, y, data.n, classifier=classifier, groups=groups)

    def _candidates(self, problem: FitProblem, penalties: Sequence[Penalty]) -> Candidates:
        problems = [problem.with_penalty(q) for q in penalties] if len(penalties) > 1 else [problem]
        return [(one, alpha_grid(self.alphas, one.alpha_max, self.eps)) for one in problems]

    def _by_error(self, errors: np.ndarray, candidates: Candidates, plan: Plan) -> tuple[int, int]:
        """Which penalty and which α the held-out errors (n_penalties, n_alphas, n_folds) speak for."""
        which = int(np.argmin(errors.mean(axis=2).min(axis=1)))
        choice, alphas = choose_alpha(errors[which]), candidates[which][1]
        errors_path = errors[0] if len(errors) == 1 else errors
        self.scores_path_ = -errors_path
        if plan.squared and self.scoring is None:
            self.mse_path_ = errors_path
        self.alpha_min_, self.alpha_1se_ = float(alphas[choice.least]), float(alphas[choice.one_standard_error])
        return which, choice.by(self.rule)

    def _by_criterion(self, candidates: Candidates, plan: Plan) -> tuple[int, int, SolvedPath]:
        """The same by an information criterion on the path of all rows."""
        paths = [problem.path(alphas, steps=self._steps) for problem, alphas in candidates]
        left = sum(unfinished(p, path) for (p, _), path in zip(candidates, paths, strict=True))
        self._warn_of_unfinished(left, f"{sum(len(path.alphas) for path in paths):,} alphas")
        values = np.stack([self._criterion(p, path, plan) for (p, _), path in zip(candidates, paths, strict=True)])
        self.criterion_path_ = values[0] if len(values) == 1 else values
        which, k = np.unravel_index(int(np.argmin(values)), values.shape)
        return int(which), int(k), paths[which]

    def _warn_of_unfinished(self, left: int, of: str) -> None:
        """What α is chosen by may be off where a fit did not converge."""
        if left:
            self._complain(
                f"{type(self).__name__} did not reach tol={self.tol:g} within max_iter={self.max_iter} at {left:,} of "
                f"{of}, from which alpha_ is chosen: raise max_iter or tol, or give larger alphas"
            )

    def _criterion(self, problem: FitProblem, path: SolvedPath, plan: Plan) -> np.ndarray:
        losses, n = problem.losses(path), problem.weight_sum * (problem.n_outputs if plan.squared else 1)
        tiny = np.finfo(float).tiny  # a perfect fit has no variance left to profile out
        deviance = n * np.log(np.maximum(losses, tiny)) if plan.squared else 2 * n * losses
        return criterion(self.rule, deviance, problem.degrees(path), n, path.coefs[0].size)

    def _keep_path(self, candidates: Candidates, which: int, k: int, path: SolvedPath) -> None:
        grids = [alphas for _, alphas in candidates]
        self.alphas_ = np.stack(grids) if len(grids) > 1 and np.ndim(self.alphas) == 0 else grids[0]
        self._alphas = path.alphas
        self.alpha_ = float(path.alphas[k])
        self.coef_path_, self.intercept_path_ = path.coefs, path.intercepts
        self.n_iter_ = max(1, int(np.max(path.n_iter[k])))
        self._which = which
