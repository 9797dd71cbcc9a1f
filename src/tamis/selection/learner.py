"""A table as a learner takes it, a learner fitted on it, and the way back from its columns to those of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import _routing_enabled
from sklearn.utils.validation import has_fit_parameter

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.memory import require_memory
from tamis._core.random import as_rng
from tamis.base.splits import as_groups, cv_of, last_step, require_group_splitter
from tamis.selection.candidates import Candidates
from tamis.selection.evaluation.learner_rows import check_learner
from tamis.sources import Block, Encoded, Source, gather, require_complete
from tamis.sources.base import Column, target_column, workers_of
from tamis.sources.encode import Coding
from tamis.stats.coded import read_rows
from tamis.stats.coding import CodedTarget, code_target


class Indicators(Encoded):
    """A column of labels as one 0/1 column per label; nothing is left out and no gap is filled."""

    def _take(self, j: int, column: Column, fill: bool) -> None:
        if column.levels is None:
            self._codings.append(Coding(j, None, np.nan))
            self.names.append(column.name)
        else:
            super()._take(j, column, fill)


@dataclass(frozen=True)
class LearnerInput:
    """Numbers to learn from; ``origin`` says which column of the table each of their columns comes from."""

    source: Source
    origin: np.ndarray
    n_columns: int
    y: np.ndarray
    weight: np.ndarray | None
    groups: np.ndarray | None = None

    @classmethod
    def of(cls, source: Source, y: np.ndarray, weight: np.ndarray | None, groups: Any = None) -> LearnerInput:
        """``y`` as the learner is to see it; ``groups``, one label per row, for the splitter of its folds."""
        p = source.n_features
        together = None if groups is None else as_groups(groups, len(y))
        if not set(source.labels) & set(source.names):
            return cls(source, np.arange(p), p, y, weight, together)
        coded: Any = Indicators(source)
        return cls(coded, np.array([c.j for c in coded._codings]), p, y, weight, together)

    @cached_property
    def block(self) -> Block:
        """All rows in memory."""
        n, p = len(self.y), self.source.n_features
        if not self.source.in_memory and workers_of(self.source) is None:  # gather itself says what Dask would bring
            require_memory(8.0 * n * p, f"reading {n:,} × {p:,} numbers", "select fewer columns or rows first")
        return gather(self.source)

    def per_column(self, values: np.ndarray, ufunc: Any = np.add, start: float = 0.0) -> np.ndarray:
        """One value per column of the table from those of the learner's columns."""
        out = np.full(self.n_columns, start)
        ufunc.at(out, self.origin, values)
        return out


def read_learner_target(
    source: Source, name: str, model: Any
) -> tuple[CodedTarget | None, np.ndarray, np.ndarray | None]:
    """The classes of the target, None where it is numbers to the model; the target as it is, and the weights."""
    y, weight = read_rows(source)
    return target_classes(source, y, name, model), y, weight


def target_classes(source: Source, y: np.ndarray, name: str, model: Any, otherwise: str = "auto") -> CodedTarget | None:
    """The classes of a target, or None where it is numbers to the model; where there is none, ``otherwise`` says what
    it is, and of "auto" its values.
    """
    task = otherwise if model is None else task_of(name, model)
    column = target_column(source)
    labels = column is not None and column.levels is not None
    if task == "regression":
        if labels:
            given = "task='regression'" if model is None else f"{name}={type(model).__name__}"
            other = "task='classification'" if model is None else "a classifier"
            raise InputError(f"{given} predicts numbers, but the target holds labels: give {other}")
        if not (y != y[0]).any():
            raise InputError(f"y is {y[0]:g} in all rows (n_samples = {len(y)}): there is nothing to learn")
        return None
    found = code_target(y, task="classification" if labels else task)
    return None if found.values is None else found


def task_of(name: str, model: Any) -> str:
    """What a model is for; "auto" where none is given."""
    if model is None:
        return "auto"
    check_learner(name, model)
    if is_classifier(model):
        return "classification"
    return "regression" if is_regressor(model) else "auto"


def fit_on_rows(name: str, model: Any, data: LearnerInput) -> Any:
    """A clone of the model, fitted on the rows in memory."""
    block = data.block
    given = {} if data.weight is None else {weight_keyword(name, model): data.weight}
    if data.groups is not None:
        given[groups_keyword(name, model)] = data.groups
    return named_errors(name, model, data.source, lambda: clone(model).fit(block.X, data.y, **given))


