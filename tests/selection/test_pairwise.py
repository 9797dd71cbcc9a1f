"""Evaluations made of pairs of columns: their definitions, the classical greedy rules, and who may search with them."""

import numpy as np
import pytest
from sklearn.feature_selection import f_classif, f_regression
from sklearn.metrics import mutual_info_score

from tamis import InputError, SubsetSelector
from tamis.selection import (
    CFS,
    CMIM,
    MRMR,
    Backward,
    Exhaustive,
    Floating,
    Forward,
    FScore,
    JointInformation,
    LasVegas,
    MRMRSet,
    Ranking,
    Search,
)
from tamis.sources import as_source
from tamis.testing import check_evaluation

ROUNDING = 1e-10


def discrete(seed=0, n=150, p=7):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, p))
    y = (X[:, 0] + X[:, 2] * (X[:, 3] > 0) + (rng.random(n) < 0.1)) % 3
    X[:, 4] = np.where(rng.random(n) < 0.8, X[:, 0], X[:, 4])
    return X, y


def continuous(seed=0, n=200, p=7):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * rng.uniform(0.1, 9, p) + rng.uniform(-5, 5, p)
    X[:, 3] = X[:, 0] + 0.3 * X[:, 3]
    z = X[:, 0] / 4 + X[:, 2] + rng.standard_normal(n)
    return X, np.digitize(z, np.quantile(z, [0.3, 0.7])), z


def bits(a, b):
    return mutual_info_score(a, b) / np.log(2)


def join(a, b):
    return a * 1000 + b


class Twin:
    """Relevance and pairs of discrete columns, said slowly."""

    def __init__(self, X, y):
        p = X.shape[1]
        columns = list(X.T)
        self.H = np.array([bits(x, x) for x in columns])
        self.Hy = bits(y, y)
        self.relevance = np.array([bits(x, y) for x in columns])
        self.mutual = np.array([[bits(a, b) for b in columns] for a in columns])
        self.joint = np.array([[bits(join(a, b), y) for b in columns] for a in columns])
        self.given = np.array([[self.joint[j, k] - self.relevance[k] for k in range(p)] for j in range(p)])


def mean_pairs(M, S):
    return np.mean([M[i, j] for a, i in enumerate(S) for j in S[:a]])


def mrmr_set(t, S, quotient):
    relevance = t.relevance[list(S)].mean()
    if len(S) == 1:
        return relevance
    M = np.maximum(t.mutual, 1e-3) if quotient else t.mutual
    return relevance / mean_pairs(M, S) if quotient else relevance - mean_pairs(M, S)


def mrmr_steps(t, S, quotient):
    M = np.maximum(t.mutual, 1e-3) if quotient else t.mutual
    total = t.relevance[S[0]]
    for k in range(1, len(S)):
        redundancy = M[S[k], list(S[:k])].mean()
        total += t.relevance[S[k]] / redundancy if quotient else t.relevance[S[k]] - redundancy
    return total


def cfs(t, S):
    k = len(S)
    cf = 2 * t.relevance / (t.H + t.Hy)
    ff = 2 * t.mutual / (t.H[:, None] + t.H)
    return k * cf[list(S)].mean() / np.sqrt(k + k * (k - 1) * (mean_pairs(ff, S) if k > 1 else 0.0))


DEFINITIONS = [
    (MRMRSet(), lambda t, S: mrmr_set(t, S, False)),
    (MRMRSet(scheme="quotient"), lambda t, S: mrmr_set(t, S, True)),
    (MRMR(), lambda t, S: mrmr_steps(t, S, False)),
    (MRMR(scheme="quotient"), lambda t, S: mrmr_steps(t, S, True)),
    (JointInformation(), lambda t, S: t.relevance[S[0]] if len(S) == 1 else mean_pairs(t.joint, S)),
    (CMIM(), lambda t, S: t.relevance[S[0]] + sum(t.given[S[k], list(S[:k])].min() for k in range(1, len(S)))),
    (CFS(), cfs),
]


@pytest.mark.parametrize("subset", [(2,), (4, 0), (0, 2, 3), (6, 1, 5, 0)])
@pytest.mark.parametrize("evaluation, definition", DEFINITIONS)
def test_scores_are_the_definition(evaluation, definition, subset):
    X, y = discrete()
    state = evaluation.prepare(as_source(X, y))
    assert evaluation.score(state, subset) == pytest.approx(definition(Twin(X, y), subset), abs=ROUNDING)


@pytest.mark.parametrize(
    "evaluation",
    [e for e, _ in DEFINITIONS] + [FScore(), MRMR("correlation"), MRMRSet("correlation"), CFS("correlation")],
)
@pytest.mark.parametrize("seed", range(2))
def test_the_laws(evaluation, seed):
    check_evaluation(evaluation, seed=seed)


