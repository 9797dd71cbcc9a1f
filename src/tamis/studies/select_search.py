"""The columns that a method of ``tamis select`` chooses, and the information of every column, whatever the method."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.stats import t as student

from tamis._core.errors import ConvergenceWarning, InputError
from tamis.selection import History, InformationGain, column_noise_floor
from tamis.selection.description import ScoreDescription
from tamis.sources import Source
from tamis.sources.views import Columns, Indicator
from tamis.studies.columns import check_used, group_lists
from tamis.studies.select import SelectQuestion
from tamis.studies.select_methods import Plan, make_plan

SHUFFLES = 20
BY_CHANCE = 0.05
MOST_SHUFFLED = 1 << 22  # cells of a table whose noise floor takes a few seconds

Classes = list[tuple[float, str, int]]  # value in the blocks, label, rows


@dataclass(frozen=True)
class ChosenColumns:
    """A fitted selector, and its answer in columns of the table."""

    plan: Plan
    columns: list[str]  # in the order in which they came
    groups: list[list[str]]
    about: str | None  # the class whose 0/1 indicator was predicted
    widths: dict[str, int]  # columns of the table in each unit the search moves, where that is not one
    n_kept: int = 0
    judged: dict[str, float] = field(default_factory=dict)  # the method's number for each column, where it has one
    judged_errors: dict[str, float] = field(default_factory=dict)  # its standard error, where there is one
    judged_pvalues: dict[str, float] = field(default_factory=dict)  # and its p-value

    @property
    def selector(self) -> Any:
        return self.plan.selector

    @property
    def meaning(self) -> ScoreDescription:
        return self.plan.meaning

    @property
    def history(self) -> History:
        """Of the subsets that were evaluated; empty where the method evaluates none."""
        return getattr(self.selector, "history_", None) or History([])

    @property
    def score(self) -> float | None:
        """Of the chosen columns together; None where there is none."""
        score = float(getattr(self.selector, "score_", math.nan))
        return score if math.isfinite(score) else None

    def share(self, information: Information) -> float | None:
        """Of the bits there are to know about the target, where that is what the score is."""
        return None if self.score is None or self.meaning.most != "target" else self.score / information.entropy

    def sizes(self) -> np.ndarray:
        """Columns of the table in each subset of the history."""
        history = self.history
        if getattr(self.selector, "feature_groups", None) is None:
            return history["size"]
        return history.total([self.widths.get(name, 1) for name in history.names]) + self.n_kept


@dataclass(frozen=True)
class Information:
    """What the columns tell about the target, whatever the method."""

    gains: np.ndarray  # bits of each column alone
    entropy: float  # bits there are to know about the target
    combinations: int  # different rows as far as the chosen columns tell
    chance: float = 0.0  # bits that the best column must exceed to be told from one of as many that tell nothing
    floor: np.ndarray | None = None  # the same of each column; None where the table is too large to be shuffled
    pvalues: np.ndarray | None = None  # adjusted for all columns


def class_counts(source: Source) -> Classes:
    """Value, label and rows of each class, in sorted order."""
    tally: dict[float, int] = {}
    for block in source.blocks([0]):
        values, counts = np.unique(np.asarray(block.y), return_counts=True)
        for value, rows in zip(values, counts, strict=True):
            tally[float(value)] = tally.get(float(value), 0) + int(rows)
    levels = source.schema.target.levels if source.schema.target else None
    return [(v, str(levels[int(v)]) if levels else f"{v:g}", tally[v]) for v in sorted(tally) if not math.isnan(v)]


def search_columns(
    usable: Source,
    encoded: Any,
    question: SelectQuestion,
    task: str,
    classes: Classes,
    with_progress: Callable[[Any], Any],
) -> ChosenColumns:
    """Run the search. Where the evaluation takes numbers only, labels are 0/1 columns that come and go together."""
    plan = make_plan(question, task)
    means = plan.meaning
    groups = group_lists("feature_groups", question.feature_groups, usable.names, encoded.left_out)
    for name in question.keep:
        check_used("keep", name, usable.names, encoded.left_out)
    source, origin = (encoded, encoded.origin) if means.numbers else (usable, usable.names)
    source, about = _with_numbers_as_target(source, classes, question) if means.number_target else (source, None)
    plan.selector.set_params(**_common(plan.selector, question, source.names, origin, groups))
    plan = until_significant(plan, question)
    selector = with_progress(plan.selector)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "no solution yet", ConvergenceWarning)  # the report says so
        selector.fit(source)
    from_column = dict(zip(source.names, origin, strict=True))
    chosen = list(dict.fromkeys(from_column[name] for name in selector.selected_features_))
    kept = {name for members in groups if set(members) & set(question.keep) for name in members}
    widths = {label(members): len(members) for members in groups}
    judged = {} if plan.judged is None else _summed(origin, getattr(selector, plan.judged.attribute))
    errors, pvalues = (_numbers(plan, selector, origin, which) for which in ("error", "pvalue"))
    return ChosenColumns(plan, chosen, groups, about, widths, len(kept | set(question.keep)), judged, errors, pvalues)


def _numbers(plan: Plan, selector: Any, origin: Sequence[str], which: str) -> dict[str, float]:
    """What the method says of its own number of each column, its standard error or p-value, where it does."""
    attribute = None if plan.judged is None else getattr(plan.judged, which)
    values = None if attribute is None else getattr(selector, attribute, None)
    return {} if values is None else dict(zip(origin, np.asarray(values, dtype=float).tolist(), strict=True))


def until_significant(plan: Plan, question: SelectQuestion) -> Plan:
    """Where nobody said how many columns, a search that can ends where nothing is significant."""
    selector = plan.selector
    search: Any = getattr(selector, "search", None)
    until_given = any(setting.startswith(f"{question.search}.until") for setting in question.settings)
    single = getattr(selector, "feature_groups", None) is None
    if (
        "until" not in getattr(search, "get_params", dict)()
        or question.n_features is not None
        or until_given
        or not single
    ):
        return plan
    if not selector.evaluation.tests_columns or getattr(search, "direction", "forward") != "forward":
        return plan
    search.set_params(until="significant")
    return replace(plan, way=search.describe())


def _summed(origin: Sequence[str], values: np.ndarray) -> dict[str, float]:
    """By column of the table, whose labels may be columns of their own."""
    totals = dict.fromkeys(origin, 0.0)
    for name, value in zip(origin, values.tolist(), strict=True):
        totals[name] += value
    return totals


def _common(
    selector: Any, question: SelectQuestion, names: Sequence[str], origin: Sequence[str], groups: list[list[str]]
) -> dict[str, Any]:
    """What was asked whatever the method, as far as the selector has it."""
    options = {
        "n_features": question.n_features,
        "keep": [name for name, column in zip(names, origin, strict=True) if column in question.keep] or None,
        "feature_groups": _units(names, origin, groups),
        "time_limit": question.time_limit,
        "checkpoint": question.checkpoint,
    }
    return {key: value for key, value in options.items() if key in selector.get_params(deep=False)}


def column_information(usable: Source, chosen: ChosenColumns, task: str) -> Information:
    """Gains, H(y), and into how many different combinations the chosen columns cut the rows."""
    positions = [usable.names.index(name) for name in chosen.columns]
    counting = InformationGain(task=task)
    if isinstance(getattr(chosen.selector, "evaluation", None), InformationGain):
        gains = np.asarray(chosen.selector.scores_, dtype=float)
        read = list(dict.fromkeys([*positions, int(np.argmax(gains))]))
        state = counting.prepare(Columns(usable, read))
    else:
        state, read = counting.prepare(usable), list(range(usable.n_features))
        gains = counting.gains(state, (), read)
    where, best = [read.index(j) for j in positions], int(np.argmax(gains))
    combinations = _combinations(state.table, where)
    if len(state.table.y) * usable.n_features > MOST_SHUFFLED:
        chance = gain_by_chance(state.table, read.index(best), usable.n_features)
        return Information(gains, state.entropy, combinations, chance)
    noise = column_noise_floor(usable, evaluation=counting)
    return Information(
        gains, state.entropy, combinations, float(max(noise.floor[best], 0.0)), noise.floor, noise.pvalues
    )


def gain_by_chance(table: Any, j: int, n_columns: int) -> float:
    """The gain that column j would exceed with shuffled targets in one of 20 tables of so many columns like it.

    A gain counted in cells grows with their number though nothing is told. Shuffled gains are nearly normal, so one
    more exceeds the mean of m by more than t √(1 + 1/m) of their standard deviations as often as Student's t says.
    """
    rng = np.random.default_rng(0)  # the same command gives the same answer
    drawn = [_information(table.codes[j], rng.permutation(table.y)) for _ in range(SHUFFLES)]
    quantile = student.isf(BY_CHANCE / n_columns, SHUFFLES - 1) * math.sqrt(1 + 1 / SHUFFLES)
    return float(np.mean(drawn) + np.std(drawn, ddof=1) * quantile)


def _information(x: np.ndarray, y: np.ndarray) -> float:
    """I(x; y) in bits."""
    width = int(y.max()) + 1
    counts = np.bincount(x.astype(np.int64) * width + y, minlength=width * (int(x.max()) + 1))
    cells = counts.reshape(-1, width) / len(x)
    apart = np.outer(cells.sum(axis=1), cells.sum(axis=0))
    present = cells > 0
    return float(np.sum(cells[present] * np.log2(cells[present] / apart[present])))


def _with_numbers_as_target(source: Source, classes: Classes, question: SelectQuestion) -> tuple[Source, str | None]:
    """Two classes are 0 and 1."""
    if len(classes) > 2:
        raise InputError(
            f"--evaluation {question.evaluation.replace('_', '-')} is for numbers and for two classes; "
            f"{question.target!r} has {len(classes)} classes: take another evaluation, or --task regression",
            argument="evaluation",
        )
    if not classes:
        return source, None
    value, label, _ = classes[1]
    return Indicator(source, value), label


def _units(names: Sequence[str], origin: Sequence[str], groups: list[list[str]]) -> dict[str, list[str]] | None:
    """Columns by what they come and go with, in the table's order; None where each stands alone."""
    if not groups and list(names) == list(origin):
        return None
    place = {column: label(members) for members in groups for column in members}
    units: dict[str, list[str]] = {}
    for name, column in zip(names, origin, strict=True):
        units.setdefault(place.get(column, column), []).append(name)
    return units


def label(members: Sequence[str]) -> str:
    """What a group is called."""
    return ", ".join(members)


def _combinations(table: Any, columns: Sequence[int]) -> int:
    cell = np.zeros(len(table.y), dtype=np.int64)
    for j in columns:
        mixed = cell * int(table.levels[j]) + table.codes[j]
        cell = np.unique(mixed, return_inverse=True)[1]  # renumbered: no overflow
    return int(np.max(cell)) + 1
