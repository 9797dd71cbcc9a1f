"""The steps of a comparison, after all input was understood."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.selection.comparison import frequencies
from tamis.selection.comparison.configurations import ALL, NONE, Comparer
from tamis.selection.comparison.executor import seconds_of
from tamis.selection.comparison.frequencies import frequency_table, half_sample_choices, stability
from tamis.selection.comparison.interchangeable import Interchangeable, find_interchangeable
from tamis.selection.comparison.permutation_test import procedure_pvalue
from tamis.selection.comparison.recommendation import chosen_columns, fitted_selector, recommended, score_while_choosing
from tamis.selection.comparison.resampling import Corrected
from tamis.selection.comparison.result import Comparison
from tamis.selection.comparison.result_tables import configuration_table, failed_work, unfinished_work
from tamis.selection.comparison.scored_configurations import Scored
from tamis.selection.comparison.scores import Score
from tamis.selection.evaluation import InformationGain
from tamis.selection.noise_floor import NoiseFloor, column_noise_floor
from tamis.selection.significance import N_SCALE, N_SHUFFLES

SHUFFLES = N_SCALE + N_SHUFFLES
CELLS_A_SECOND = 1e8  # that shuffles count at least


@dataclass
class ComparisonSteps:
    """A comparison to be done: ``result`` does it."""

    comparer: Comparer
    score: Score
    groups: np.ndarray | None
    notes: list[str]
    library: str | None
    n_shuffles: int
    keep: Any
    feature_groups: Any

    def result(self) -> Comparison:
        comparer, executor = self.comparer, self.comparer.executor
        comparer.find_sequences()
        comparer.fit_all()
        scored = Scored.of(comparer, self.score)
        choice = scored.choice
        corrected = scored.corrected(self.groups)
        features = chosen_columns(comparer, choice)
        quoted = score_while_choosing(scored)
        floor, no_floor = self._noise_floor()
        halves = half_sample_choices(comparer, choice, self.groups)
        swaps, no_swaps = self._interchangeable(scored, features)
        pvalue, null, no_shuffles = procedure_pvalue(scored, self.groups, self.n_shuffles)
        return Comparison(
            recommended_=recommended(scored, corrected, features, quoted),
            scoring_=self.score.words,
            stability_=stability(halves, comparer.table.candidates),
            interchangeable_=swaps,
            selector_=fitted_selector(comparer, choice, features, self.keep, self.feature_groups),
            status_=executor.status,
            unfinished_=unfinished_work(scored)
            + _resamples_left(scored, corrected)
            + _half_samples_left(scored, len(halves))
            + no_swaps
            + no_floor
            + no_shuffles,
            failures_=failed_work(comparer, scored.everything),
            notes_=self.notes,
            methods_={m.name: m.words(comparer.table.task) for m in comparer.methods},
            learners_={one.name: one.words for one in comparer.learners},
            sizes_=comparer.sizes,
            table_=configuration_table(scored, corrected),
            columns_=frequency_table(comparer, halves, choice, features),
            n_splits_=len(comparer.splits),
            n_half_samples_=len(halves),
            n_resamples_=corrected.n_resamples,
            seconds_=time.time() - executor.began,
            fit_seconds_=seconds_of(executor.outcomes),
            n_recalled_=0 if executor.checkpoint is None else executor.checkpoint.n_recalled,
            pvalue_=pvalue,
            shuffled_scores_=null,
            noise_floor_=floor,
            library=self.library,
        )

    def _interchangeable(
        self, scored: Scored, features: list[int]
    ) -> tuple[dict[Any, list[Interchangeable]], list[str]]:
        """By name; groups of columns are not swapped. Where time is up, that it is not finished."""
        table, choice = self.comparer.table, scored.choice
        if choice.method in (NONE, ALL) or not table.candidates.single:
            return {}, []
        if not self.comparer.executor.goes_on(share=0.95):
            return {}, ["interchangeable columns"]
        found = find_interchangeable(self.comparer, choice, features, self.score, scored.rule)
        return {table.names[j]: swaps for j, swaps in found.items()}, []

    def _noise_floor(self) -> tuple[NoiseFloor | None, list[str]]:
        """What single columns reach by chance; where time is up, that it is not finished."""
        table, executor = self.comparer.table, self.comparer.executor
        expected = SHUFFLES * table.n * table.p / CELLS_A_SECOND
        if time.time() + expected > executor.deadline():
            return None, ["noise floor of single columns"]
        counting = InformationGain(task=table.task)
        try:
            found = column_noise_floor(
                table.source, evaluation=counting, groups=self.groups, random_state=self.comparer.seed
            )
        except KeyboardInterrupt:
            executor.status = "interrupted"
            return None, ["noise floor of single columns"]
        except InputError as error:
            self.notes.append(f"there is no noise floor of single columns: {error}")
            return None, []
        return replace(found, names=table.names), []


def _resamples_left(scored: Scored, corrected: Corrected) -> list[str]:
    """Where time was up; resamples that cannot be scored are few."""
    done, total = corrected.n_resamples, scored.n_resamples
    late = scored.comparer.executor.status != "finished"
    return [f"resamples: {done} of {total}"] if late and done < total else []


def _half_samples_left(scored: Scored, done: int) -> list[str]:
    total = 2 * frequencies.PAIRS
    return [f"half-samples: {done} of {total}"] if scored.choice.method not in (NONE, ALL) and done < total else []
