"""Groups of features, however they are given, as one group number for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from tamis._core.checks import check_count, shorten
from tamis._core.column_positions import column_positions, is_mask
from tamis._core.errors import InputError


def as_labels(
    feature_groups: Any, p: int, names: Sequence[Any] | None = None, blocks: Sequence[Any] | None = None
) -> tuple[np.ndarray, list[Any]]:
    """(p,) group numbers, and the name of each group. ``blocks`` tells for each column what it was encoded from."""
    if feature_groups is None:
        return np.arange(p, dtype=np.int64), list(range(p) if names is None else names)
    if isinstance(feature_groups, str):
        return _from_blocks(feature_groups, p, blocks)
    if isinstance(feature_groups, Integral):
        return _consecutive(feature_groups, p)
    if isinstance(feature_groups, Mapping):
        return _from_lists(list(feature_groups.values()), list(feature_groups), p, names)
    groups = _as_list(feature_groups)
    if is_mask(groups):  # one group, not two labels: who is in no group stands alone
        return _from_lists([groups], [0], p, names)
    if any(hasattr(g, "__iter__") and not isinstance(g, (str, bytes)) for g in groups):
        return _from_lists(groups, list(range(len(groups))), p, names)
    if len(groups) != p:
        raise InputError(
            f"feature_groups must hold one label for each of the {p} columns, got {len(groups)}; "
            "or give lists of columns"
        )
    return _from_each(groups)


def _as_list(feature_groups: Any) -> list[Any]:
    if isinstance(feature_groups, np.ndarray):
        feature_groups = feature_groups.tolist()
    if isinstance(feature_groups, (bytes, float)) or not hasattr(feature_groups, "__iter__"):
        raise InputError(
            f"feature_groups must be labels, lists of columns or a size; got {feature_groups!r}: give a label for each "
            "column"
        )
    return list(feature_groups)


def _from_each(groups: list[Any]) -> tuple[np.ndarray, list[Any]]:
    """Labels are numbered in sorted order, mixed types by their words."""
    if missing := [j for j, g in enumerate(groups) if g is None or g != g]:
        raise InputError(f"feature_groups has no label for column {missing[0]}: give one for each, or lists of columns")
    try:
        names = sorted(set(groups))
    except TypeError:
        names = sorted(set(groups), key=str)
    number = {label: k for k, label in enumerate(names)}
    return np.array([number[g] for g in groups], dtype=np.int64), names


def _from_blocks(groups: str, p: int, blocks: Sequence[Any] | None) -> tuple[np.ndarray, list[Any]]:
    if groups != "one-hot":
        raise InputError(f"feature_groups must be 'one-hot', labels, lists of columns or a size; got {groups!r}")
    if blocks is None or len(blocks) != p:
        raise InputError(
            "feature_groups='one-hot' needs to know which columns come from one, but X holds numbers: fit "
            "tamis.sources.Encoded(X, y=y), or give a label for each column"
        )
    origins = list(dict.fromkeys(blocks))
    number = {block: k for k, block in enumerate(origins)}
    return np.array([number[b] for b in blocks], dtype=np.int64), origins


def _consecutive(size: Any, p: int) -> tuple[np.ndarray, list[Any]]:
    size = check_count("feature_groups", size)
    if p % size:
        raise InputError(f"feature_groups={size} asks for groups of {size} columns, but {p} columns do not divide so")
    return np.arange(p, dtype=np.int64) // size, list(range(p // size))


def _from_lists(
    groups: list[Any], group_names: list[Any], p: int, names: Sequence[Any] | None
) -> tuple[np.ndarray, list[Any]]:
    labels = np.full(p, -1, dtype=np.int64)
    for k, members in enumerate(groups):
        for j in column_positions("feature_groups", members, p, names):
            if labels[j] >= 0:
                name = j if names is None else names[j]
                raise InputError(f"feature_groups holds column {name!r} twice: every column is in one group only")
            labels[j] = k
    if len(empty := np.setdiff1d(np.arange(len(groups)), labels)):
        raise InputError(f"feature_groups {shorten([group_names[k] for k in empty])} hold no columns: leave them out")
    alone = np.flatnonzero(labels < 0).tolist()
    labels[alone] = len(groups) + np.arange(len(alone))
    return labels, group_names + [j if names is None else names[j] for j in alone]
