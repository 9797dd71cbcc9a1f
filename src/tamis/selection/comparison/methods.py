"""Methods: from training rows to one nested sequence of subsets, the prefixes of an order of the columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import has_fit_parameter

from tamis._core.checks import suggestion
from tamis._core.errors import InputError
from tamis.linear import sparse_path
from tamis.selection.columns import ColumnSelector
from tamis.selection.comparison.logistic_forward import logistic_forward
from tamis.selection.comparison.table import TrainingRows
from tamis.selection.evaluation import MRMR, Evaluation, LinearFit
from tamis.selection.learner import allows_nan, seeded
from tamis.selection.relief import ReliefF, RReliefF
from tamis.selection.search.base import merge_ties
from tamis.sources import as_source

SEARCHED = 100  # columns that a forward search adds one by one; the others follow by the last round's scores
SCREENED = 1000  # columns that a forward search by linear models searches, the most correlated with the target
LOGISTIC_SEARCHED = 50  # columns that it adds for classes
LOGISTIC_CELLS = 2_000_000  # of a larger table so many are used for classes, but 2,000 rows at least, drawn at random
LOGISTIC_ROWS = 2000
RELIEF_ROWS = 2000
TREES = 200


@dataclass(frozen=True)
class Sequence:
    """An order of columns; the subset of size k is its first k. ``whole``: it is one subset, without an order."""

    order: tuple[int, ...]
    whole: bool = False


class Method:
    """A way to order columns. ``cost`` orders the work: cheap ones first."""

    name = ""
    cost = 1
    takes_weights = True

    def words(self, task: str) -> str:
        """What it is called in sentences."""
        del task
        return self.name

    def sequence(self, rows: TrainingRows, seed: int) -> Sequence:
        raise NotImplementedError


class LassoPath(Method):
    """Columns in the order in which they enter the lasso's path, or that of the sparse logistic regression; those
    that enter at one α by the size of their coefficient. Columns off the path are not in the sequence.
    """

    name = "lasso"

    def words(self, task: str) -> str:
        return "lasso path" if task == "regression" else "sparse logistic path"

    def sequence(self, rows: TrainingRows, seed: int) -> Sequence:
        del seed
        numbers = rows.numbers
        classes = rows.table.classes is not None
        X = numbers.X
        path = sparse_path(
            X,
            rows.target if classes else rows.y,
            "logistic" if classes else "squared",
            alphas=100,
            eps=1e-2 if X.shape[0] < X.shape[1] else 1e-3,
            standardize=True,
            sample_weight=rows.weight,
            tol=1e-4,
            n_jobs=1,
        )
        coefs = np.abs(path.coefs)
        coefs = (coefs.sum(axis=1) if coefs.ndim == 3 else coefs) * _spread(X)
        return Sequence(_by_origin(entry_order(coefs), numbers.origin))


def entry_order(coefs: np.ndarray) -> list[int]:
    """Columns by where they first are not 0 in (n_alphas, p), then by falling size there."""
    there: np.ndarray = np.greater(coefs, 0)
    entered: np.ndarray = np.any(there, axis=0)
    first = np.where(entered, there.argmax(axis=0), len(coefs))
    size = coefs[np.minimum(first, len(coefs) - 1), np.arange(coefs.shape[1])]
    order = np.lexsort((-size, first))
    return [int(j) for j in order if first[j] < len(coefs)]


class ForwardMRMR(Method):
    """Forward search by relevance less redundancy, in bits; bins are cut in the training rows."""

    name = "mrmr"

    def words(self, task: str) -> str:
        del task
        return "forward search by mRMR"

    def sequence(self, rows: TrainingRows, seed: int) -> Sequence:
        del seed
        return Sequence(tuple(_forward(MRMR(task=rows.table.task), rows.source, SEARCHED)))


class ForwardLinear(Method):
    """Forward search by linear models: the cross-validated error of least squares; for classes the score test of
    logistic regression, of several classes each against the others, in turn.
    """

    name = "linear"
    cost = 2

    def words(self, task: str) -> str:
        return "forward search by " + ("least squares" if task == "regression" else "logistic regression")

    def sequence(self, rows: TrainingRows, seed: int) -> Sequence:
        numbers = rows.numbers
        if rows.table.classes is None:
            order = self._order(numbers.X, rows.y, rows.weight, _least_squares(rows.y, seed))
        else:
            order = _logistic_order(rows, numbers.X, seed)
        return Sequence(_by_origin(order, numbers.origin))

    @staticmethod
    def _order(X: Any, y: np.ndarray, weight: np.ndarray | None, evaluation: LinearFit) -> list[int]:
        strength = _correlations(X, y)
        ranked = np.argsort(-strength, kind="stable")
        searched = np.sort(ranked[:SCREENED])
        part = as_source(X[:, searched], y, sample_weight=weight)
        most = min(SEARCHED, len(searched), max(1, len(y) // 2))
        chosen = [int(searched[j]) for j in _forward(evaluation, part, most, rest=False)]
        taken = set(chosen)
        return chosen + [int(j) for j in ranked if int(j) not in taken]


def _least_squares(y: np.ndarray, seed: int) -> LinearFit:
    """By up to 5 folds of at least two rows, drawn at random, for a table may be sorted by its target. Fewer than four
    rows are judged by BIC.
    """
    folds = min(5, len(y) // 2)
    if folds < 2:
        return LinearFit(criterion="bic")
    fold = np.empty(len(y), dtype=np.intp)
    fold[np.random.default_rng(seed).permutation(len(y))] = np.arange(len(y)) % folds
    return LinearFit(cv=[(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds)])


def _logistic_order(rows: TrainingRows, X: Any, seed: int) -> list[int]:
    """All columns: those that logistic regressions of the classes add, in turn, then the others by their gain."""
    target, weight = rows.target, rows.weight
    n = max(LOGISTIC_ROWS, LOGISTIC_CELLS // min(X.shape[1], SCREENED))
    if len(target) > n:
        at = np.sort(np.random.default_rng(seed).choice(len(target), n, replace=False))
        X, target, weight = X[at], target[at], None if weight is None else weight[at]
    present = np.unique(target)
    classes = present[1:] if len(present) == 2 else present
    orders = [_logistic_order_of(X, (target == k).astype(np.float64), weight, len(classes)) for k in classes]
    return [order[k] for k in range(X.shape[1]) for order in orders]


def _logistic_order_of(X: Any, y: np.ndarray, weight: np.ndarray | None, n_classes: int) -> list[int]:
    ranked = np.argsort(-_correlations(X, y), kind="stable")
    searched = np.sort(ranked[:SCREENED])
    most = min(-(-LOGISTIC_SEARCHED // n_classes), max(1, len(y) // 2))
    chosen, gains = logistic_forward(X[:, searched], y, weight, most)
    joined = set(chosen)
    rest = [int(j) for j in np.argsort(-gains, kind="stable") if int(j) not in joined]
    return [int(searched[j]) for j in chosen + rest] + [int(j) for j in ranked[SCREENED:]]


def _forward(evaluation: Evaluation, source: Any, most: int, rest: bool = True) -> list[int]:
    """Columns in the order in which forward search adds them, ties to the lowest; then the others by their last
    scores."""
    state = evaluation.prepare(source, n_jobs=1)
    chosen: list[int] = []
    left = np.arange(source.n_features)
    gains = np.zeros(len(left))
    while len(left) and len(chosen) < most:
        gains = np.asarray(evaluation.gains(state, tuple(chosen), left.tolist()), dtype=np.float64)
        gains = np.where(np.isnan(gains), -np.inf, gains)
        k = int(np.argmax(merge_ties(gains)))
        chosen.append(int(left[k]))
        left, gains = np.delete(left, k), np.delete(gains, k)
    if rest:
        chosen += [int(j) for j in left[np.argsort(-gains, kind="stable")]]
    return chosen


class Relief(Method):
    """ReliefF for classes, RReliefF for numbers: it sees columns that matter only together."""

    name = "relief"

    def words(self, task: str) -> str:
        return "RReliefF" if task == "regression" else "ReliefF"

    def sequence(self, rows: TrainingRows, seed: int) -> Sequence:
        kind: Any = RReliefF if rows.table.classes is None else ReliefF
        n_samples = RELIEF_ROWS if len(rows.at) > RELIEF_ROWS else None
        options: dict[str, Any] = {"n_samples": n_samples, "n_jobs": 1, "random_state": seed}
        if rows.table.classes is not None:
            options["task"] = "classification"
        found = kind(**options).measure(rows.source)
        return Sequence(tuple(int(j) for j in found.order))


class ForestImportance(Method):
    """The importance of columns in extremely randomised trees."""

    name = "forest"
    cost = 3

    def words(self, task: str) -> str:
        del task
        return "forest importance"

    def sequence(self, rows: TrainingRows, seed: int) -> Sequence:
        kind: Any = ExtraTreesRegressor if rows.table.classes is None else ExtraTreesClassifier
        numbers = rows.numbers
        forest = kind(n_estimators=TREES, max_features="sqrt", min_samples_leaf=2, random_state=seed, n_jobs=1)
        forest.fit(numbers.X, rows.target, sample_weight=rows.weight)
        importance = np.bincount(numbers.origin, forest.feature_importances_, minlength=rows.table.p)
        return Sequence(tuple(int(j) for j in np.argsort(-importance, kind="stable")))


@dataclass
class Given(Method):
    """A selector of the user's: its own choice first, then what its ranking or its history tells of the others."""

    selector: Any
    name: str = ""
    cost: int = 4

    @property
    def takes_weights(self) -> bool:  # type: ignore[override]
        return bool(has_fit_parameter(self.selector, "sample_weight"))

    def sequence(self, rows: TrainingRows, seed: int) -> Sequence:
        selector = _unwatched(seeded(self.selector, seed))
        given = {} if rows.weight is None or not self.takes_weights else {"sample_weight": rows.weight}
        if isinstance(selector, ColumnSelector):
            fitted = selector.fit(rows.named_source)
            return order_of(fitted, np.arange(rows.table.p))
        numbers = rows.numbers if not allows_nan(selector) else rows.encoding(range(rows.table.p), fill=False)
        fitted = selector.fit(numbers.X, rows.y, **given)
        return order_of(fitted, numbers.origin)


