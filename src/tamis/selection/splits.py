"""Cross-validation of a selector: which rows are trained on, which are held out, and groups that stay together."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator, check_cv
from sklearn.model_selection._split import GroupsConsumerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from tamis._core.errors import InputError
from tamis._core.splits import Split, checked_splits
from tamis.sources.target import column_part


def split(cv: Any, y: np.ndarray | None, n: int, *, classifier: bool, groups: Any = None) -> list[Split]:
    """(train, test) positions of n rows for every split, as scikit-learn has them: folds of classes are stratified."""
    splitter = as_splitter(cv, y, classifier)
    if groups is not None:
        require_group_splitter(cv)
        groups = as_groups(groups, n)
    try:
        splits = list(splitter.split(np.zeros((n, 1)), y, groups))
    except (ValueError, TypeError, AttributeError) as error:
        hint = "" if groups is not None or "groups" not in str(error) else "; give groups to fit"
        raise InputError(f"cv={cv!r} cannot split n_samples={n} rows: {error}{hint}", argument="cv") from None
    return checked_splits(splits, n)


def as_splitter(cv: Any, y: Any, classifier: bool) -> Any:
    """The splitter that ``cv`` stands for."""
    if isinstance(cv, type):
        raise InputError(f"cv must be an object, got the class {cv.__name__}: give {cv.__name__}()")
    try:
        return check_cv(5 if cv is None else cv, y, classifier=classifier)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"cv must be a number of folds, a splitter or a list of splits, got {cv!r} ({error})"
        ) from None


def as_groups(groups: Any, n: int) -> np.ndarray:
    """One label per row."""
    if isinstance(groups, (str, bytes)) or not hasattr(groups, "__iter__"):
        raise InputError(f"groups must hold one label for each of the {n} rows, got {groups!r}")
    column_part(groups, "groups")  # complains about what is no column of labels
    values = groups.to_numpy() if hasattr(groups, "to_numpy") else np.asarray(groups)
    values = values.ravel()
    if len(values) != n:
        raise InputError(f"groups must hold one label for each of the {n} rows, got {len(values)}")
    return values


def require_group_splitter(cv: Any) -> None:
    """Complain where ``cv`` would split rows whatever their group."""
    ours_to_judge = not hasattr(cv, "split") or isinstance(cv, BaseCrossValidator) or _is_scikit_learns(cv)
    if ours_to_judge and not isinstance(cv, GroupsConsumerMixin):
        raise InputError(
            f"groups cannot be used: cv={cv!r} splits rows whatever their group; give cv=GroupKFold(5), or leave "
            "groups out"
        )


def _is_scikit_learns(cv: Any) -> bool:
    return type(cv).__module__.partition(".")[0] == "sklearn"


def routing(owner: Any, cv: Any) -> MetadataRouter:
    """What ``fit`` takes: weights for the selector itself, and for the splitter what that asks for."""
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