def named_errors(name: str, model: Any, source: Source, fit: Callable[[], Any]) -> Any:
    """What ``fit`` gives; a complaint of the model's own names the model, and the columns that have gaps."""
    try:
        return fit()
    except InputError:
        raise
    except ValueError as error:
        if "NaN" in str(error) or "infinity" in str(error):
            require_complete(source)
        raise InputError(f"{name}={type(model).__name__} cannot be fitted: {error}", argument=name) from error


def weight_keyword(name: str, model: Any) -> str:
    """What ``fit`` of a model calls the weights of the rows."""
    if isinstance(model, Pipeline):
        step, last = model.steps[-1]
        return f"{step}__{weight_keyword(name, last)}"
    if isinstance(model, BaseSearchCV):
        return weight_keyword(name, model.estimator)
    if not has_fit_parameter(model, "sample_weight"):
        raise InputError(f"sample_weight: {name}={type(model).__name__} fits all rows alike; leave it out")
    return "sample_weight"


def groups_keyword(name: str, model: Any) -> str:
    """What ``fit`` of a model calls the groups that its splitter keeps together."""
    if isinstance(model, Pipeline) and not _routing_enabled():
        step, last = model.steps[-1]
        return f"{step}__{groups_keyword(name, last)}"
    takes = isinstance(model, BaseSearchCV) or has_fit_parameter(model, "groups") or _routing_enabled()
    if not takes or not hasattr(last_step(model), "cv"):
        raise InputError(
            f"groups cannot be used: the fit of {name}={type(model).__name__} takes none; leave groups out, or give a "
            "model that cross-validates"
        )
    require_group_splitter(cv_of(model))
    return "groups"


def allows_nan(model: Any) -> bool:
    """Whether its tags say so; what is no estimator is refused elsewhere."""
    tagged = hasattr(model, "__sklearn_tags__") and not isinstance(model, type)
    return tagged and bool(get_tags(model).input_tags.allow_nan)


def seeded(model: Any, random_state: Any) -> Any:
    """A clone whose ``random_state`` parameters, at any depth, are drawn from ours; as it is where that is None."""
    model = clone(model)
    if random_state is not None:
        rng = as_rng(random_state)
        keys = sorted(k for k in model.get_params() if k == "random_state" or k.endswith("__random_state"))
        model.set_params(**{key: int(rng.integers(2**31 - 1)) for key in keys})
    return model


def last_model(name: str, fitted: Any, X: Any) -> tuple[Any, np.ndarray, Any]:
    """What a search found and a pipeline ends with, which columns of X it saw, and these as it saw them.

    The steps of a pipeline may scale, fill or select columns: they are followed by names.
    """
    p = X.shape[1]
    place = {f"column {j}": j for j in range(p)}
    names = np.array(list(place), dtype=object)
    while True:
        if isinstance(fitted, Pipeline):
            for _, step in fitted.steps[:-1]:
                if step not in (None, "passthrough"):
                    names, X = _names_after(name, step, names), step.transform(X)
            fitted = fitted.steps[-1][1]
        elif hasattr(fitted, "best_estimator_"):
            fitted = fitted.best_estimator_
        elif isinstance(fitted, FrozenEstimator):
            fitted = fitted.estimator
        else:
            break
    made = [str(given) for given in names if given not in place]
    if made:
        raise _lost(name, f"makes columns such as {made[0].replace('column ', 'x')!r}")
    return fitted, np.array([place[given] for given in names], dtype=np.int64), X


def _names_after(name: str, step: Any, names: np.ndarray) -> np.ndarray:
    try:
        return np.asarray(step.get_feature_names_out(names), dtype=object)
    except (AttributeError, ValueError):
        raise _lost(name, f"has the step {type(step).__name__}, which does not name its columns") from None


def _lost(name: str, why: str) -> InputError:
    return InputError(f"{name} {why}: which columns of X these are cannot be told. Do that step before the selector")


def choose_columns(
    candidates: Candidates, weights: np.ndarray, used: np.ndarray, n_features: Any, threshold: float | None
) -> list[int]:
    """Columns that are always kept, then the candidates with a used column by falling weight (of a group √Σ w²)."""
    most = len(candidates)
    if n_features is not None:
        most = check_count("n_features", n_features, at_most=len(candidates) + candidates.n_kept) - candidates.n_kept
        if most < 0:
            raise InputError(
                f"n_features={n_features!r} is less than the {candidates.n_kept} that keep asks for: raise it",
                argument="n_features",
            )
    size = np.array([np.sqrt(np.sum(weights[list(m)] ** 2)) for m in candidates.members])
    least = -np.inf if threshold is None else threshold
    free = [
        candidate
        for candidate in np.argsort(-size, kind="stable").tolist()
        if used[list(candidates.members[candidate])].any() and size[candidate] > least
    ]
    return list(candidates.columns(tuple(free[:most])))
