"""The splits of a comparison, and what is said about them."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.model_selection._split import GroupsConsumerMixin

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis.base.splits import Split, as_groups, checked_splits, split_rows, takes_groups
from tamis.selection.checkpoint import ResultsCheckpoint

SPLITS = "splits"


def make_splits(
    cv: Any, n_repeats: int, target: np.ndarray, classes: bool, groups: np.ndarray | None, seed: int
) -> tuple[list[Split], list[str]]:
    """(train, test) of every fold of every repeat, and notes on what had to differ from what was asked.

    A number of folds is drawn anew in each repeat, stratified by class, groups kept together. There are at most as many
    folds as groups, and at least two rows in each; a splitter is taken as it is.
    """
    repeats = check_count("n_repeats", n_repeats)
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        folds, notes = _fold_count(check_count("cv", cv, at_least=2), target, groups)
        seeds = np.random.default_rng([seed, 1]).integers(2**31 - 1, size=repeats)
        if classes and np.bincount(target.astype(np.intp)).min() < folds:
            notes.append(f"a class has fewer than {folds} rows: it is missing in some folds")
        return [s for r in seeds for s in _one_repeat(folds, target, classes, groups, int(r))], notes
    if repeats > 1:
        raise InputError(
            f"n_repeats={repeats} needs cv as a number of folds: give a splitter that repeats, such as "
            "RepeatedKFold(), and n_repeats=1",
            argument="n_repeats",
        )
    found = _given_splits(cv, target, classes, groups)
    _refuse_rows_in_both(found)
    return found, []


def _given_splits(cv: Any, target: np.ndarray, classes: bool, groups: np.ndarray | None) -> list[Split]:
    """As a splitter or a list has them; groups may be in one part of each only, whoever makes the splits."""
    n = len(target)
    if groups is None and isinstance(cv, GroupsConsumerMixin):
        raise InputError(f"cv={cv!r} needs groups: give groups=, one label per row", argument="groups")
    if groups is None or takes_groups(cv):
        return split_rows(cv, target, n, classifier=classes, groups=groups)
    found = split_rows(cv, target, n, classifier=classes)
    for j, (train, test) in enumerate(found):
        torn = np.intersect1d(groups[train], groups[test])
        if len(torn):
            given = type(cv).__name__ if hasattr(cv, "split") else "the list given"
            raise InputError(
                f"groups cannot be used: cv={given} splits rows whatever their group ({torn[0]} is in both parts of "
                f"split {j}); give cv=GroupKFold(5), or leave groups out",
                argument="groups",
            )
    return found


def _refuse_rows_in_both(splits: list[Split]) -> None:
    for j, (train, test) in enumerate(splits):
        both = np.intersect1d(train, test)
        if len(both):
            raise InputError(
                f"cv: row {both[0]} is among the training and the test rows of split {j}: it would not be scored as a "
                "row left out; give each row to one of them",
                argument="cv",
            )


def remembered_splits(cv: Any, splits: list[Split], checkpoint: ResultsCheckpoint) -> list[Split]:
    """The splits of the run that a checkpoint is of: a splitter may draw others each time. Splits that were listed must
    be the same.
    """
    saved = checkpoint.read(SPLITS)
    if saved is None:
        file = io.BytesIO()
        np.savez(file, *[part for split in splits for part in split])
        checkpoint.write(SPLITS, file.getvalue())
        return splits
    parts = list(np.load(io.BytesIO(saved), allow_pickle=False).values())
    before = list(zip(parts[::2], parts[1::2], strict=True))
    same = len(before) == len(splits) and all(
        np.array_equal(a, b) for old, new in zip(before, splits, strict=True) for a, b in zip(old, new, strict=True)
    )
    if not same and not hasattr(cv, "split"):
        raise InputError("checkpoint was made with other splits: give those, or another file", argument="checkpoint")
    return before


def _fold_count(n_splits: int, target: np.ndarray, groups: np.ndarray | None) -> tuple[int, list[str]]:
    n = len(target)
    if n < 4:
        raise InputError(f"there are {n} rows (n_samples = {n}): give at least 4, two folds of two", argument="X")
    folds, notes = min(n_splits, n // 2), []
    if folds < n_splits:
        notes.append(f"{folds} folds instead of {n_splits}: {n} rows leave no two rows for each")
    if groups is not None:
        present = len(np.unique(groups))
        if present < 2:
            raise InputError(
                "groups holds one label for all rows: no fold can be left out; give at least two groups, or leave "
                "groups out",
                argument="groups",
            )
        if present < folds:
            folds, notes = present, [*notes, f"{present} folds instead of {n_splits}: there are {present} groups"]
    return folds, notes


def _one_repeat(folds: int, target: np.ndarray, classes: bool, groups: np.ndarray | None, seed: int) -> list[Split]:
    kinds: dict[tuple[bool, bool], Any] = {
        (True, False): StratifiedKFold, (False, False): KFold,
        (True, True): StratifiedGroupKFold, (False, True): GroupKFold,
    }  # fmt: skip
    stratified = classes and np.bincount(target.astype(np.intp)).max() >= folds
    splitter = kinds[stratified, groups is not None](folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a rare class: said in a note
        found = [(a, b) for a, b in splitter.split(np.zeros((len(target), 1)), target, groups) if len(a) and len(b)]
    return checked_splits(found, len(target))


def as_row_groups(groups: Any, n: int) -> np.ndarray | None:
    return None if groups is None else as_groups(groups, n)


def half_samples(
    pairs: int, n: int, groups: np.ndarray | None, strata: np.ndarray | None, seed: int
) -> list[np.ndarray]:
    """Both halves of ``pairs`` random cuts of the rows into two, groups kept together, classes in proportion."""
    rng = np.random.default_rng([seed, 2])
    labels, unit = (np.arange(n), np.arange(n)) if groups is None else np.unique(groups, return_inverse=True)
    halves = []
    for _ in range(pairs):
        order = rng.permutation(len(labels))
        if strata is not None and groups is None:
            order = order[np.argsort(strata[order], kind="stable")]
        first = np.zeros(len(labels), dtype=bool)
        first[order[::2]] = True
        inside = first[unit]
        halves += [np.flatnonzero(inside), np.flatnonzero(~inside)]
    return halves