def greedy(t, criterion, k):
    chosen = [int(np.argmax(t.relevance))]
    while len(chosen) < k:
        rest = [j for j in range(len(t.relevance)) if j not in chosen]
        chosen.append(max(rest, key=lambda j: (criterion(j, chosen), -j)))
    return chosen


CLASSICAL = [
    ("mrmr", lambda t: lambda j, S: t.relevance[j] - t.mutual[j, S].mean()),
    (MRMR(), lambda t: lambda j, S: t.relevance[j] - t.mutual[j, S].mean()),
    (MRMR(scheme="quotient"), lambda t: lambda j, S: t.relevance[j] / np.maximum(t.mutual[j, S], 1e-3).mean()),
    (JointInformation(), lambda t: lambda j, S: t.joint[j, S].sum()),
    (CMIM(), lambda t: lambda j, S: t.given[j, S].min()),
]


@pytest.mark.parametrize("evaluation, criterion", CLASSICAL)
@pytest.mark.parametrize("seed", range(4))
def test_forward_search_takes_the_columns_of_the_classical_rule(evaluation, criterion, seed):
    X, y = discrete(seed, p=9)
    t = Twin(X, y)
    found = SubsetSelector("forward", evaluation, n_features=5).fit(X, y).selected_features_
    assert found == greedy(t, criterion(t), 5)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("seed", range(3))
def test_mrmr_by_correlation_is_the_classical_quotient(seed, order):
    X, y, _ = continuous(seed, p=30)
    X = np.array(X, order=order)
    F = f_classif(X, y)[0]
    r = np.maximum(np.abs(np.corrcoef(X.T)), 1e-3)
    chosen = [int(np.argmax(F))]
    while len(chosen) < 12:
        scores = F / r[:, chosen].mean(axis=1)
        scores[chosen] = -1
        chosen.append(int(np.argmax(scores)))
    evaluation = MRMR("correlation", "quotient")
    assert SubsetSelector("forward", evaluation, n_features=12).fit(X, y).selected_features_ == chosen


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_f_scores_are_those_of_scikit_learn(dtype):
    X, y, z = continuous()
    X = X.astype(dtype)
    scores = SubsetSelector("ranking", "f_score", n_features=2).fit(X, y).scores_
    np.testing.assert_allclose(scores, f_classif(X.astype(float), y)[0], rtol=ROUNDING)
    scores = SubsetSelector("ranking", "f_score", n_features=2).fit(X, z).scores_
    np.testing.assert_allclose(scores, f_regression(X.astype(float), z)[0], rtol=ROUNDING)


def test_cfs_by_correlation():
    X, _, z = continuous()
    r, ry = np.abs(np.corrcoef(X.T)), np.abs([np.corrcoef(x, z)[0, 1] for x in X.T])
    state = CFS("correlation").prepare(as_source(X, z))
    S = [0, 2, 5]
    merit = ry[S].sum() / np.sqrt(3 + 2 * (r[0, 2] + r[0, 5] + r[2, 5]))
    assert CFS("correlation").score(state, tuple(S)) == pytest.approx(merit, abs=ROUNDING)


@pytest.mark.parametrize(
    "evaluation", [FScore(), MRMR("correlation"), CFS("correlation"), MRMR(), MRMRSet(), CMIM(), JointInformation()]
)
def test_a_weight_is_a_repeated_row_and_zero_leaves_it_out(evaluation):
    X, y = discrete()
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    a = SubsetSelector("forward", evaluation, n_features=3).fit(X, y, sample_weight=weight.astype(float))
    b = SubsetSelector("forward", evaluation, n_features=3).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert a.selected_features_ == b.selected_features_
    assert a.score_ == pytest.approx(b.score_, rel=ROUNDING)


@pytest.mark.parametrize("evaluation", [FScore(), MRMR("correlation", "quotient"), CFS("correlation")])
def test_files_sparse_rows_and_frames_give_the_same(evaluation, tmp_path):
    import pandas as pd
    import scipy.sparse as sp

    X, y, _ = continuous()
    X[np.abs(X) < 1] = 0
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(7)]).assign(y=y)
    frame.to_parquet(tmp_path / "t.parquet")
    selector = SubsetSelector("forward", evaluation, n_features=4)
    dense = selector.fit(X, y).support_.tolist(), selector.score_
    for table, target in ((tmp_path / "t.parquet", "y"), (sp.csr_array(X), y), (sp.csc_array(X), y), (frame, "y")):
        selector.fit(table, target)
        assert selector.support_.tolist() == dense[0]
        assert selector.score_ == pytest.approx(dense[1], rel=1e-9)  # the file's Gram matrix is summed in blocks


