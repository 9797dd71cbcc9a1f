"""The problem with rows: gradients, the null model and where the path starts."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator
from sklearn.base import BaseEstimator

from solvers.models import DATAFITS, PENALTIES, problem
from tamis import InputError
from tamis.datafits import Logistic, Squared
from tamis.operators import DFT, as_operator
from tamis.penalties import L1
from tamis.solvers.problem import OperatorProblem

CASES = [(kind, penalty) for kind in DATAFITS for penalty in PENALTIES]


def intercept_gradient(prob, w, b):
    return prob.datafit.gradient(prob.y, prob.prediction(w, b), prob.s).sum(axis=0)


@pytest.mark.parametrize("kind", DATAFITS)
def test_gradients_are_derivatives(kind):
    prob, *_ = problem(kind, "l1")
    rng = np.random.default_rng(0)
    w, b = prob.zero()
    w, b = rng.standard_normal(w.shape), b + rng.standard_normal(np.shape(b))
    v, e = rng.standard_normal(w.shape), rng.standard_normal(np.shape(b))
    step = 1e-5
    slope = (prob.value(w + step * v, b + step * e) - prob.value(w - step * v, b - step * e)) / (2 * step)
    expected = np.vdot(prob.gradient(w, b), v) + np.vdot(intercept_gradient(prob, w, b), e)
    assert slope == pytest.approx(expected, rel=1e-6)
    S = np.array([4, 1])
    np.testing.assert_allclose(prob.gradient(w, b, S), prob.gradient(w, b)[S], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind, penalty", CASES)
def test_nothing_unpenalised_improves_the_null_model(kind, penalty, fit_intercept):
    prob, *_ = problem(kind, penalty, fit_intercept=fit_intercept)
    w, b, value = prob.null()
    free = prob.omega.free
    assert not w[~free].any()
    g = prob.gradient(w, b)[free]
    g = np.where(w[free] > 0, np.abs(g), np.maximum(-g, 0.0)) if prob.omega.positive else np.abs(g)
    assert g.max(initial=0.0) <= 1e-6 * value  # L-BFGS-B, where w ≥ 0 is asked of a logistic fit
    if fit_intercept:
        assert np.abs(intercept_gradient(prob, w, b)).max() <= 1e-6 * value


@pytest.mark.parametrize("kind, penalty", CASES)
def test_the_null_model_is_optimal_from_alpha_max_on(kind, penalty):
    prob, *_ = problem(kind, penalty)
    w, b, value = prob.null()
    most = prob.alpha_max()
    if np.isinf(most):
        assert penalty == "l2"
        return
    above, below = prob.at(most * (1 + 1e-4)), prob.at(0.99 * most)
    assert above.gap(w, b).gap <= 1e-6 * value
    step = 1e-6
    moved = prob.omega.prox(w - step * prob.gradient(w, b), step, below.alpha)
    assert below.value(moved, b) < below.value(w, b)


def test_weights_are_repeated_rows():
    prob, X, y, _ = problem("squared", "l1 weights")
    s = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    repeated = np.repeat(np.arange(len(y)), s.astype(int))
    one = replace(prob, s=s, alpha=0.1)
    other = OperatorProblem(as_operator(X[repeated]), y[repeated], Squared(), prob.penalty, 0.1)
    w, b, value = one.null()
    assert other.null()[2] == pytest.approx(value, rel=1e-12)
    assert one.alpha_max() == pytest.approx(other.alpha_max(), rel=1e-9)
    assert one.gap(w, b).gap == pytest.approx(other.gap(w, b).gap, rel=1e-9)
    S = np.array([0, 3])
    np.testing.assert_allclose(one.gram(S, S), other.gram(S, S), rtol=1e-12)


def test_dependent_unpenalised_columns():
    X = np.random.default_rng(0).standard_normal((20, 4))
    X[:, 1] = 2 * X[:, 0]
    y = X[:, 0] + X[:, 2]
    for datafit, target in ((Squared(), y), (Logistic(), np.sign(y + X[:, 3]))):
        prob = OperatorProblem(as_operator(X), target, datafit, L1([0.0, 0.0, 1.0, 1.0]))
        w, b, value = prob.null()
        assert np.abs(prob.gradient(w, b)[:2]).max() <= 1e-9
        assert np.isfinite(prob.alpha_max())
        assert prob.at(prob.alpha_max() * (1 + 1e-9)).gap(w, b).gap <= 1e-8 * value


def test_storage_does_not_matter():
    prob, X, *_ = problem("logistic", "sparse group weights", alpha=0.05)
    w = np.random.default_rng(0).standard_normal(6)
    gap = prob.gap(w, 0.3)
    for Y in (np.asfortranarray(X), sp.csr_array(X), sp.csc_array(X)):
        other = replace(prob, A=as_operator(Y)).gap(w, 0.3)
        assert other.primal == pytest.approx(gap.primal, rel=1e-12)
        assert other.dual == pytest.approx(gap.dual, rel=1e-9)


def test_what_has_no_gap_says_so():
    class Own(BaseEstimator):
        value, gradient = Squared.value, Squared.gradient

    prob, *_ = problem("squared", "l1")
    with pytest.raises(InputError, match=r"no duality gap is known for Own\(\): give it a method conjugate"):
        replace(prob, datafit=Own()).gap(*prob.zero())


def test_who_declares_least_squares_has_their_gap():
    class Own(Squared):
        pass

    prob, *_ = problem("squared", "l1")
    w = np.arange(prob.A.shape[1]) / 10
    assert replace(prob, datafit=Own()).gap(w).gap == prob.gap(w).gap


@pytest.mark.parametrize("A", [DFT(8), aslinearoperator(np.eye(8) * 1j)], ids=["operator", "scipy"])
def test_a_complex_operator_is_refused(A):
    with pytest.raises(InputError, match="complex operator"):
        OperatorProblem(A, np.ones(8), Squared(), L1(), 0.1)


def test_what_stands_for_a_matrix_is_the_operator():
    prob, X, *_ = problem("squared", "l1", alpha=0.05)
    w = np.random.default_rng(0).standard_normal(6)
    for given in (X, sp.csr_array(X), aslinearoperator(X)):
        assert replace(prob, A=given).value(w) == pytest.approx(prob.value(w), rel=1e-12)