def _unwatched(selector: Any) -> Any:
    """Without a checkpoint of its own, which another fold's would not agree with."""
    if "checkpoint" in selector.get_params(deep=False):
        selector.set_params(checkpoint=None)
    return selector


def order_of(fitted: Any, origin: np.ndarray) -> Sequence:
    """The order that a fitted selector tells: the columns it chose, best first, then the others.

    Best by ``history_`` (sizes growing), ``ranking_``, ``relevance_``, ``scores_`` or the weights of ``estimator_``;
    where it tells none, there is one subset, its own.
    """
    support = np.asarray(fitted.get_support())
    strength = _strength(fitted, len(support))
    if strength is None:
        chosen = _by_origin(np.flatnonzero(support), origin)
        return Sequence(chosen, whole=True)
    order = np.lexsort((np.arange(len(support)), -strength, ~support))
    known = [j for j in order if support[j] or strength[j] > -np.inf]
    return Sequence(_by_origin(known, origin))


def _strength(fitted: Any, p: int) -> np.ndarray | None:
    """A number per column, the larger the better; −∞ where nothing is known; None where the selector tells none."""
    if hasattr(fitted, "history_"):
        return _history_strength(fitted, p)
    for name, sign in (("ranking_", -1.0), ("relevance_", 1.0), ("scores_", 1.0)):
        values = getattr(fitted, name, None)
        if isinstance(values, np.ndarray) and values.shape == (p,):
            strength = np.where(np.isnan(values), -np.inf, sign * values)
            return _ties_by_weight(fitted, strength) if name == "ranking_" else strength
    return _weights(fitted, p)


