"""All that was compared as a table, what was not finished, and what failed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.selection.comparison.configurations import ALL, Comparer, Configuration
from tamis.selection.comparison.learners import Learner
from tamis.selection.comparison.resampling import Corrected, fold_scores, split_scores
from tamis.selection.comparison.scored_configurations import Scored
from tamis.selection.comparison.scores import beside
from tamis.selection.comparison.selection_rule import Rule


def configuration_table(scored: Scored, corrected: Corrected) -> dict[str, list[Any]]:
    """One row per configuration that was begun."""
    comparer = scored.comparer
    done = set(scored.complete)
    begun = [c for c in scored.everything if c in done or any(o is not None for o in comparer.predictions_of(c))]
    error = _errors(split_scores(scored.predictions, scored.score, scored.weights), scored.rule)
    table: dict[str, list[Any]] = {
        "method": [c.method for c in begun],
        "size": [c.size for c in begun],
        "learner": [c.learner for c in begun],
        "score": scored.of_configurations(np.asarray(scored.score.reported(scored.mean)), begun),
        "error": scored.of_configurations(error, begun),
        "splits": [_n_done(comparer, c) for c in begun],
    }
    table |= {name: scored.of_configurations(values, begun) for name, values in _other_scores(scored).items()}
    table["chosen"] = [c == scored.choice for c in begun]
    often = scored.of_configurations(corrected.chosen, begun)
    table["chosen_in_resamples"] = [int(np.nan_to_num(times)) for times in often]
    return table


def _errors(scores: np.ndarray, rule: Rule) -> np.ndarray:
    """Standard errors over the splits (C, J) that have a score; NaN of fewer than two."""
    there = np.isfinite(scores).all(axis=0)
    J = int(there.sum())
    if J < 2:
        return np.full(len(scores), np.nan)
    return np.asarray(scores[:, there].std(axis=1, ddof=1) * np.sqrt(rule.correction(J)))


def _n_done(comparer: Comparer, configuration: Configuration) -> int:
    return sum(one is not None and not one.failure for one in comparer.predictions_of(configuration))


def _other_scores(scored: Scored) -> dict[str, np.ndarray]:
    """Other scores beside the one that chooses; a log loss needs probabilities."""
    out = {}
    certain = {one.name for one in scored.comparer.learners if one.probabilities} | {""}
    for name, score in beside(scored.comparer.table.task).items():
        values = np.asarray(score.reported(fold_scores(scored.predictions, score, scored.weights[:, None]).mean[0]))
        if name == "log_loss":
            values = np.where([c.learner in certain for c in scored.complete], values, np.nan)
        out[name] = -values if score.sign < 0 and score.offset == 0 else values
    return out


def unfinished_work(scored: Scored) -> list[str]:
    """Methods and learners that were cut short, in words."""
    comparer, done, lines = scored.comparer, set(scored.complete), []
    for method in comparer.methods:
        found = [comparer.split_sequence(method, j) for j in range(len(comparer.splits))]
        if any(one is None for one in found):
            n = sum(one is not None for one in found)
            lines.append(f"{method.name}: columns chosen in {n} of {len(found)} folds")
            continue
        mine = [c for c in scored.everything if c.method == method.name and c not in done]
        for learner in comparer.learners:
            lines += _cut_short(comparer, method.name, learner, mine)
    whole = [c for c in scored.everything if c.method == ALL and _waits(comparer, c)]
    return lines + [f"all columns with {c.learner}" for c in whole]


def _cut_short(comparer: Comparer, name: str, learner: Learner, left: list[Configuration]) -> list[str]:
    waiting = [c.size for c in left if c.learner == learner.name and _waits(comparer, c)]
    return [f"{name} with {learner.name}: sizes {_ranges(waiting)}"] if waiting else []


def _waits(comparer: Comparer, configuration: Configuration) -> bool:
    """Whether a split has the columns of a configuration, but not its fit."""
    found = comparer.predictions_of(configuration)
    return any(one is None and comparer.columns_in_split(configuration, j) is not None for j, one in enumerate(found))


def _ranges(sizes: list[int]) -> str:
    sizes = sorted(sizes)
    return str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} ({len(sizes)})"


def failed_work(comparer: Comparer, everything: list[Configuration]) -> list[tuple[str, int, str]]:
    """(what, split, why)."""
    lines = []
    for method in comparer.methods:
        for j in range(len(comparer.splits)):
            found = comparer.split_sequence(method, j)
            if found is not None and found.failure:
                lines.append((method.name, j, found.failure))
    for c in everything:
        for j, one in enumerate(comparer.predictions_of(c)):
            if one is not None and one.failure:
                lines.append((f"{c.method}, {c.size} columns, {c.learner}", j, one.failure))
    return lines
