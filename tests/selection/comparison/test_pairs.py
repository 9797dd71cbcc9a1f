"""The kernel of concordant pairs, and the scores built on it, against what they are defined to be."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss, r2_score, roc_auc_score

from reference.pairs import concordant_pairs as every_pair
from tamis._kernels import kernels
from tamis.selection.comparison.learners import likeliest
from tamis.selection.comparison.scores import ACCURACY, AUC, LOG_LOSS, MAE, R2, RMSE, SplitPredictions, concordant_pairs


@pytest.mark.parametrize("B", [1, 3, 256, 300])
def test_pairs_are_every_pair(B):
    rng = np.random.default_rng(B)
    values = rng.integers(0, 5, size=(4, 23)).astype(float)  # many ties
    positive = rng.random(23) < 0.4
    W = rng.integers(0, 4, size=(23, B)).astype(float)
    won, pairs = concordant_pairs(values, positive, W)
    np.testing.assert_array_equal(won, every_pair(values, positive, W))  # whole numbers and halves: exact
    np.testing.assert_array_equal(pairs, W[positive].sum(0) * W[~positive].sum(0))


def test_pairs_do_not_depend_on_threads():
    rng = np.random.default_rng(0)
    values, W = rng.normal(size=(5, 40)), rng.random((40, 600))
    order = np.argsort(values, axis=1).astype(np.int64)
    one, three = np.empty((5, 600)), np.empty((5, 600))
    kernels.concordant_pairs(values, order, values[0] > 0, W, one, 1)
    kernels.concordant_pairs(values, order, values[0] > 0, W, three, 3)
    np.testing.assert_array_equal(one, three)


def split(values, target, classes=None, mean=0.0):
    values = np.asarray(values, dtype=float)
    shown = None if classes is None else np.arange(classes)
    labels = None if classes is None else np.array([likeliest(one) for one in values])
    return SplitPredictions(values, target, mean, shown, np.arange(len(target)), labels)


def value(score, one, w):
    top, bottom = score.parts(one, w[:, None])
    return score.reported(score.offset + score.sign * top[0, 0] / bottom[0])


def test_scores_agree_with_scikit_learn():
    rng = np.random.default_rng(1)
    y, w, p = rng.integers(0, 2, 60), rng.integers(1, 4, 60).astype(float), rng.random(60)
    two = split([p], y, 2)
    assert value(AUC, two, w) == pytest.approx(roc_auc_score(y, p, sample_weight=w), abs=1e-12)
    assert value(LOG_LOSS, two, w) == pytest.approx(-log_loss(y, p, sample_weight=w), abs=1e-12)
    assert value(ACCURACY, two, w) == pytest.approx(np.average((p > 0.5) == y, weights=w), abs=1e-12)
    t = rng.normal(size=60)
    numbers = split([p], t, mean=float(t.mean()))
    assert value(R2, numbers, np.ones(60)) == pytest.approx(r2_score(t, p), abs=1e-12)
    assert value(RMSE, numbers, w) == pytest.approx(-np.sqrt(np.average((p - t) ** 2, weights=w)), abs=1e-12)
    assert value(MAE, numbers, w) == pytest.approx(-np.average(np.abs(p - t), weights=w), abs=1e-12)


def test_many_classes_are_each_against_the_rest():
    rng = np.random.default_rng(2)
    P, y = rng.dirichlet(np.ones(3), size=80), rng.integers(0, 3, 80)
    expected = np.mean([roc_auc_score(y == k, P[:, k]) for k in range(3)])
    assert value(AUC, split([P], y, 3), np.ones(80)) == pytest.approx(expected, abs=1e-12)


def test_a_constant_prediction_is_worth_nothing():
    y = np.array([0, 1, 1, 0, 1])
    assert value(AUC, split([np.full(5, 0.3)], y, 2), np.ones(5)) == 0.5
    t = np.array([1.0, 2.0, 4.0])
    assert value(R2, split([np.full(3, 7.0)], t, mean=7.0), np.ones(3)) == 0.0
