"""What a comparison found."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.base.frames import as_frame
from tamis.selection.comparison.configurations import ALL, NONE
from tamis.selection.comparison.interchangeable import Interchangeable
from tamis.selection.comparison.recommendation import Recommended
from tamis.selection.comparison.scores import Estimate, in_digits
from tamis.selection.noise_floor import NoiseFloor


@dataclass(frozen=True)
class Curve:
    """Score against number of columns, for one method: ``score`` ± ``error`` at each of ``sizes``, each of the better
    ``learner`` there."""

    method: str
    sizes: np.ndarray
    scores: np.ndarray
    errors: np.ndarray
    learners: list[str]


@dataclass
class Comparison:
    """What ``compare_selectors`` found.

    Attributes
    ----------
    recommended_ : Recommended
    scoring_ : what the scores are, in words
    stability_ : Estimate(value, low, high) of the stability index of the choice, over half-samples; NaN where none or
        all columns are chosen
    interchangeable_ : dict from each recommended column to a list of Interchangeable, best first
    selector_ : selector fitted on all rows with the recommended method and size; goes into a Pipeline
    noise_floor_ : NoiseFloor, the information gain of single columns beside that of shuffled targets; None where time
        was up, or where ``notes_`` says why there is none
    pvalue_ : of the whole procedure, from ``n_shuffles`` shuffled targets; None: not computed
    status_ : "finished", "time_limit" or "interrupted"
    unfinished_ : what was not done, in words
    failures_ : list of (what, split, why)
    notes_ : what differs from what was asked, and what was sampled
    methods_, learners_ : dict from names to words
    sizes_ : number of columns of the curves
    """

    recommended_: Recommended
    scoring_: str
    stability_: Estimate
    interchangeable_: dict[Any, list[Interchangeable]]
    selector_: Any
    status_: str
    unfinished_: list[str]
    failures_: list[tuple[str, int, str]]
    notes_: list[str]
    methods_: dict[str, str]
    learners_: dict[str, str]
    sizes_: list[int]
    table_: dict[str, list[Any]] = field(repr=False)
    columns_: dict[str, list[Any]] = field(repr=False)
    n_splits_: int = 0
    n_half_samples_: int = 0
    n_resamples_: int = 0
    seconds_: float = 0.0
    fit_seconds_: float = 0.0
    n_recalled_: int = 0
    pvalue_: float | None = None
    shuffled_scores_: np.ndarray | None = None
    noise_floor_: NoiseFloor | None = None
    library: str | None = field(default=None, repr=False)

    def frame(self) -> Any:
        """One row per configuration: ``method``, ``size``, ``learner``, ``score`` of the rows left out, its standard
        ``error``, how many ``splits`` it was finished in, and other scores beside it (classes: ``auc``, ``log_loss``,
        ``accuracy``; numbers: ``r2``, ``rmse`` and ``mae`` in the unit of the target). ``chosen`` marks the recommended
        one, ``chosen_in_resamples`` how often the rule takes each. Scores of single configurations are not corrected
        for choosing among them.

        A frame of the library X came from, else pandas, polars or pyarrow, whichever is there, else a dict.
        """
        return as_frame(self.table_, self.library)

    def frequencies(self) -> Any:
        """One row per column, most frequent first: ``column``, ``recommended``, ``frequency`` of its choice in
        half-samples at the recommended method and size, and in how many of the training folds it was chosen
        (``folds``, such as "4 of 5").
        """
        return as_frame(self.columns_, self.library)

    def curve(self, method: str, learner: str | None = None) -> Curve:
        """Score against size of one method, with none and all columns at its ends; of the better learner at each
        size, or of the one that is named."""
        if method not in self.methods_:
            raise InputError(f"there is no method {method!r}; there are {', '.join(self.methods_)}", argument="method")
        if learner is not None and learner not in self.learners_:
            known = ", ".join(self.learners_)
            raise InputError(f"there is no learner {learner!r}; there are {known}", argument="learner")
        best: dict[int, int] = {}
        columns = zip(*(self.table_[k] for k in ("method", "size", "learner", "score", "splits")), strict=True)
        for i, (of, size, by, score, splits) in enumerate(columns):
            fits = of in (method, NONE, ALL) and (learner is None or by == learner or by not in self.learners_)
            if fits and splits == self.n_splits_ and (size not in best or score > self.table_["score"][best[size]]):
                best[size] = i
        at = [best[size] for size in sorted(best)]
        values = {name: [self.table_[name][i] for i in at] for name in ("size", "score", "error", "learner")}
        return Curve(
            method, np.array(values["size"], dtype=int), np.array(values["score"]), np.array(values["error"]),
            values["learner"],
        )  # fmt: skip

    def baseline(self, which: str) -> tuple[float, float]:
        """Score and standard error without columns ("none") or with all of them ("all"), of the better learner; NaN
        where it was not finished."""
        rows = [
            (score, error)
            for of, score, error, splits in zip(
                *(self.table_[k] for k in ("method", "score", "error", "splits")), strict=True
            )
            if of == which and splits == self.n_splits_
        ]
        return max(rows, default=(np.nan, np.nan))

    @property
    def headline(self) -> str:
        """The answer in a sentence: how many columns, their score with its interval, and what all of them give more."""
        r = self.recommended_
        value = f"{self.scoring_} {_score(Estimate(r.score, *r.interval))} in rows never used to choose"
        if not r.better_than_none:
            return self._not_better(value)
        p = self.n_columns
        if len(r.features) == p:
            return f"{f'all {p:,} columns' if p > 1 else 'the one column'}: {value}"
        columns = f"{len(r.features):,} of {p:,} columns"
        return f"{columns}: {value}; {_given_by_all(p, r.against_all, self.scoring_)}"

    def _not_better(self, value: str) -> str:
        """That the choice is not shown to be better than no column; that all columns are, where that is so."""
        r, p = self.recommended_, self.n_columns
        if r.all_against_none.low > 0 and len(r.features) < p:
            named = f"{len(r.features):,} of {p:,} columns {'is' if len(r.features) == 1 else 'are'} not"
            which = named if r.features else "no small set of columns is"
            return f"{which} shown to be better than none: {value}; all {p:,} are: {_score(r.all_columns)}"
        alone = self.baseline(NONE)[0]
        without = f", {in_digits(alone)} without columns" if np.isfinite(alone) else ""
        return f"no set of columns is shown to be better than none: {value}{without}"

    @property
    def n_columns(self) -> int:
        """That could be chosen."""
        return len(self.columns_["column"])

    @property
    def chosen_by(self) -> str:
        """The method and the learner of the recommended columns, in words."""
        r = self.recommended_
        method = {NONE: "no column", ALL: "all columns, no selection"}.get(r.method) or self.methods_[r.method]
        return f"{method}{f', predicted by {self.learners_[r.learner]}' if r.learner in self.learners_ else ''}"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    __repr__ = __str__

    def _lines(self) -> list[str]:
        r = self.recommended_
        lines = [self.headline]
        if r.features:
            lines.append(f"  columns: {_listed(r.features)}")
        lines += [
            f"  by {self.chosen_by}",
            f"  against none {_signed(r.against_none)}, against all columns {_signed(r.against_all)}",
            _quoted(r.score_while_choosing),
            f"  stability {_number(self.stability_)} over {self.n_half_samples_} half-samples",
            f"  {r.reason}",
        ]
        if self.pvalue_ is not None:
            shuffles = 0 if self.shuffled_scores_ is None else len(self.shuffled_scores_)
            lines.append(f"  p = {self.pvalue_:.3g} of the whole procedure, by {shuffles} shuffled targets")
        lines += [f"  not finished: {what}" for what in self.unfinished_]
        lines += [f"  failed: {what}, split {j}: {why}" for what, j, why in self.failures_[:5]]
        return lines + [f"  note: {note}" for note in self.notes_]

    def _repr_html_(self) -> str:
        rows = [
            (name, words, curve.sizes, curve.scores)
            for name, words in self.methods_.items()
            if len((curve := self.curve(name)).sizes)
        ]
        cells = "".join(
            f"<tr><td>{html.escape(words)}</td><td>{scores.max():.3f}</td><td>{sizes[int(scores.argmax())]}</td></tr>"
            for _, words, sizes, scores in rows
        )
        first, *others = (html.escape(line.strip()) for line in self._lines())
        items = "".join(f"<li>{line}</li>" for line in others)
        return (
            f"<div><p><b>{first}</b></p><ul>{items}</ul><table><thead><tr><th>method</th>"
            f"<th>best {html.escape(self.scoring_)}, not corrected</th><th>columns</th></tr></thead>"
            f"<tbody>{cells}</tbody></table></div>"
        )


def _quoted(score: float) -> str:
    if not np.isfinite(score):
        return "  score while choosing: not computed"
    return f"  while choosing {in_digits(score)}, as usually quoted: by rows that took part in the choice"


def _signed(estimate: Estimate) -> str:
    if not np.isfinite(estimate.value):
        return "not known"
    return _score(estimate, "+.3f")


def _number(estimate: Estimate) -> str:
    if not np.isfinite(estimate.value):
        return "is not defined"
    return _score(estimate, ".2f")


def _score(estimate: Estimate, digits: str = ".3f") -> str:
    """A number and its interval."""
    value, low, high = (in_digits(number, digits) for number in estimate)
    if not np.isfinite(estimate.low):
        return f"{value} (its interval is not known)"
    return f"{value} ({low} to {high})"


def _given_by_all(p: int, against_all: Estimate, scoring: str) -> str:
    """What all columns give more than the chosen ones: the difference with its sign turned."""
    if not np.isfinite(against_all.value):
        return f"{scoring} of all {p:,} is not known"
    more = Estimate(-against_all.value, -against_all.high, -against_all.low)
    word = "more"
    if more.value < 0:
        more, word = against_all, "less"
    return f"all {p:,} give {in_digits(more.value)} {word}{_range(more)}"


def _range(estimate: Estimate) -> str:
    if not np.isfinite(estimate.low):
        return ""
    return f" ({in_digits(estimate.low + 0.0)} to {in_digits(estimate.high + 0.0)})"


def _listed(names: list[Any], most: int = 12) -> str:
    shown = ", ".join(str(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
