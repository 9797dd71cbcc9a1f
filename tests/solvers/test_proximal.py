"""Proximal gradient as the book has it, its accelerated form, and parts a user writes."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.linear_model import ElasticNet, LogisticRegression, MultiTaskLasso

from solvers.models import DATAFITS, PENALTIES, problem
from tamis import InputError
from tamis.datafits import Logistic, Squared
from tamis.operators import as_operator
from tamis.penalties import L1, L1L2, Group
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.proximal import Fista, ProximalGradient
from tolerances import AGREE_SKLEARN, ROUNDING

SOLVERS = [ProximalGradient, Fista]


def book(X, y, lam, L, n_iter):
    """(11.10)–(11.14) for f(x) = ‖y − Xx‖²/2, with λ and L as the book has them."""
    x = np.zeros(X.shape[1])
    for _ in range(n_iter):
        z = x - X.T @ (X @ x - y) / L
        x = np.where(z > lam / L, z - lam / L, np.where(z < -lam / L, z + lam / L, 0.0))
    return x


def test_proximal_gradient_is_the_book_s_iteration():
    rng = np.random.default_rng(0)
    X, y, n = rng.standard_normal((30, 8)), rng.standard_normal(30), 30
    prob = OperatorProblem(as_operator(X), y, Squared(), L1(), 0.05, fit_intercept=False)
    found = ProximalGradient(tol=0.0, max_iter=25).solve(prob)
    largest = 1.05 * np.linalg.norm(X, 2) ** 2
    assert found.status == "max_iter"
    assert found.n_iter == 25
    # the power method's norm is short of the true one by 0.1 % at most here
    np.testing.assert_allclose(found.w, book(X, y, 0.05 * n, largest, 25), atol=1e-3 * np.abs(found.w).max())


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", DATAFITS)
@pytest.mark.parametrize("penalty", PENALTIES)
def test_both_reach_one_objective(solver, kind, penalty):
    prob, *_ = problem(kind, penalty, seed=7)
    most = prob.alpha_max()
    prob = prob.at(0.1 if np.isinf(most) else 0.1 * most)
    found = solver(tol=1e-5).solve(prob)
    assert found.status == "converged"
    best = Fista(tol=1e-8).solve(prob)
    excess = prob.value(found.w, found.intercept) - prob.value(best.w, best.intercept)
    assert excess <= found.certificate.gap + 1e-12
    assert found.certificate.gap <= 1e-5 * prob.null()[2]


def test_elastic_net_agrees_with_scikit_learn():
    prob, X, y, s = problem("squared", "l1l2")
    found = Fista(tol=1e-13, max_iter=50_000).solve(prob.at(0.1))
    theirs = ElasticNet(alpha=0.1, l1_ratio=0.4, tol=1e-12, max_iter=100_000).fit(X, y, sample_weight=s)
    np.testing.assert_allclose(found.w, theirs.coef_, atol=AGREE_SKLEARN)
    assert found.intercept == pytest.approx(theirs.intercept_, abs=AGREE_SKLEARN * 10)


def test_row_groups_agree_with_scikit_learn():
    prob, X, y, _ = problem("squares", "rows", weighted=False)
    found = Fista(tol=1e-13, max_iter=50_000).solve(prob.at(0.2))
    theirs = MultiTaskLasso(alpha=0.2, tol=1e-12, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(found.w.T, theirs.coef_, atol=AGREE_SKLEARN)


@pytest.mark.parametrize("kind", ["logistic", "multinomial"])
def test_ridge_classes_agree_with_scikit_learn(kind):
    prob, X, y, s = problem(kind, "l2")
    found = Fista(tol=1e-13, max_iter=50_000).solve(prob.at(0.2))
    theirs = LogisticRegression(C=1 / (0.2 * s.sum()), tol=1e-12, max_iter=100_000).fit(X, y, sample_weight=s)
    ours, coef = found.w.T, theirs.coef_ if kind == "multinomial" else theirs.coef_[0]
    if kind == "multinomial":
        ours = ours[[1, 2, 0]]  # classes in sorted order
    np.testing.assert_allclose(ours, coef, atol=10 * AGREE_SKLEARN)  # L-BFGS


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_path_is_its_single_solutions(solver):
    prob, *_ = problem("squares", "sparse group weights")
    alphas = prob.alpha_max() * np.array([1.1, 0.5, 0.1])
    path = solver(tol=1e-10, max_iter=50_000).path(prob, alphas)
    assert path.converged.all()
    assert path.coefs.shape == (3, 3, 6)
    assert path.intercepts.shape == (3, 3)
    assert (path.gaps <= 1e-10 * prob.null()[2]).all()
    for k, alpha in enumerate(alphas):
        alone = solver(tol=1e-10, max_iter=50_000).solve(prob.at(alpha))
        np.testing.assert_allclose(path.coefs[k], alone.w.T, atol=1e-4)  # √gap


def test_accelerated_needs_fewer_iterations():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 30)) @ np.diag(np.linspace(1, 0.05, 30))
    y = X @ rng.standard_normal(30)
    prob = OperatorProblem(as_operator(X), y, Squared(), L1(), 1e-4)
    plain, fast = (solver(tol=1e-6, max_iter=100_000).solve(prob) for solver in SOLVERS)
    assert fast.n_iter < plain.n_iter / 3


@pytest.mark.parametrize("make", [np.asfortranarray, sp.csr_array, sp.csc_array, lambda X: X.astype(np.float32)])
def test_storage_does_not_matter(make):
    prob, X, *_ = problem("logistic", "l1", alpha=0.02)
    found = Fista(tol=1e-10).solve(replace(prob, A=as_operator(make(X))))
    best = Fista(tol=1e-10).solve(prob)
    np.testing.assert_allclose(found.w, best.w, atol=1e-4)
    assert found.status == "converged"


def test_large_means_do_not_slow_it():
    prob, X, *_ = problem("squared", "l1", alpha=0.05)
    shifted = replace(prob, A=as_operator(X + 1000.0))
    a, b = Fista().solve(prob), Fista().solve(shifted)
    assert b.n_iter <= 2 * a.n_iter
    np.testing.assert_allclose(a.w, b.w, atol=1e-3)


def test_a_start_at_the_solution_stays_there():
    prob, *_ = problem("logistic", "l1", alpha=0.02)
    found = Fista().solve(prob)
    again = Fista().solve(prob, start=(found.w, found.intercept))
    assert again.n_iter == 0
    np.testing.assert_array_equal(again.w, found.w)


def test_the_null_model_is_returned_above_alpha_max_and_for_a_constant_target():
    prob, X, *_ = problem("squared", "l1 weights")
    found = Fista().solve(prob.at(2 * prob.alpha_max()))
    assert found.n_iter == 0
    constant = OperatorProblem(as_operator(X), np.full(len(X), 3.0), Squared(), L1(), 0.1)
    found = Fista().solve(constant)
    assert not found.w.any()
    assert found.intercept == pytest.approx(3.0)
    assert found.status == "converged"


class Huber(BaseEstimator):
    """ℓ(y, z) = h(y − z), h quadratic up to 1 and then linear: no curvature declared, no conjugate."""

    def value(self, y, Z, s=None):
        r = np.abs(y - Z)
        return float(np.average(np.where(r <= 1, r**2 / 2, r - 0.5), weights=s))

    def gradient(self, y, Z, s=None):
        share = np.full(len(y), 1 / len(y)) if s is None else s / s.sum()
        return share * np.clip(Z - y, -1, 1)


class Box(BaseEstimator):
    """Ω(w) = 0 on |w| ≤ 1/2, infinite outside."""

    def value(self, w, alpha):
        return 0.0 if (np.abs(w) <= 0.5).all() else np.inf

    def prox(self, v, step, alpha):
        return np.clip(v, -0.5, 0.5)

    def subdifferential_distance(self, w, gradient, alpha):
        return np.where(np.abs(w) < 0.5, np.abs(gradient), np.maximum(gradient * np.sign(w), 0.0))

    def alpha_max(self, gradient_at_null):
        return np.inf if gradient_at_null.any() else 0.0


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_datafit_and_a_penalty_of_one_s_own(solver):
    from scipy.optimize import minimize

    prob, X, y, s = problem("squared", "l1")
    own = OperatorProblem(prob.A, y, Huber(), Box(), 1.0, s)
    found = solver(tol=1e-8, max_iter=50_000).solve(own)
    assert found.status == "converged"
    assert found.certificate is None
    best = minimize(
        lambda v: Huber().value(y, X @ v[:-1] + v[-1], s),
        np.zeros(7),
        bounds=[(-0.5, 0.5)] * 6 + [(None, None)],
        tol=1e-14,
    )
    assert Huber().value(y, X @ found.w + found.intercept, s) == pytest.approx(best.fun, rel=1e-7)
    assert np.abs(found.w).max() == 0.5


def test_what_is_no_penalty_is_named_with_the_solver():
    prob, *_ = problem("squared", "l1")
    with pytest.raises(InputError, match="Fista needs a Penalty, which none of OperatorProblem, Squared, dict is"):
        Fista().solve(replace(prob, penalty={}))


def test_a_datafit_without_a_finite_value_is_named():
    class Broken(Huber):
        def value(self, y, Z, s=None):
            return np.nan

    prob, *_ = problem("squared", "l1")
    with pytest.raises(InputError, match=r"the value of Broken\(\) is nan"):
        Fista().solve(replace(prob, datafit=Broken(), fit_intercept=False))


@pytest.mark.parametrize("solver", [ProximalGradient, Fista])
@pytest.mark.parametrize("seed", [0, 5])  # at 5 a bound without room for rounding fails
def test_a_target_fitted_to_rounding_has_its_quadratic_bound(solver, seed):
    """Where the value is all rounding, the rounding of a step is no sign of a wrong L."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((2, 10)) + 1e3
    prob = OperatorProblem(as_operator(X), 1e5 + X @ np.ones(10), Squared(), L1(np.arange(10) % 2), 0.1)
    solution = solver(tol=0.0, max_iter=50).solve(prob)
    assert prob.value(solution.w, solution.intercept) <= prob.value(*prob.null()[:2]) + ROUNDING * 1e10


def test_separable_classes_end():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    y = np.array([-1.0, -1.0, 1.0, 1.0])
    found = Fista(max_iter=200).solve(OperatorProblem(as_operator(X), y, Logistic(), L1(), 0.0))
    assert found.w[0] > 2
    assert np.isfinite(found.certificate.gap)


@pytest.mark.parametrize("penalty, l1, l2", [(L1(), 1.0, 0.0), (L1L2(0.3), 0.3, 0.7), (Group(), 1.0, 0.0)])
def test_one_row_is_its_intercept_and_one_column_is_soft_thresholded(penalty, l1, l2):
    for shape in ((1, 1), (1, 3)):
        X = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
        found = Fista().solve(OperatorProblem(as_operator(X), np.ones(1), Squared(), penalty, 0.1))
        assert found.status == "converged"
        assert not found.w.any()
        assert found.intercept == 1
    x = np.arange(4.0)
    found = Fista(tol=1e-12).solve(OperatorProblem(as_operator(x[:, None]), 2 * x, Squared(), penalty, 0.1))
    np.testing.assert_allclose(found.w, (2 * x.var() - 0.1 * l1) / (x.var() + 0.1 * l2), rtol=1e-6)  # √tol
