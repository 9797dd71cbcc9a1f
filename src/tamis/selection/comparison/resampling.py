"""The score of the whole procedure, corrected for having chosen: resampled rows, the rule run again in each.

Tsamardinos, Greasidou and Borboudakis (2018): the out-of-fold predictions of all configurations are there; in a
resample of the rows the rule chooses by those that were drawn, and its choice is scored on those that were not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tamis.selection.comparison.scores import NOT_KNOWN, Estimate, Score, SplitPredictions
from tamis.selection.comparison.selection_rule import FoldScores, Rule

CHUNK = 250  # resamples whose scores are in memory together
SLOW_CHUNK = 5  # of a scorer of scikit-learn's, between looks at the clock
LEAST = 40  # resamples of which there is an interval


@dataclass(frozen=True)
class Predictions:
    """Of C configurations: for each split the distinct predictions, and ``place`` (C, J) of each configuration's."""

    splits: list[SplitPredictions]
    place: np.ndarray

    @property
    def n_configurations(self) -> int:
        return len(self.place)


def fold_scores(predictions: Predictions, score: Score, W: np.ndarray) -> FoldScores:
    """Shares of the splits in the scores under W (n, B).

    A split's numerator is divided by the mean denominator of the splits, so that splits count by their rows or pairs
    and one without pairs does no harm. NaN where no split has any.
    """
    parts = [score.parts(split, W[split.rows]) for split in predictions.splits]
    by_split = np.array([denominators for _, denominators in parts]).T  # (B, J)
    mean = by_split.mean(axis=1)
    out = np.empty((W.shape[1], predictions.n_configurations, len(parts)))
    with np.errstate(invalid="ignore", divide="ignore"):
        for j, (numerators, _) in enumerate(parts):
            out[:, :, j] = (score.offset + score.sign * numerators / mean)[predictions.place[:, j]].T
        return FoldScores(out, by_split / mean[:, None])


def split_scores(predictions: Predictions, score: Score, W: np.ndarray) -> np.ndarray:
    """(C, J) the score in each split by itself under weights W (n,); NaN where it has no pairs."""
    out = np.empty(predictions.place.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        for j, split in enumerate(predictions.splits):
            numerators, denominators = score.parts(split, W[split.rows][:, None])
            own = score.reported(score.offset + score.sign * numerators[:, 0] / denominators[0])
            out[:, j] = own[predictions.place[:, j]]
    return out


def pooled_scores(predictions: Predictions, score: Score, W: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """(B,) score of configuration ``chosen[b]`` under column b of W (n, B)."""
    out = np.empty(len(chosen))
    for c in np.unique(chosen):
        at = np.flatnonzero(chosen == c)
        top, bottom = np.zeros(len(at)), np.zeros(len(at))
        for j, split in enumerate(predictions.splits):
            numerators, denominators = score.parts(split.only(predictions.place[c, j]), W[np.ix_(split.rows, at)])
            top, bottom = top + numerators[0], bottom + denominators
        with np.errstate(invalid="ignore", divide="ignore"):
            out[at] = score.offset + score.sign * top / bottom
    return out


def resamples(units: np.ndarray, times: int, rng: np.random.Generator, chunk: int = CHUNK) -> Iterator[np.ndarray]:
    """(n, chunk or fewer) how often each row was drawn; rows of one unit (a group, or a row) are drawn together."""
    labels, unit = np.unique(units, return_inverse=True)
    m = len(labels)
    for first in range(0, times, chunk):
        drawn = rng.multinomial(m, np.full(m, 1 / m), size=min(chunk, times - first))
        yield drawn.T[unit].astype(np.float64)


@dataclass(frozen=True)
class Corrected:
    """``score`` of the procedure, its differences to no column and to all columns, and how often each configuration
    was chosen in ``n_resamples``. Beside it the score of ``all_columns``, and its difference to no column."""

    score: Estimate
    against_none: Estimate
    against_all: Estimate
    chosen: np.ndarray
    n_resamples: int
    all_columns: Estimate = NOT_KNOWN
    all_against_none: Estimate = NOT_KNOWN


def corrected_score(
    predictions: Predictions,
    score: Score,
    rule: Rule,
    none: np.ndarray,
    all_: np.ndarray,
    units: np.ndarray,
    weight: np.ndarray | None,
    times: int,
    rng: np.random.Generator,
    go_on: Callable[[], bool] = lambda: True,
) -> Corrected:
    """``none`` and ``all_`` are the positions of the configurations without columns and with all of them; of several
    the one that the drawn rows prefer is compared with. It ends where ``go_on`` says no, after a few resamples.
    """
    n = len(units)
    tested = np.zeros(n, dtype=bool)
    for split in predictions.splits:
        tested[split.rows] = True
    found = []
    counts = np.zeros(predictions.n_configurations, dtype=np.intp)
    base = np.ones(n) if weight is None else weight
    at = np.flatnonzero(tested)
    for drawn in resamples(units[at], times, rng, CHUNK if score.fast else SLOW_CHUNK):
        if counts.any() and not go_on():
            break
        W = np.zeros((n, drawn.shape[1]))
        W[at] = drawn
        held_out = np.zeros_like(W)
        held_out[at] = drawn == 0
        scores = fold_scores(predictions, score, W * base[:, None])
        usable = np.isfinite(scores.S).all(axis=(1, 2))
        if not usable.any():
            continue
        scores, held_out = scores.some(usable), held_out[:, usable] * base[:, None]
        choice = rule.choose(scores)
        counts += np.bincount(choice, minlength=len(counts))
        choices = (choice, _preferred(scores.mean, none), _preferred(scores.mean, all_))
        values = [_held_out_scores(predictions, score, held_out, which) for which in choices]
        found.append(np.array(values))
    return _summary(np.concatenate(found, axis=1) if found else np.full((3, 1), np.nan), counts)


def _held_out_scores(predictions: Predictions, score: Score, W: np.ndarray, choice: np.ndarray | None) -> np.ndarray:
    if choice is None:
        return np.full(W.shape[1], np.nan)
    return np.asarray(score.reported(pooled_scores(predictions, score, W, choice)))


def _preferred(mean: np.ndarray, among: np.ndarray) -> np.ndarray | None:
    return among[mean[:, among].argmax(axis=1)] if len(among) else None


def _summary(values: np.ndarray, counts: np.ndarray) -> Corrected:
    procedure, none, all_ = values
    there = np.isfinite(procedure)
    return Corrected(
        _estimate(procedure[there]),
        _estimate((procedure - none)[there]),
        _estimate((procedure - all_)[there]),
        counts,
        int(there.sum()),
        _estimate(all_[there]),
        _estimate((all_ - none)[there]),
    )


def _estimate(values: np.ndarray) -> Estimate:
    values = values[np.isfinite(values)]
    if not len(values):
        return NOT_KNOWN
    low, high = np.quantile(values, (0.025, 0.975)) if len(values) >= LEAST else (np.nan, np.nan)
    return Estimate(float(values.mean()), float(low), float(high))
