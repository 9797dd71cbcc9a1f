"""The judges of feature selection: what is right is accepted, what is nearly right is refused."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.feature_selection import SequentialFeatureSelector, f_classif, mutual_info_classif
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

from benchmarks import overhead, questions
from benchmarks.competitor import OURS, YARDSTICK
from benchmarks.judging.greedy import is_choice, mean_before, shortfall
from benchmarks.libraries.numpy import PRODUCT
from benchmarks.objective import Row, Table
from benchmarks.overhead import Clock, counting
from benchmarks.questions import forward_linear, gain_search, mrmr_discrete, wrapper_overhead
from benchmarks.questions.forward_linear import FOLDS, chosen_columns, planted


def load_question(name):
    """A question's judge, its tiny data and the reference."""
    judge, data = questions.objective(name), questions.datasets(name, quick=True)[0].make()
    return judge, data, judge.reference(data)


def accepted(judge, data, reference, result):
    return judge.accepts(judge.judge(data, reference, result))


@pytest.mark.parametrize("n, p, k", [(60, 8, 3), (83, 12, 6), (40, 14, 4)])
def test_forward_reference_is_scikit_learns_choice(n, p, k):
    data = planted(n, p, k)
    theirs = SequentialFeatureSelector(LinearRegression(), n_features_to_select=k, cv=KFold(FOLDS)).fit(data.X, data.y)
    assert set(chosen_columns(data.X, data.y, k, FOLDS)) == set(theirs.get_support(indices=True))


def test_forward_selection_is_judged_by_columns_and_score():
    judge, data, reference = load_question("forward_linear")
    right = sorted(reference["columns"])
    other = next(j for j in range(data.X.shape[1]) if j not in right)
    score = judge.judge(data, reference, forward_linear.Answer(right, 0.0))["error"]
    assert accepted(judge, data, reference, forward_linear.Answer(right[::-1], score))
    assert accepted(judge, data, reference, forward_linear.Answer(right, None))
    for wrong in (
        forward_linear.Answer([*right[1:], other], None),
        forward_linear.Answer(right, score + 1e-9),
        forward_linear.Answer(right[:-1], None),
        forward_linear.Answer([right[0], *right[:-1]], None),
    ):
        assert not accepted(judge, data, reference, wrong)


@pytest.mark.parametrize(
    "seconds, held", [(5.0, [True, True, True]), (25.0, [True, False, True]), (40.0, [False, False, True])]
)
def test_the_large_forward_selection_is_held_to_a_product(seconds, held):
    rows = [
        Row("tamis", OURS, seconds=seconds, judged={"others": 0.0}, accepted=True),
        Row(PRODUCT, YARDSTICK, seconds=10.0),
    ]
    bars = questions.objective("forward_linear").bars(Table("", rows, limit=1_000))
    assert [b["held"] for b in bars] == held


def greedy(scores_after, k, p):
    """k columns of p one by one, each the best by ``scores_after(chosen)``."""
    order = []
    for _ in range(k):
        scores = np.array(scores_after(order))
        assert scores.shape == (p,)
        scores[order] = -np.inf
        order.append(int(scores.argmax()))
    return order


def test_mrmr_by_information_is_judged_by_every_step():
    judge, data, reference = load_question("mrmr_discrete")
    X, y, p = data.X, data.y, data.X.shape[1]
    bits = mutual_info_classif(X, y, discrete_features=True) / np.log(2)
    between = np.array([mutual_info_classif(X, x, discrete_features=True) / np.log(2) for x in X.T])
    order = greedy(lambda s: bits - (between[s].mean(axis=0) if s else 0), data.k, p)
    assert accepted(judge, data, reference, mrmr_discrete.Answer(order, bits))
    by_relevance = list(np.argsort(-bits)[: data.k])
    assert by_relevance != order
    for wrong in (
        mrmr_discrete.Answer(by_relevance, bits),
        mrmr_discrete.Answer(order[::-1], bits),
        mrmr_discrete.Answer(order[:-1], bits),
        mrmr_discrete.Answer([order[0]] * data.k, bits),
        mrmr_discrete.Answer(order, bits + 1e-8),
    ):
        assert not accepted(judge, data, reference, wrong)


