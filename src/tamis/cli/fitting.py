"""What ``tamis fit`` asks of the library about one table: a sparse model with its penalty chosen along a path."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis.report.naming import check_used, group_lists, without
from tamis.sources import Encoded, Kind, Source, check_learnable
from tamis.sources.codebook import Codebook
from tamis.sources.views import InMemory

HELD_BYTES = 1 << 30  # coded rows up to this size are read once and kept; beyond it files are passed over again
CRITERIA = ("aic", "bic", "ebic")
GROUPED = ("group", "sparse-group")
MIXED = ("elastic", "sparse-group")


@dataclass(frozen=True)
class Wanted:
    """What model is asked for."""

    target: str
    task: str = "auto"
    penalty: str = "l1"
    rule: str = "1se"
    l1_ratio: float | None = None
    cv: int | None = None
    groups: Sequence[str] = ()
    drop: Sequence[str] = ()
    keep: Sequence[str] = ()

    @property
    def folds(self) -> int:
        return 5 if self.cv is None else self.cv


@dataclass(frozen=True)
class Fitted:
    """The model, and how the table was made into numbers for it."""

    wanted: Wanted
    task: str
    model: Any
    codebook: Codebook
    n_rows: int
    origin: list[str]  # the column of the table each coefficient comes from
    levels: list[str | None]  # and the label of it, for indicators
    left_out: dict[str, str]
    filled: dict[str, int]
    null_error: float | None  # of the folds; None where an information criterion chose
    notes: list[str] = field(default_factory=list)


def check_options(wanted: Wanted) -> None:
    """Options that would have no effect are complaints."""
    if wanted.target in wanted.drop:
        raise InputError(f"--drop {wanted.target!r} is the target: it cannot be left out")
    if wanted.l1_ratio is not None:
        if wanted.penalty not in MIXED:
            raise InputError(f"--l1-ratio belongs to --penalty {' and '.join(MIXED)}, not to {wanted.penalty}")
        check_number("--l1-ratio", wanted.l1_ratio, at_least=0, at_most=1)
    if wanted.groups and wanted.penalty not in GROUPED:
        raise InputError(f"--groups belongs to --penalty {' and '.join(GROUPED)}, not to {wanted.penalty}")
    if wanted.cv is not None:
        if wanted.rule in CRITERIA:
            raise InputError(f"--cv has no effect with --rule {wanted.rule}, which needs no folds: leave one out")
        check_count("--cv", wanted.cv, at_least=2)


def fit_table(source: Source, wanted: Wanted, watched: Callable[[Any], Any] = lambda estimator: estimator) -> Fitted:
    """Encode the table and fit. ``watched`` may attach callbacks to the estimator before it is fitted."""
    check_options(wanted)
    source = without(source, wanted.drop)
    task = check_learnable(source, None if wanted.task == "auto" else wanted.task)
    encoded = Encoded(source, keep=wanted.keep)
    _check_kept(wanted.keep, source, encoded)
    _check_folds(wanted, encoded.n_rows or 0)
    small = 8 * (encoded.n_rows or 0) * encoded.n_features <= HELD_BYTES
    estimator = watched(_estimator(wanted, task, _penalty(wanted, encoded.origin)))
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always")
        rows = InMemory(encoded) if small else encoded
        model = estimator.fit(rows).set_callbacks()  # nobody watches any more
    return Fitted(
        wanted,
        task,
        model,
        Codebook.of(encoded),
        encoded.n_rows or 0,
        encoded.origin,
        [None if n == o else n.removeprefix(f"{o}=") for n, o in zip(encoded.names, encoded.origin, strict=True)],
        encoded.left_out,
        encoded.filled,
        None if wanted.rule in CRITERIA else null_error(rows, model.cv, task),
        encoded.notes + list(dict.fromkeys(str(complaint.message) for complaint in complaints)),
    )


def _check_kept(keep: Sequence[str], source: Source, encoded: Encoded) -> None:
    """--keep is for columns of numbers that look like identifiers; on others it would have no effect."""
    for name in keep:
        check_used("--keep", name, encoded.origin, encoded.left_out)
        if source.schema.columns[source.names.index(name)].kind is not Kind.IDENTIFIER:
            raise InputError(f"--keep {name!r} does not look like an identifier, it is used anyway: leave --keep out")


def _check_folds(wanted: Wanted, n_rows: int) -> None:
    if wanted.rule not in CRITERIA and n_rows < wanted.folds:
        raise InputError(f"{wanted.folds} folds need as many rows, the table has {n_rows}: ask for fewer with --cv")


def null_error(rows: Any, cv: Any, task: str) -> float:
    """The held-out error of predictions that know no column: the mean, or the shares of the classes.

    On the path of a fold, α_max of all rows need not be large enough for that.
    """
    y = np.concatenate([block.y for block in rows.blocks([])])
    loss = _squared_error if task == "regression" else _log_loss
    return float(np.mean([loss(y[train], y[test]) for train, test in cv.split(y, y)]))


def _squared_error(known: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean((y - known.mean()) ** 2))


def _log_loss(known: np.ndarray, y: np.ndarray) -> float:
    labels, counts = np.unique(known, return_counts=True)
    share = dict(zip(labels.tolist(), counts / len(known), strict=True))
    shares = np.array([share.get(label, 0.0) for label in y.tolist()])
    return float(-np.log(np.maximum(shares, np.finfo(float).eps)).mean())  # a class that no other fold has


def _estimator(wanted: Wanted, task: str, penalty: Any) -> Any:
    from sklearn.model_selection import KFold, StratifiedKFold

    from tamis.linear import SparseClassifierCV, SparseRegressorCV

    regression = task == "regression"
    Model, Folds = (SparseRegressorCV, KFold) if regression else (SparseClassifierCV, StratifiedKFold)
    cv = Folds(wanted.folds, shuffle=True, random_state=0)  # tables often come sorted
    return Model(penalty=penalty, rule=wanted.rule, cv=cv, standardize=True)


def _penalty(wanted: Wanted, origin: list[str]) -> Any:
    from tamis.penalties import L1, L1L2, Group, SparseGroup

    rho = 0.5 if wanted.l1_ratio is None else wanted.l1_ratio
    if wanted.penalty in GROUPED:
        labels = _group_labels(wanted.groups, origin)
        return Group(labels) if wanted.penalty == "group" else SparseGroup(labels, rho)
    return {"l1": L1(), "elastic": L1L2(rho), "adaptive": "adaptive"}[wanted.penalty]


def _group_labels(groups: Sequence[str], origin: list[str]) -> list[str]:
    """The group of every coded column: that of its table column, which stands alone unless a list names it."""
    lists = [] if list(groups) == ["one-hot"] else group_lists("--groups", groups, set(origin))
    place = {name: ",".join(members) for members in lists for name in members}
    return [place.get(name, name) for name in origin]
