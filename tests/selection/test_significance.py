"""Shuffled targets against their twin, the level on noise, and the power on planted truth."""

import numpy as np
import pytest

from reference import counts as slow
from tamis import SubsetSelector
from tamis._core.errors import InputError
from tamis.selection import (
    Bidirectional,
    Evaluation,
    Floating,
    Forward,
    GainRatio,
    InformationGain,
    LinearFit,
    SymmetricUncertainty,
)
from tamis.selection.evaluation.shuffled_target import shuffles_within
from tamis.selection.significance import significance
from tamis.sources import as_source
from tolerances import ROUNDING

SEARCHES = [Forward(until="significant"), Floating(until="significant"), Bidirectional(until="significant")]


class Same:
    """A generator that shuffles nothing."""

    def random(self, shape):
        return np.tile(np.arange(shape[1]) / shape[1], (shape[0], 1))

    def permuted(self, values, axis):
        return values


def table(seed, n=90, classes=3):
    """Numbers, few values, labels with gaps, and a target that the second of them tells."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 4, n), rng.normal(size=n), rng.integers(0, 2, n)])
    X[rng.random(n) < 0.1, 2] = np.nan
    y = (X[:, 1] + rng.integers(0, 2, n)).astype(int) % classes
    return X, y


@pytest.mark.parametrize("evaluation", [InformationGain(), GainRatio(), InformationGain(bins="quantile")])
@pytest.mark.parametrize("subset", [(), (1,), (1, 0)])
@pytest.mark.parametrize("weighted", [False, True])
def test_without_a_shuffle_null_gains_are_the_gains(evaluation, subset, weighted):
    X, y = table(0)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weighted else None
    state = evaluation.prepare(as_source(X, y, sample_weight=weight))
    candidates = [j for j in range(4) if j not in subset]
    null = evaluation.null_gains(state, subset, candidates, Same(), 2)
    assert null == pytest.approx(np.tile(evaluation.gains(state, subset, candidates), (2, 1)), abs=ROUNDING)


@pytest.mark.parametrize("subset", [(), (1,), (1, 3)])
@pytest.mark.parametrize("numbers", [False, True])
def test_null_gains_are_the_gains_of_shuffled_targets(subset, numbers):
    """Each shuffled target is given as a table of its own, and coded and scored anew."""
    X, y = table(2)
    y = y + 0.1 * X[:, 0] if numbers else y
    evaluation = InformationGain(n_bins=4, task="regression" if numbers else "classification")
    state = evaluation.prepare(as_source(X, y))
    candidates = [j for j in range(4) if j not in subset]
    taken = shuffles_within(*state.partition(subset), len(y), 20, np.random.default_rng(3))
    null = evaluation.null_gains(state, subset, candidates, np.random.default_rng(3), 20)
    for found, rows in zip(null, taken, strict=True):
        again = evaluation.prepare(as_source(X, y[rows]))
        assert found == pytest.approx(evaluation.gains(again, subset, candidates), abs=ROUNDING)


def test_null_gains_of_counts_are_those_of_plain_python():
    X, y = table(4)
    X = X[:, [1, 3]]
    evaluation = InformationGain()
    state = evaluation.prepare(as_source(X, y))
    taken = shuffles_within(*state.partition((0,)), len(y), 10, np.random.default_rng(5))
    null = evaluation.null_gains(state, (0,), [1], np.random.default_rng(5), 10)
    assert null[:, 0] == pytest.approx([slow.gain(X, y[rows]) for rows in taken], abs=ROUNDING)


@pytest.mark.parametrize("subset", [(), (0,), (0, 2)])
def test_shuffles_stay_within_the_cells_of_the_subset(subset):
    X, y = table(6)
    X = np.nan_to_num(X.round())
    state = SymmetricUncertainty().prepare(as_source(X, y))
    taken = shuffles_within(*state.partition(subset), len(y), 5, np.random.default_rng(0))
    for rows in taken:
        assert sorted(rows) == list(range(len(y)))
        assert np.array_equal(state.table.codes[list(subset)][:, rows], state.table.codes[list(subset)])


@pytest.mark.parametrize("evaluation", [LinearFit(), LinearFit(criterion="bic"), LinearFit("ridge", cv=3)])
@pytest.mark.parametrize("subset", [(), (2,), (2, 0)])
def test_without_a_shuffle_null_gains_of_fits_are_the_gains(evaluation, subset):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(60, 5)) + 10
    X[:, 4] = X[:, 2]  # a twin, whose coefficient is left open
    y = X[:, 2] + rng.normal(size=60)
    state = evaluation.prepare(as_source(X, y, sample_weight=rng.uniform(0.5, 2.0, 60)))
    candidates = [j for j in range(5) if j not in subset]
    null = evaluation.null_gains(state, subset, candidates, Same(), 2)
    assert null == pytest.approx(np.tile(evaluation.gains(state, subset, candidates), (2, 1)), rel=1e-9)


def test_null_gains_of_fits_are_the_gains_of_y_shuffled():
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(50, 4)), rng.normal(size=50)
    evaluation = LinearFit()
    null = evaluation.null_gains(evaluation.prepare(as_source(X, y)), (), range(4), np.random.default_rng(9), 3)
    centred = y - y.mean()
    for found, shuffled in zip(null, np.random.default_rng(9).permuted(np.tile(centred, (3, 1)), axis=1), strict=True):
        state = evaluation.prepare(as_source(X, shuffled))
        assert found == pytest.approx(evaluation.gains(state, (), range(4)), rel=1e-9)


def noise(seed, kind):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=40) if kind == "fit" else rng.integers(0, 2, 40)
    X = rng.normal(size=(40, 8))
    if kind == "mixed":
        X[:, :4] = rng.integers(0, 3, (40, 4))
    return X, y


@pytest.mark.parametrize("kind", ["numbers", "mixed", "fit"])
def test_on_noise_something_is_chosen_in_one_of_twenty_tables_at_most(kind):
    evaluation = LinearFit() if kind == "fit" else InformationGain()
    chosen = [
        len(
            SubsetSelector(Forward(until="significant"), evaluation, random_state=s)
            .fit(*noise(s, kind))
            .selected_features_
        )
        for s in range(100)
    ]
    assert sum(n > 0 for n in chosen) <= 11  # of 100 with p = 0.05: more in one of 200 such tests


@pytest.mark.parametrize("search", SEARCHES, ids=lambda s: type(s).__name__)
def test_planted_columns_are_found_and_little_else(search):
    sizes, hits = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (400, 12))
        y = X[:, 3] + 2 * X[:, 7]
        y = np.where(rng.random(400) < 0.1, rng.integers(0, 4, 400), y)
        chosen = SubsetSelector(search, random_state=seed).fit(X, y).selected_features_
        hits.append({3, 7} <= set(chosen))
        sizes.append(len(chosen))
    assert all(hits)
    assert max(sizes) <= 3


def test_planted_columns_of_a_fit_are_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 20))
    y = X[:, 2] - X[:, 11] + rng.normal(size=150)
    assert set(SubsetSelector(SEARCHES[0], LinearFit(), random_state=0).fit(X, y).selected_features_[:2]) == {2, 11}


def test_an_identifier_is_passed_over():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    X = np.column_stack([np.arange(200), np.where(rng.random(200) < 0.2, 1 - y, y)])
    selector = SubsetSelector(Forward(until="significant"), discrete="all", random_state=0).fit(X, y)
    assert selector.selected_features_ == [1]


def test_no_column_is_a_result():
    X, y = noise(0, "numbers")
    selector = SubsetSelector(Forward(until="significant"), random_state=0).fit(X, y)
    assert selector.selected_features_ == []
    assert selector.score_ == 0.0
    assert "the search ends" in "".join(selector.history_["reason"])


def test_the_fewest_asked_for_are_taken_in_any_case():
    X, y = noise(0, "numbers")
    assert (
        len(
            SubsetSelector(Forward(until="significant"), n_features=(2, 5), random_state=0).fit(X, y).selected_features_
        )
        == 2
    )


@pytest.mark.parametrize(
    "selector, words",
    [
        (SubsetSelector(Forward(until="significant"), "cfs"), "CFS has no way to"),
        (SubsetSelector(Forward(until="significant"), n_features=3), "asks for exactly 3"),
        (SubsetSelector(Forward(until="significant"), feature_groups=2), "single columns"),
        (SubsetSelector(Forward(until="significant"), LinearFit(), rule="1se"), "leave one of them out"),
        (SubsetSelector(Floating(until="significant", direction="backward")), "adds columns"),
        (SubsetSelector(Forward(until="certain")), "until"),
    ],
)
def test_what_cannot_be_asked_is_one_clear_error(selector, words):
    with pytest.raises(InputError, match=words):
        selector.fit(*noise(0, "numbers"))


def test_a_subclass_that_scores_otherwise_has_no_null_gains():
    class Other(InformationGain):
        def score(self, state, subset):
            return 0.0

    assert InformationGain().tests_columns
    assert LinearFit().tests_columns
    assert not Other().tests_columns
    assert not Evaluation().tests_columns


def test_same_seed_same_answer_on_any_number_of_threads(tmp_path):
    X, y = table(9, n=300)
    found = [
        SubsetSelector(Forward(until="significant"), n_jobs=n, random_state=3, checkpoint=path).fit(X, y).history_
        for n, path in ((1, None), (2, None), (1, tmp_path / "run.sqlite"), (1, tmp_path / "run.sqlite"))
    ]
    for other in found[1:]:
        assert other["reason"].tolist() == found[0]["reason"].tolist()
        assert other["score"].tolist() == found[0]["score"].tolist()


def test_a_large_table_is_tested_on_some_rows_of_each_class():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6_000, 260))
    y = (rng.random(6_000) < 0.01).astype(int)
    X[:, 5] += 3 * y
    evaluation = InformationGain()
    state = evaluation.prepare(as_source(X, y))
    tested = evaluation.tested(state)
    assert len(tested.table.y) == 2_048
    assert tested.table.y.mean() == pytest.approx(y.mean(), abs=1e-3)
    assert SubsetSelector(Forward(until="significant"), n_features=(1, 2), random_state=0).fit(
        X, y
    ).selected_features_ == [5]


def test_pvalues_fall_with_the_score_and_count_the_observed_one():
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=(300, 4))
    found = significance(np.array([0.0, 2.0, 4.0, 40.0]), lambda n: drawn[:n])
    assert (np.diff(found.pvalues) <= 0).all()
    assert found.pvalues[-1] == 1 / 200
    assert ((np.array([0.0, 2.0, 4.0, 40.0]) > found.floor) == (found.pvalues <= 0.05)).all()
