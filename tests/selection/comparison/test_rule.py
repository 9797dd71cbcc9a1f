"""The rule, the resamples and the stability index, by their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.selection.comparison.resampling import Predictions, corrected_score, fold_scores, resamples
from tamis.selection.comparison.scores import AUC, R2, RMSE, SplitPredictions
from tamis.selection.comparison.selection_rule import FoldScores, Rule
from tamis.selection.comparison.stability import stability_index


def alike(S):
    """Scores of splits that count alike."""
    return FoldScores(S, np.ones((S.shape[0], S.shape[2])))


def by_hand(S, sizes, correction):
    """The rule as it is told, for one table of scores (C, J)."""
    top = max(range(len(S)), key=lambda c: (S[c].mean(), -sizes[c]))
    within = [
        c
        for c in range(len(S))
        if (S[top] - S[c]).mean() <= np.std(S[top] - S[c], ddof=1) * np.sqrt(correction) + 1e-12
    ]
    least = min(sizes[c] for c in within)
    return max((c for c in within if sizes[c] == least), key=lambda c: S[c].mean())


@pytest.mark.parametrize("seed", range(20))
def test_the_rule_is_the_smallest_within_one_error(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 5, 12)
    S = rng.normal(size=(7, 12, 5)) * 0.1 + sizes[:, None] * rng.random() * 0.2
    chosen = Rule(sizes, 1 / 4).choose(alike(S))
    assert chosen.tolist() == [by_hand(one, sizes, 1 / 5 + 1 / 4) for one in S]


def test_with_one_split_the_best_is_chosen():
    assert Rule(np.array([1, 2]), 0.25).choose(alike(np.array([[[0.5], [0.6]]]))).tolist() == [1]


def test_equals_go_to_the_smaller():
    assert Rule(np.array([3, 1, 1]), 0.25).choose(alike(np.full((1, 3, 5), 0.7))).tolist() == [1]


def test_splits_of_unequal_weight_are_no_differences():
    """A score of 0.97 in each split against 0.5 in each is no matter of one split that holds most of the pairs."""
    weight = np.array([[2.7, 0.2, 0.1]])
    S = np.array([0.5, 0.97])[None, :, None] * weight[:, None, :]
    rule = Rule(np.array([0, 1]), 1 / 2)
    difference, error = rule.differences(FoldScores(S, weight), np.array([1]))
    assert difference[0, 0] == pytest.approx(0.47)
    assert error == pytest.approx(np.zeros((1, 2)), abs=1e-12)
    assert rule.choose(FoldScores(S, weight)).tolist() == [1]


def test_the_error_of_a_ratio_is_that_of_the_weighted_differences():
    """Σ v² (d − d̄)² / (J − 1) over splits with something to score; one without counts as if it were not there."""
    d, v = np.array([0.1, 0.3, 0.4, 0.05]), np.array([0.5, 1.5, 0.8, 1.2])
    expected = np.sqrt((v**2 * (d - (v * d).mean()) ** 2).sum() / 3 * (1 / 4 + 1 / 4))
    S = np.array([np.zeros(4), -v * d])[None]
    rule = Rule(np.array([2, 1]), 1 / 4)
    difference, error = rule.differences(FoldScores(S, v[None]), np.array([0]))
    assert (difference[0, 1], error[0, 1]) == pytest.approx(((v * d).mean(), expected))
    empty = FoldScores(np.append(S * 5 / 4, np.zeros((1, 2, 1)), axis=2), np.append(v * 5 / 4, 0.0)[None])
    for again, once in zip(rule.differences(empty, np.array([0])), (difference, error), strict=True):
        assert again == pytest.approx(once)


def test_three_folds_of_groups_do_not_hide_a_strong_column():
    """Few groups make folds of very unequal size in resamples; a column that orders nearly all pairs in each is
    better than none all the same."""
    rng = np.random.default_rng(0)
    units = np.repeat(np.arange(30), 4)
    y = rng.integers(0, 2, 120)
    strong = y + 0.4 * rng.normal(size=120)
    rows = [np.flatnonzero(np.isin(units, part)) for part in np.array_split(np.arange(30), 3)]
    splits = [SplitPredictions(np.array([np.full(len(r), 0.5), strong[r]]), y[r], 0.0, np.arange(2), r) for r in rows]
    found = Predictions(splits, np.tile(np.arange(2)[:, None], (1, 3)))
    none = np.array([0])
    corrected = corrected_score(found, AUC, Rule(np.array([0, 1]), 0.5), none, none, units, None, 1000, rng)
    assert corrected.chosen.tolist() == [0, corrected.n_resamples]
    assert corrected.against_none.low > 0.3


def predictions(n=60, C=4, seed=0, classes=False):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n) if classes else rng.normal(size=n)
    rows = np.array_split(rng.permutation(n), 3)
    values = [np.array([y[r] * c / C + rng.normal(size=len(r)) for c in range(C)]) for r in rows]
    shown = np.arange(2) if classes else None
    splits = [SplitPredictions(v, y[r], 0.0, shown, r) for v, r in zip(values, rows, strict=True)]
    return Predictions(splits, np.tile(np.arange(C)[:, None], (1, 3))), y


@pytest.mark.parametrize("classes", [False, True])
def test_resampled_scores_are_those_of_the_drawn_rows(classes):
    found, _ = predictions(classes=classes)
    score = AUC if classes else R2
    (drawn,) = list(resamples(np.arange(60), 20, np.random.default_rng(1)))
    S = fold_scores(found, score, drawn).S
    again = []
    for b in range(20):  # each drawn row as often as it was drawn, written out
        parts = []
        for one in found.splits:
            at = np.repeat(np.arange(len(one.rows)), drawn[one.rows, b].astype(int))
            written = SplitPredictions(one.values[:, at], one.target[at], 0.0, one.classes, one.rows[at])
            parts.append(score.parts(written, np.ones((len(at), 1))))
        bottom = np.mean([d for _, d in parts])
        again.append(np.array([score.offset + score.sign * t[:, 0] / bottom for t, _ in parts]).T)
    np.testing.assert_allclose(S, again, rtol=0, atol=1e-12)


def noise(C, rng, n=80):
    """Predictions that know nothing, the first the same for all rows."""
    y = rng.integers(0, 2, n)
    rows = np.array_split(np.arange(n), 4)
    values = [np.vstack([np.full((1, len(r)), 0.5), rng.normal(size=(C, len(r)))]) for r in rows]
    splits = [SplitPredictions(v, y[r], 0.0, np.arange(2), r) for v, r in zip(values, rows, strict=True)]
    return Predictions(splits, np.tile(np.arange(C + 1)[:, None], (1, 4)))


class BestOfAll(Rule):
    """The best itself, which flatters most."""

    def choose(self, scores):
        return self.best(scores.mean)


@pytest.mark.parametrize("C", [50, 300])
def test_a_choice_among_noise_is_worth_nothing(C):
    """Rows drawn and not drawn are other rows: the choice by the first knows nothing of the second, so the estimate
    is 0.5 on average over tables, however many configurations there are; on one table it is off by 0.04 or so."""
    rng = np.random.default_rng(3)
    best_of_all = BestOfAll(np.r_[0, np.ones(C, dtype=int)], 0.0)
    flattering, corrected = [], []
    for _ in range(20):
        found = noise(C, rng)
        flattering.append(fold_scores(found, AUC, np.ones((80, 1))).mean.max())
        none = np.array([0])
        corrected.append(corrected_score(found, AUC, best_of_all, none, none, np.arange(80), None, 100, rng))
    assert np.mean(flattering) > 0.62
    assert abs(np.mean([one.score.value for one in corrected]) - 0.5) < 0.027  # three standard errors of 0.04/√20
    assert sum(one.against_none.low > 0 for one in corrected) <= 1


def test_errors_are_in_the_unit_of_the_score():
    """A mean squared error of 9 ± 7 is a root of 3, and 4 at the far end."""
    assert RMSE.reported(-9.0) == -3.0
    assert RMSE.reported_error(-9.0, 7.0) == 1.0
    assert R2.reported_error(0.5, 0.1) == pytest.approx(0.1)


def test_groups_are_drawn_together():
    units = np.repeat(np.arange(8), 5)
    for drawn in resamples(units, 30, np.random.default_rng(0)):
        assert (drawn.reshape(8, 5, -1) == drawn.reshape(8, 5, -1)[:, :1]).all()
        np.testing.assert_array_equal(drawn.reshape(8, 5, -1)[:, 0].sum(axis=0), 8)


def test_stability_of_the_same_of_random_and_of_a_worked_case():
    same = np.tile(np.arange(10) < 3, (20, 1))
    assert stability_index(same) == pytest.approx((1.0, 1.0, 1.0), abs=1e-12)
    rng = np.random.default_rng(0)
    random = np.array([np.isin(np.arange(100), rng.choice(100, 10, replace=False)) for _ in range(200)])
    index = stability_index(random)
    assert index.low < 0 < index.high or abs(index.value) < 0.02
    # two choices {0, 1} and {0, 2} of 4 columns: variances 0, ½, ½, 0, k̄/d = ½
    worked = stability_index(np.array([[1, 1, 0, 0], [1, 0, 1, 0]], dtype=bool))
    assert worked.value == pytest.approx(1 - 0.25 / 0.25)
    assert np.isnan(stability_index(np.zeros((5, 4), dtype=bool)).value)
    assert np.isnan(stability_index(np.ones((5, 4), dtype=bool)).value)


def test_the_interval_of_stability_covers():
    """Choices of columns with known frequencies: Φ of many choices lies in most intervals of 50."""
    rng = np.random.default_rng(5)
    frequency = np.r_[np.full(3, 0.9), np.full(5, 0.4), np.full(12, 0.1)]
    truth = stability_index(rng.random((200_000, 20)) < frequency).value
    covered = 0
    for _ in range(200):
        index = stability_index(rng.random((50, 20)) < frequency)
        covered += index.low <= truth <= index.high
    assert covered >= 180  # 190 expected, standard deviation 3
