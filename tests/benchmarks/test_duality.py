"""The judge's bounds are proofs: no path, however good, lies below them, and they touch the best one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import questions
from benchmarks.judging import duality, path
from benchmarks.questions.group_lasso import prox

ALL = [
    (question_name, k)
    for question_name in ("lasso", "lasso_sparse", "logistic", "multinomial", "group_lasso")
    for k in range(len(questions.datasets(question_name, quick=True)))
]
# The judge needs 1e-9 of the null value (path.LIMIT / 100); a sum of some hundred terms rounds at about 1e-14 of it.
ROUNDING = 1e-13


@pytest.fixture(scope="module", params=ALL, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def load_question(request):
    """A judge, its data, a precise path and the penalty."""
    name, k = request.param
    judge, data = questions.objective(name), questions.datasets(name, quick=True)[k].make()
    return judge, data, judge.precise(data), judge.penalty(data)


def test_the_bound_touches_the_precise_path(load_question):
    judge, data, precise, penalty = load_question
    lower = path.lower_bounds(judge.loss, penalty, data, precise)
    above = duality.primal_values(judge.loss, penalty, data, *precise) - lower
    null = judge.loss.null_value(data.y)
    assert np.all(above >= -ROUNDING * null)
    assert np.all(above <= path.LIMIT / 100 * null)


@pytest.mark.parametrize("seed", range(5))
def test_any_residual_gives_a_bound_below_every_path(load_question, seed):
    """Weak duality, with dual points from paths that are far from optimal."""
    judge, data, (coefs, intercepts), penalty = load_question
    rng = np.random.default_rng(seed)
    poor = coefs * rng.uniform(0, 2, size=coefs.shape) + 0.1 * rng.standard_normal(coefs.shape)
    lower = duality.dual_values(judge.loss, penalty, data, poor, intercepts)
    best = duality.primal_values(judge.loss, penalty, data, coefs, intercepts)
    assert np.all(lower <= best + ROUNDING * judge.loss.null_value(data.y))


def test_the_null_value_is_that_of_the_best_constant(load_question):
    """At α_max the path is still empty."""
    judge, data, precise, penalty = load_question
    first = replace(data, alphas=data.alphas[:1])
    value = duality.primal_values(judge.loss, penalty, first, precise[0][:1], precise[1][:1])[0]
    assert value == pytest.approx(judge.loss.null_value(data.y), rel=1e-9)  # the precise path's own gap


def test_a_slightly_wrong_path_is_refused(load_question):
    judge, data, (coefs, intercepts), _ = load_question
    reference = judge.reference(data)
    assert judge.accepts(judge.judge(data, reference, (coefs, intercepts)))
    broken = coefs.copy()
    broken[-1].flat[np.abs(broken[-1]).argmax()] *= 1.01
    assert not judge.accepts(judge.judge(data, reference, (broken, intercepts)))
    assert not judge.accepts(judge.judge(data, reference, (coefs[:-1], intercepts[:-1])))
    assert not judge.accepts(judge.judge(data, reference, (np.full_like(coefs, np.nan), intercepts)))


@pytest.mark.parametrize("seed", range(10))
def test_shrinkage_ends_on_the_border_of_the_feasible_set(seed):
    """C is feasible for α when prox_{αΩ}(C) = 0."""
    penalty, rng = duality.SparseGroups(4, 0.3), np.random.default_rng(seed)
    C, alpha = rng.standard_normal((20, 1)), np.array([rng.uniform(0.05, 0.5)])
    s = penalty.shrinkage(C, alpha)[0]
    assert 0 < s < 1
    assert not prox(penalty, s * C[:, 0], alpha[0]).any()
    assert prox(penalty, 1.001 * s * C[:, 0], alpha[0]).any()


def test_blocks_of_float32_rows_are_summed_in_float64(monkeypatch):
    X = np.random.default_rng(0).standard_normal((50, 3)).astype(np.float32)
    monkeypatch.setattr(duality, "BLOCK", 7 * 8 * 3)
    T = np.ones((50, 2))
    assert len(list(duality.row_blocks(X))) == 8
    assert np.allclose(duality.correlations(X, T), X.astype(float).T @ T, rtol=1e-14, atol=0)
    assert np.allclose(duality.predictions(X, np.eye(3), 0.0), X, rtol=0, atol=0)
