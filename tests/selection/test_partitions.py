"""Evaluations of the partition by the subset: scikit-learn's numbers, the definitions, and the laws."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, cohen_kappa_score, mutual_info_score

from tamis import InputError, SubsetSelector
from tamis.selection import (
    AdjustedRand,
    BranchAndBound,
    Consistency,
    CorrelationCoefficient,
    Disagreement,
    Exhaustive,
    GainRatio,
    InformationGain,
    Kappa,
    QStatistic,
    SymmetricUncertainty,
    VariationOfInformation,
)
from tamis.sources import as_source
from tamis.testing import check_evaluation

ROUNDING = 1e-12
ALL = [
    InformationGain(),
    GainRatio(),
    SymmetricUncertainty(),
    VariationOfInformation(),
    AdjustedRand(),
    Disagreement(),
    QStatistic(),
    Kappa(),
    CorrelationCoefficient(),
    Consistency(),
]


def table(seed=0, n=120):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 4))
    return X, (X[:, 0] + X[:, 2] + (rng.random(n) < 0.2)) % 3


def scored(evaluation, X, y, subset, **fit):
    source = as_source(X, y, **fit)
    return evaluation.score(evaluation.prepare(source), subset)


def joined(X, subset):
    return np.unique(X[:, list(subset)], axis=0, return_inverse=True)[1]


def entropy(a):
    return mutual_info_score(a, a) / np.log(2)


def same_pairs(a):
    """For every pair of rows whether they are together."""
    return np.array([x == y for x, y in itertools.combinations(a.tolist(), 2)])


def q_statistic(cells, y):
    A, Y = same_pairs(cells), same_pairs(y)
    ad, bc = (A & Y).sum() * (~A & ~Y).sum(), (A & ~Y).sum() * (~A & Y).sum()
    return (ad - bc) / (ad + bc)


DEFINITIONS = {
    "GainRatio": lambda a, y: mutual_info_score(a, y) / np.log(2) / entropy(a),
    "SymmetricUncertainty": lambda a, y: 2 * mutual_info_score(a, y) / np.log(2) / (entropy(a) + entropy(y)),
    "VariationOfInformation": lambda a, y: 2 * mutual_info_score(a, y) / np.log(2) - entropy(a) - entropy(y),
    "InformationGain": lambda a, y: mutual_info_score(a, y) / np.log(2),
    "AdjustedRand": adjusted_rand_score,
    "Disagreement": lambda a, y: -np.mean(same_pairs(a) != same_pairs(y)),
    "QStatistic": q_statistic,
    "Kappa": lambda a, y: cohen_kappa_score(same_pairs(a), same_pairs(y)),
    "CorrelationCoefficient": lambda a, y: np.corrcoef(same_pairs(a), same_pairs(y))[0, 1],
    "Consistency": lambda a, y: sum(np.bincount(y[a == cell]).max() for cell in set(a.tolist())) / len(y),
}


@pytest.mark.parametrize("subset", [(0,), (1, 3), (0, 2), (3, 1, 0, 2)])
@pytest.mark.parametrize("evaluation", ALL, ids=lambda e: type(e).__name__)
def test_scores_are_the_definition(evaluation, subset):
    X, y = table()
    expected = DEFINITIONS[type(evaluation).__name__](joined(X, subset), y)
    assert scored(evaluation, X, y, subset) == pytest.approx(expected, abs=ROUNDING)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("evaluation", ALL, ids=lambda e: type(e).__name__)
def test_the_laws(evaluation, seed):
    check_evaluation(evaluation, seed=seed)


@pytest.mark.parametrize("evaluation", ALL, ids=lambda e: type(e).__name__)
def test_a_weight_is_a_repeated_row(evaluation):
    X, y = table(1)
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    once = scored(evaluation, X, y, (0, 1), sample_weight=weight.astype(float))
    repeated = scored(evaluation, np.repeat(X, weight, axis=0), np.repeat(y, weight), (0, 1))
    assert once == pytest.approx(repeated, abs=ROUNDING)


@pytest.mark.parametrize("evaluation", ALL, ids=lambda e: type(e).__name__)
def test_constant_columns_tell_nothing_and_the_class_itself_everything(evaluation):
    _, y = table()
    X = np.column_stack([np.zeros(len(y)), y, np.full(len(y), np.nan)])
    source = as_source(X, y)
    state = evaluation.prepare(source)
    nothing = evaluation.score(state, ())
    np.testing.assert_allclose(evaluation.gains(state, (), (0, 2)), nothing, atol=ROUNDING)
    whole = {"InformationGain": entropy(y), "VariationOfInformation": 0.0, "Disagreement": 0.0}
    assert evaluation.score(state, (1,)) == pytest.approx(whole.get(type(evaluation).__name__, 1.0), abs=ROUNDING)


@pytest.mark.parametrize("seed", range(5))
def test_branch_and_bound_proves_what_exhaustive_finds(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (60, 7)), rng.integers(0, 3, 60)
    for evaluation in (InformationGain(), Consistency()):
        both = [SubsetSelector(s, evaluation, n_features=3).fit(X, y) for s in (Exhaustive(), BranchAndBound())]
        assert both[0].selected_features_ == both[1].selected_features_


def test_gain_grows_with_noise_and_the_others_stop():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (200, 12))
    y = (X[:, 3] > 1).astype(int) ^ (rng.random(200) < 0.1)
    sizes = {name: len(SubsetSelector("forward", name).fit(X, y).selected_features_) for name in ("information_gain",)}
    assert sizes["information_gain"] > 3
    for name in ("gain_ratio", "symmetric_uncertainty", "variation_of_information", "adjusted_rand", "disagreement"):
        assert SubsetSelector("forward", name).fit(X, y).selected_features_ == [3], name


QUOTIENTS = [
    GainRatio(),
    SymmetricUncertainty(),
    AdjustedRand(),
    QStatistic(),
    Kappa(),
    CorrelationCoefficient(),
]


def targets(n):
    """Classes of many shares; each has two of them at least."""
    i = np.arange(n)
    return [(i % 6 == 0).astype(int), i % 5, (i == 0).astype(int), (i < n // 2).astype(int)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("evaluation", QUOTIENTS, ids=lambda e: type(e).__name__)
def test_a_constant_column_scores_exactly_nothing_for_any_number_of_rows(evaluation, weighted):
    for n in range(7, 310, 12 if weighted else 6):
        weight = np.random.default_rng(n).uniform(0.5, 9, n) if weighted else None
        for y in targets(n):
            state = evaluation.prepare(as_source(np.zeros((n, 1)), y, sample_weight=weight))
            assert evaluation.score(state, (0,)) == 0.0, (n, y)


@pytest.mark.parametrize("evaluation", [GainRatio(), SymmetricUncertainty()], ids=lambda e: type(e).__name__)
def test_an_independent_column_scores_exactly_nothing(evaluation):
    for n in range(2, 60):
        x, y = np.repeat(np.arange(n), 3), np.tile([0, 1, 2], n)
        state = evaluation.prepare(as_source(np.column_stack([x % 7, x]), y, discrete="all"))
        np.testing.assert_array_equal(evaluation.gains(state, (), (0, 1)), 0.0)


def test_a_column_beats_a_constant_whatever_the_number_of_rows():
    for n in range(20, 300, 7):
        y = (np.arange(n) % 6 == 0).astype(int)
        X = np.column_stack([np.zeros(n), np.where(np.arange(n) % 10 == 0, 1 - y, y)])
        for evaluation in QUOTIENTS:
            assert SubsetSelector("forward", evaluation).fit(X, y).selected_features_ == [1], (n, evaluation)


@pytest.mark.parametrize("evaluation", QUOTIENTS[2:], ids=lambda e: type(e).__name__)
def test_one_pair_together_is_seen_among_a_hundred_million_rows(evaluation):
    n = 1e8  # one pair is a share of 2e-16 of all of them
    table, squares = SimpleNamespace(total=n), np.array([[0, 0, n + 2, n + 2, 0], [0, 0, n + 2, n, 0]])
    state = SimpleNamespace(table=table, classes=squares[0], rounding=0.0)
    same, other = evaluation.compare(state, squares)
    assert same == pytest.approx(1.0, abs=ROUNDING)
    assert other <= 0.0


def test_the_correlation_coefficient_by_hand():
    # Pairs of five rows: together in x {01, 34}, in y {01, 02, 12, 34}: a = 2, b = 0, c = 2, d = 6.
    x, y = np.array([0, 0, 1, 2, 2]), np.array([0, 0, 0, 1, 1])
    expected = (2 * 6 - 0 * 2) / np.sqrt(2 * 4 * 8 * 6)
    assert scored(CorrelationCoefficient(), x[:, None], y, (0,)) == pytest.approx(expected, abs=ROUNDING)
    # x halves every class: a = 2, b = 4, c = 4, d = 5 of the 15 pairs of six rows.
    x, y = np.array([0, 0, 1, 1, 0, 1]), np.array([0, 0, 0, 1, 1, 1])
    expected = (2 * 5 - 4 * 4) / np.sqrt(6 * 6 * 9 * 9)
    assert scored(CorrelationCoefficient(), x[:, None], y, (0,)) == pytest.approx(expected, abs=ROUNDING)


@pytest.mark.parametrize("evaluation", QUOTIENTS[2:], ids=lambda e: type(e).__name__)
def test_pairs_of_rows_need_weights_that_count_rows(evaluation):
    X, y = table()
    with pytest.raises(InputError, match=r"sample_weight sums to 1: .* multiply them all"):
        scored(evaluation, X, y, (0,), sample_weight=np.full(len(y), 1 / len(y)))
