"""Splits of rows for a cross-validation: which are trained on, which are held out, and groups that stay together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator, check_cv
from sklearn.model_selection._split import GroupsConsumerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from tamis._core.errors import InputError
from tamis.sources.target import column_part

Split = tuple[np.ndarray, np.ndarray]  # row numbers to train on, and to test on


def split_rows(cv: Any, y: np.ndarray | None, n: int, *, classifier: bool, groups: Any = None) -> list[Split]:
    """(train, test) positions of n rows for every split, as scikit-learn has them: folds of classes are stratified."""
    splitter = as_splitter(cv, y, classifier)
    if groups is not None:
        require_group_splitter(cv)
        groups = as_groups(groups, n)
    return checked_splits(_drawn(cv, splitter, y, n, groups), n)


def _drawn(cv: Any, splitter: Any, y: np.ndarray | None, n: int, groups: Any) -> Iterator[Any]:
    """One split after the other: of many rows each takes memory."""
    try:
        yield from splitter.split(np.zeros((n, 1)), y, groups)
    except (ValueError, TypeError, AttributeError) as error:
        hint = "" if groups is not None or "groups" not in str(error) else "; give groups to fit"
        raise InputError(f"cv={cv!r} cannot split n_samples={n} rows: {error}{hint}", argument="cv") from None


def checked_splits(splits: Iterable[Any], n: int) -> list[Split]:
    """(train, test) row numbers in [0, n) of every split.

    They mean what they mean as an index of NumPy: any order, a row as often as it is listed, negative numbers from the
    end, booleans as a mask. Rows may be in both parts or in none; a part without rows is an error.
    """
    pairs = (_pair(k, split) for k, split in enumerate(splits))
    found = [
        (_positions(f"the training rows of split {k}", train, n), _positions(f"the test rows of split {k}", test, n))
        for k, (train, test) in enumerate(pairs)
    ]
    if not found:
        raise InputError("cv yields no splits: give at least one pair (train, test) of row numbers", argument="cv")
    return found


def _pair(k: int, split: Any) -> tuple[Any, Any]:
    try:
        train, test = split
    except (TypeError, ValueError):
        raise InputError(
            f"cv must yield pairs (train, test) of row numbers, but split {k} is {_shown(split)}", argument="cv"
        ) from None
    return train, test


def _positions(what: str, chosen: Any, n: int) -> np.ndarray:
    try:
        rows = np.asarray(chosen)
    except ValueError:  # lists of unequal lengths
        rows = np.zeros((0, 0))
    if rows.ndim != 1 or (len(rows) and rows.dtype.kind not in "biu"):
        raise _wrong_rows(f"{what} must be a list of row numbers or a mask, got {_shown(chosen)}")
    if rows.dtype == bool:
        if len(rows) != n:
            raise _wrong_rows(f"{what} are a mask of length {len(rows)}, but there are {n} rows")
        rows = np.flatnonzero(rows)
    if not len(rows):
        raise _wrong_rows(f"{what} are none: use fewer folds, or give each split rows to train and to test on")
    beyond = (rows >= n) | (rows < -n)
    if beyond.any():
        raise _wrong_rows(f"{what} name row {rows[beyond][0]}, but there are {n} rows: they are 0 to {n - 1}")
    rows = rows.astype(np.int64, copy=False)
    return np.where(rows < 0, rows + n, rows) if rows.min() < 0 else rows


def _wrong_rows(what: str) -> InputError:
    return InputError(f"cv: {what}", argument="cv")


def _shown(given: Any) -> str:
    words = " ".join(repr(given).split())
    return words if len(words) <= 60 else f"{words[:57]}..."


def as_splitter(cv: Any, y: Any, classifier: bool) -> Any:
    """The splitter that ``cv`` stands for."""
    if isinstance(cv, type):
        raise InputError(f"cv must be an object, got the class {cv.__name__}: give {cv.__name__}()", argument="cv")
    try:
        return check_cv(5 if cv is None else cv, y, classifier=classifier)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"cv must be a number of folds, a splitter or a list of splits, got {cv!r} ({error})", argument="cv"
        ) from None


def as_groups(groups: Any, n: int) -> np.ndarray:
    """One label per row."""
    if isinstance(groups, (str, bytes)) or not hasattr(groups, "__iter__"):
        raise InputError(f"groups must hold one label for each of the {n} rows, got {groups!r}", argument="groups")
    column_part(groups, "groups")  # complains about what is no column of labels
    values = groups.to_numpy() if hasattr(groups, "to_numpy") else np.asarray(groups)
    values = values.ravel()
    if len(values) != n:
        raise InputError(f"groups must hold one label for each of the {n} rows, got {len(values)}", argument="groups")
    missing = sum(value is None or value != value for value in values.tolist()) if values.dtype.kind in "fcO" else 0
    if missing:
        raise InputError(
            f"groups has no label in {missing} of {n} rows: give those rows a group, or leave them out",
            argument="groups",
        )
    return values


def require_group_splitter(cv: Any) -> None:
    """Complain where ``cv`` would split rows whatever their group."""
    if not takes_groups(cv):
        raise InputError(
            f"groups cannot be used: cv={cv!r} splits rows whatever their group; give cv=GroupKFold(5), or leave "
            "groups out",
            argument="groups",
        )


def takes_groups(cv: Any) -> bool:
    """Whether ``cv`` keeps groups together, or is somebody else's splitter, of which nothing is known."""
    ours_to_judge = not hasattr(cv, "split") or isinstance(cv, BaseCrossValidator) or _is_scikit_learns(cv)
    return not ours_to_judge or isinstance(cv, GroupsConsumerMixin)


def _is_scikit_learns(cv: Any) -> bool:
    return type(cv).__module__.partition(".")[0] == "sklearn"


def routing(owner: Any, cv: Any) -> MetadataRouter:
    """What ``fit`` takes: weights for the estimator itself, and for the splitter what that asks for."""
    router = MetadataRouter(owner=owner).add_self_request(owner)
    if hasattr(cv, "split") and not isinstance(cv, type):
        mapping = MethodMapping()
        for caller in ("fit", "fit_transform"):
            mapping.add(caller=caller, callee="split")
        router.add(splitter=cv, method_mapping=mapping)
    return router


def cv_of(model: Any) -> Any:
    """What a model, or the last step of a pipeline, splits rows by; None where it does not."""
    return getattr(last_step(model), "cv", None)


def last_step(model: Any) -> Any:
    """The model that a pipeline ends with; the model itself where it is none."""
    return last_step(model.steps[-1][1]) if isinstance(model, Pipeline) else model