def _ties_by_weight(fitted: Any, strength: np.ndarray) -> np.ndarray:
    """Ranks of which the first is shared by all that were chosen, as RFE has them: among these the weights of the model
    decide, which was fitted to them alone."""
    chosen = np.flatnonzero(fitted.get_support())
    weights = _weights(fitted, len(chosen))
    if weights is None or len(np.unique(strength[chosen])) > 1:
        return strength
    out = strength.copy()
    out[chosen] += np.argsort(np.argsort(weights, kind="stable"), kind="stable") / len(chosen)
    return out


def _weights(fitted: Any, p: int) -> np.ndarray | None:
    """The size of the weights of the model that a selector holds, where they are p."""
    model = getattr(fitted, "estimator_", getattr(fitted, "model_", None))
    weights = getattr(model, "coef_", getattr(model, "feature_importances_", None))
    if weights is None:
        return None
    dense = weights.toarray() if sp.issparse(weights) else np.asarray(weights)
    weights = np.sqrt((np.atleast_2d(dense) ** 2).sum(axis=0))
    return weights if len(weights) == p else None


def _history_strength(fitted: Any, p: int) -> np.ndarray:
    """Minus the size of the smallest kept subset that a column is in."""
    strength = np.full(p, -np.inf)
    place = {name: j for j, name in enumerate(getattr(fitted, "feature_names_in_", range(p)))}
    for row in reversed(fitted.history_.outline()):
        subset = fitted.history_.subset(int(row))
        for k, name in enumerate(subset):
            if name in place:
                strength[place[name]] = -len(subset) - k / (len(subset) + 1)
    return strength