def test_mrmr_by_correlation_is_the_quotient_with_a_floor():
    judge, data, reference = load_question("mrmr_correlation")
    F, p = f_classif(data.X, data.y)[0], data.X.shape[1]
    assert np.allclose(reference.F, F, rtol=1e-10)
    R = np.maximum(np.abs(np.corrcoef(data.X.T)), 0.001)
    quotient = greedy(lambda s: F / (R[s].mean(axis=0) if s else 1), data.k, p)
    difference = greedy(lambda s: F - (R[s].mean(axis=0) if s else 0), data.k, p)
    assert accepted(judge, data, reference, quotient)
    assert difference != quotient
    for wrong in (difference, quotient[:-1], quotient[::-1]):
        assert not accepted(judge, data, reference, wrong)


def test_gain_search_is_judged_by_the_refined_partition():
    judge, data, reference = load_question("gain_search")
    part = (1 / 2, 1)
    half = data.part(*part)
    p = half.X.shape[1]

    def gains(chosen):
        """H(y) − H(y | cells), cell by cell."""
        return [entropy(half.y) - left(half.X[:, [*chosen, j]], half.y) for j in range(p)]

    order = greedy(gains, data.k, p)
    score = gains(order[:-1])[order[-1]]
    assert accepted(judge, data, reference, gain_search.Answer(order, score, part))
    for wrong in (
        gain_search.Answer(order, score + 1e-8, part),
        gain_search.Answer(order, score, (1, 1)),
        gain_search.Answer(order[::-1], score, part),
        gain_search.Answer(order[:-1], score, part),
    ):
        assert not accepted(judge, data, reference, wrong)


def left(X, y):
    cells = [y[(row == X).all(axis=1)] for row in np.unique(X, axis=0)]
    return sum(len(cell) * entropy(cell) for cell in cells) / len(y)


def entropy(y):
    share = np.unique(y, return_counts=True)[1] / len(y)
    return -(share * np.log2(share)).sum()


def test_a_wrapper_is_judged_by_its_choice_and_its_evaluations():
    judge, data, reference = load_question("wrapper_overhead")
    columns, score = data.best
    worst, _ = min((each for each in data.evaluated if len(each[0]) == data.k), key=lambda each: each[1])
    assert accepted(judge, data, reference, wrapper_overhead.Answer(columns[::-1], score, len(data.evaluated)))
    assert accepted(judge, data, reference, wrapper_overhead.Answer(columns))
    for wrong in (
        wrapper_overhead.Answer(worst),
        wrapper_overhead.Answer(columns[:-1]),
        wrapper_overhead.Answer(columns, score + 1e-9),
        wrapper_overhead.Answer(columns, score, len(data.evaluated) - 1),
    ):
        assert not accepted(judge, data, reference, wrong)


def test_las_vegas_is_judged_by_its_draws():
    judge, data, reference = load_question("lasvegas_overhead")
    columns, score = data.best
    right = wrapper_overhead.Answer(columns, score, len(data.evaluated))
    assert accepted(judge, data, reference, right)
    for wrong in (right._replace(columns=[]), right._replace(score=score + 1e-9), right._replace(evaluations=1)):
        assert not accepted(judge, data, reference, wrong)


def test_a_learner_counts_what_it_takes_and_no_more(monkeypatch):
    now = 0.0

    class Busy:
        def fit(self):
            return self.predict()

        def predict(self):
            nonlocal now
            now += 2.0

        def score(self):
            return self.predict()

    monkeypatch.setattr(overhead, "time", SimpleNamespace(process_time=lambda: now))
    Clock.start()
    busy = counting(Busy)()
    for method in (busy.fit, busy.predict, busy.score):
        method()
    assert Clock.seconds == 6.0  # nested calls once
    busy.predict.__wrapped__(busy)
    assert Clock.seconds == 6.0


def test_shortfall_forgives_ties_only():
    scores = np.array([[3.0, 3.0, 1.0], [9.0, 1.0, 2.0]])
    assert shortfall([1, 0], scores) == shortfall([0, 2], scores) == 0
    assert shortfall([0, 1], scores) == 0.5
    assert is_choice([2, 0], 2, 3)
    assert not any(is_choice(order, 2, 3) for order in ([0], [0, 0], [0, 3]))
    assert np.array_equal(mean_before(np.array([[2.0], [4.0], [9.0]])), [[0.0], [2.0], [3.0]])