def test_constant_columns_have_nothing_to_do_with_anything():
    X, y, _ = continuous()
    X[:, 1] = 7.0
    assert SubsetSelector("ranking", "f_score", n_features=1).fit(X, y).scores_[1] == 0
    relation = MRMR("correlation").prepare(as_source(X, y)).pairs
    assert relation.row(0)[1] == 0
    assert not relation.row(1).any()


def test_a_column_that_tells_the_classes_exactly_has_a_finite_f():
    y = np.repeat([0, 1, 2], 10)
    X = np.column_stack([np.random.default_rng(0).standard_normal(30), y])
    fitted = SubsetSelector("backward", "f_score", n_features=1).fit(X, y)
    assert fitted.selected_features_ == [1]
    assert np.isfinite(fitted.score_)


@pytest.mark.parametrize("search", [Backward(), Floating(), Exhaustive(), LasVegas()])
@pytest.mark.parametrize("evaluation", [CMIM(), MRMR()])
def test_incremental_evaluations_object_to_searches_without_an_order(search, evaluation):
    X, y = discrete()
    with pytest.raises(ValueError, match=r"use Forward or Ranking, or an evaluation of whole subsets"):
        SubsetSelector(search, evaluation, n_features=2).fit(X, y)
    for allowed in (Forward(), Ranking()):
        assert SubsetSelector(allowed, evaluation, n_features=2).fit(X, y).support_.sum() == 2


def test_step_difference_stops_where_a_column_is_more_redundant_than_relevant():
    X, y = discrete()
    found = SubsetSelector("forward", MRMR()).fit(X, y)
    t = Twin(X, y)
    S = found.selected_features_
    rest = [j for j in range(7) if j not in S]
    assert 1 < len(S) < 7
    assert all(t.relevance[j] <= t.mutual[j, S].mean() for j in rest)


@pytest.mark.parametrize(
    "evaluation, argument",
    [
        (MRMR(by="rank"), "by"),
        (MRMR(scheme="sum"), "scheme"),
        (MRMRSet(scheme="sum"), "scheme"),
        (CFS("x"), "by"),
        (FScore("x"), "task"),
    ],
)
def test_unknown_words_are_named(evaluation, argument):
    X, y = discrete()
    with pytest.raises(ValueError, match=argument):
        SubsetSelector("forward", evaluation).fit(X, y)


def test_correlations_need_numbers_without_gaps():
    X, y, _ = continuous()
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="x2"):
        SubsetSelector("ranking", "f_score").fit(X, y)
    with pytest.raises(ValueError, match="FScore works on numbers"):
        SubsetSelector("ranking", "f_score").fit(np.array([["a"], ["b"], ["a"]], dtype=object), [0, 1, 0])


class TwoPasses(Search):
    """A user's search that takes the best column, then the best beside it."""

    adds_only = True

    def run(self, p, stop, rng):
        first = int(np.argmax((yield [(j,) for j in range(p)])))
        pairs = [(first, j) for j in range(p) if j != first]
        return pairs[int(np.argmax((yield pairs)))]


def test_a_search_of_ones_own_may_say_that_it_only_adds():
    X, y = discrete()
    assert SubsetSelector(TwoPasses(), CMIM()).fit(X, y).selected_features_ == (
        SubsetSelector("forward", CMIM(), n_features=2).fit(X, y).selected_features_
    )


def test_as_many_classes_as_rows_leave_nothing_to_compare_their_means_with():
    X = np.random.default_rng(0).normal(size=(5, 3))
    for evaluation in (FScore(), MRMR("correlation")):
        found = SubsetSelector("ranking", evaluation, n_features=1).fit(X, np.arange(5))
        assert found.scores_.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("evaluation", [FScore(), MRMR("correlation"), MRMRSet("correlation")])
@pytest.mark.parametrize("total", [1.0, 2.75])
def test_weights_that_sum_to_no_more_than_the_means_are_refused(evaluation, total):
    """A row of weight w is w rows: three means of at most three rows leave nothing to compare them with."""
    X, y, _ = continuous()
    weight = np.full(len(y), total / len(y))
    with pytest.raises(InputError, match=rf"sample_weight sums to {total:g}: .*must sum to more than 3: multiply"):
        SubsetSelector("ranking", evaluation, n_features=1).fit(X, y, sample_weight=weight)
    found = SubsetSelector("ranking", evaluation, n_features=1).fit(X, y, sample_weight=100 * weight)
    assert found.selected_features_ == SubsetSelector("ranking", evaluation, n_features=1).fit(X, y).selected_features_