def _by_origin(order: Iterable[int], origin: np.ndarray) -> tuple[int, ...]:
    """Columns of the table in the order of the first of their columns of numbers."""
    return tuple(dict.fromkeys(int(origin[j]) for j in order))


def _spread(X: Any) -> np.ndarray:
    if not sp.issparse(X):
        return X.std(axis=0)
    mean = np.asarray(X.mean(axis=0)).ravel()
    return np.sqrt(np.maximum(0.0, np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2))


def _correlations(X: Any, y: np.ndarray) -> np.ndarray:
    """|Pearson's correlation| of every column with y; 0 of a constant."""
    spread = _spread(X)
    products = np.abs(np.asarray(X.T @ (y - y.mean())).ravel())
    return np.divide(products, spread, out=np.zeros(len(spread)), where=spread > 1e-12 * (1 + np.abs(spread).max()))


METHODS: dict[str, type[Method]] = {
    kind.name: kind for kind in (LassoPath, ForwardMRMR, ForwardLinear, Relief, ForestImportance)
}


def as_methods(methods: Any) -> list[Method]:
    """What ``methods`` names: "auto", a name, a selector, a list of both, or a dict of selectors by their names."""
    if isinstance(methods, str) and methods == "auto":
        return [kind() for kind in METHODS.values()]
    if isinstance(methods, dict):
        found = [_as_method(given, str(name)) for name, given in methods.items()]
    else:
        all_given = methods if isinstance(methods, (list, tuple)) else [methods]
        found = [_as_method(given, None) for given in all_given]
    if not found:
        raise InputError("methods is empty: give at least one, or 'auto'", argument="methods")
    return _distinct(found)


def _as_method(given: Any, name: str | None) -> Method:
    if isinstance(given, Method):
        return given
    if isinstance(given, str):
        if given not in METHODS:
            names = f"{', '.join(METHODS)}{suggestion(given, METHODS)}"
            raise InputError(f"methods has no {given!r}; there are {names}", argument="methods")
        made = METHODS[given]()
        made.name = name or made.name
        return made
    if isinstance(given, type) or not hasattr(given, "fit") or not isinstance(given, SelectorMixin):
        raise InputError(
            f"methods must be names of {', '.join(METHODS)}, or selectors such as SubsetSelector() and "
            f"SelectKBest(); got {given!r}",
            argument="methods",
        )
    return Given(clone(given), name or type(given).__name__)


def _distinct(methods: list[Method]) -> list[Method]:
    """Methods with names of their own: a second of one name is called name_2."""
    seen: dict[str, int] = {}
    for method in methods:
        seen[method.name] = seen.get(method.name, 0) + 1
        if seen[method.name] > 1:
            method.name = f"{method.name}_{seen[method.name]}"
        if method.name in ("none", "all"):
            raise InputError(
                f"methods: {method.name!r} is the name of a baseline: call it otherwise", argument="methods"
            )
    return methods
