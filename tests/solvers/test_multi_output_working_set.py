"""Several outputs at once: proofs from the problem's own certificate, other libraries, and laws."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import ElasticNet, Lasso, MultiTaskLasso

from solvers.models import DATAFITS, PENALTIES, data, problem
from tamis import InputError
from tamis.datafits import Logistic, Multinomial, Squared
from tamis.operators import as_operator
from tamis.penalties import L1, L1L2, Group
from tamis.solvers.multi_output_working_set import MultiOutputWorkingSet
from tamis.solvers.problem import OperatorProblem
from tolerances import AGREE, AGREE_SKLEARN

KINDS = ["squares", "multinomial"]
EXACT = 1e-13  # of the objective: a gap so small leaves coefficients that agree to about its root


def check_proved(prob, alphas, path, tol):
    """By the certificate of the problem, not by what the solver says of itself."""
    assert path.converged.all()
    bound = 1.1 * tol * prob.null()[2]  # unpenalised columns are projected out of the dual point there
    for alpha, coef, b in zip(alphas, path.coefs, path.intercepts, strict=True):
        assert prob.at(alpha).gap(coef.T, b).gap <= bound


def alphas_of(prob, n=8, least=0.02):
    top = min(prob.alpha_max(), 1.0)
    return top * np.geomspace(1, least, n)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PENALTIES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_every_solution_is_proved_by_the_problem(kind, name, fit_intercept):
    prob, *_ = problem(kind, name, fit_intercept=fit_intercept)
    alphas = alphas_of(prob)
    path = MultiOutputWorkingSet().path(prob, alphas)
    check_proved(prob, alphas, path, 1e-7)
    assert path.coefs[-1].any()


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_the_multi_task_lasso(seed):
    prob, X, Y, _ = problem("squares", "rows", seed, weighted=False)
    alpha = 0.1 * prob.alpha_max()
    ours = MultiOutputWorkingSet(tol=EXACT).solve(prob.at(alpha))
    theirs = MultiTaskLasso(alpha=alpha, tol=1e-12, max_iter=100_000).fit(X, Y)
    np.testing.assert_allclose(ours.w.T, theirs.coef_, rtol=0, atol=AGREE_SKLEARN)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("penalty", "theirs"), [(L1(), Lasso()), (L1L2(0.4), ElasticNet(l1_ratio=0.4))])
def test_outputs_without_groups_stand_alone(seed, penalty, theirs):
    X, Y, _, s = data("squares", seed)
    prob = OperatorProblem(as_operator(X), Y, Squared(), penalty, 0.05, s)
    ours = MultiOutputWorkingSet(tol=EXACT).solve(prob).w
    theirs.set_params(alpha=0.05, tol=1e-12, max_iter=100_000)
    for k in range(3):
        np.testing.assert_allclose(ours[:, k], theirs.fit(X, Y[:, k], s).coef_, rtol=0, atol=AGREE_SKLEARN)


@pytest.mark.parametrize("seed", range(3))
def test_two_classes_are_logistic_regression(seed):
    """z₁ − z₂ is logistic's z; α|w₁| + α|w₂| at the best split of w = w₁ − w₂ is α|w|."""
    X, y, _, s = data("logistic", seed)
    Y = np.column_stack([y > 0, y < 0]).astype(float)
    one = OperatorProblem(as_operator(X), y, Logistic(), L1(), 0.03, s)
    two = OperatorProblem(as_operator(X), Y, Multinomial(), L1(), 0.03, s)
    path = MultiOutputWorkingSet(tol=EXACT).path(two, np.array([0.03]))
    w, b = path.coefs[0, 0] - path.coefs[0, 1], float(path.intercepts[0, 0] - path.intercepts[0, 1])
    assert one.gap(w, b).gap <= 1e-12
    assert path.intercepts[0].sum() == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("penalty", [L1(), Group()])
def test_storage_does_not_matter(kind, penalty):
    X, y, _, s = data(kind, n=80)
    X = np.where(np.abs(X - X.mean(axis=0)) > 0.7, X, 0.0)
    found = []
    for stored in (X, np.asfortranarray(X), sp.csc_array(X), sp.csr_array(X)):
        prob = OperatorProblem(as_operator(stored), y, DATAFITS[kind], penalty, 0.02, s)
        found.append(MultiOutputWorkingSet(tol=EXACT).solve(prob).w)
    for w in found[1:]:
        np.testing.assert_allclose(w, found[0], rtol=0, atol=AGREE_SKLEARN)


@pytest.mark.parametrize("kind", KINDS)
def test_weight_two_is_a_duplicated_row(kind):
    X, y, _, _ = data(kind)
    s = 1.0 + (np.arange(50) % 2)
    twice = np.repeat(np.arange(50), s.astype(int))
    weighted = OperatorProblem(as_operator(X), y, DATAFITS[kind], L1(), 0.02, s)
    repeated = OperatorProblem(as_operator(X[twice]), y[twice], DATAFITS[kind], L1(), 0.02)
    a, b = (MultiOutputWorkingSet(tol=EXACT).solve(p) for p in (weighted, repeated))
    np.testing.assert_allclose(a.w, b.w, rtol=0, atol=AGREE_SKLEARN)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["l1", "rows", "group"])
def test_a_start_leads_to_the_same_place(kind, name):
    prob, *_ = problem(kind, name)
    alpha = 0.1 * prob.alpha_max()
    cold = MultiOutputWorkingSet(tol=EXACT).path(prob, np.array([alpha]))
    other = MultiOutputWorkingSet().path(prob, np.array([0.5 * alpha])).coefs[0]
    warm = MultiOutputWorkingSet(tol=EXACT).path(prob, np.array([alpha]), start=other.T)
    np.testing.assert_allclose(warm.coefs, cold.coefs, rtol=0, atol=AGREE_SKLEARN)
    again = MultiOutputWorkingSet(tol=1e-9).path(prob, np.array([alpha]), start=cold.coefs[0].T)
    assert again.n_iter[0] <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_above_alpha_max_only_intercepts_are_left(kind):
    prob, *_ = problem(kind, "l1")
    path = MultiOutputWorkingSet().path(prob, np.array([1.001, 0.999]) * prob.alpha_max())
    assert not path.coefs[0].any()
    assert path.coefs[1].any()
    np.testing.assert_allclose(path.intercepts[0], prob.null()[1], rtol=0, atol=AGREE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["l1", "group", "l1l2", "l1 weights"])
def test_without_a_penalty_no_slope_is_left(kind, name):
    """α = 0, alone and at the end of a path."""
    prob, *_ = problem(kind, name)
    for alphas in (np.zeros(1), np.array([0.1, 0.01, 0.0])):
        path = MultiOutputWorkingSet().path(prob, alphas)
        assert path.converged[-1]
        slope = prob.gradient(path.coefs[-1].T, path.intercepts[-1])
        assert np.abs(slope).max() <= 1e-5  # about the root of what is left of the objective, 1e-7 at most
        assert path.coefs[-1].all()


def test_classes_that_can_be_told_apart_without_error():
    """The path goes down to an α where the loss is nearly 0."""
    rng = np.random.default_rng(0)
    k = rng.integers(0, 3, 60)
    X = 5.0 * np.eye(3)[k] + 0.1 * rng.standard_normal((60, 3))
    prob = OperatorProblem(as_operator(X), np.eye(3)[k], Multinomial(), L1())
    alphas = prob.alpha_max() * np.geomspace(1, 1e-4, 20)
    path = MultiOutputWorkingSet().path(prob, alphas)
    check_proved(prob, alphas, path, 1e-7)
    assert ((X @ path.coefs[-1].T + path.intercepts[-1]).argmax(axis=1) == k).all()


def test_a_class_with_one_member_and_a_constant_column():
    X, y, _, _ = data("multinomial")
    X[:, 2] = 3.0
    y = np.column_stack([y, np.zeros(50)])
    y[0] = [0.0, 0.0, 0.0, 1.0]
    prob = OperatorProblem(as_operator(X), y, Multinomial(), L1())
    path = MultiOutputWorkingSet().path(prob, alphas_of(prob))
    check_proved(prob, alphas_of(prob), path, 1e-7)
    assert not path.coefs[:, :, 2].any()


def test_more_columns_than_rows():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 300))
    k = X[:, :3].argmax(axis=1)
    for y, datafit in ((np.eye(3)[k], Multinomial()), (X[:, :3] + rng.standard_normal((40, 3)), Squared())):
        for penalty in (L1(), Group(), Group(3)):
            prob = OperatorProblem(as_operator(X), y, datafit, penalty)
            alphas = prob.alpha_max() * np.geomspace(1, 0.05, 10)
            check_proved(prob, alphas, MultiOutputWorkingSet().path(prob, alphas), 1e-7)


def test_running_out_of_rounds_is_told():
    for kind in KINDS:
        prob, *_ = problem(kind, "group")
        assert not MultiOutputWorkingSet(tol=1e-14, max_iter=1).path(prob, np.array([0.01])).converged[0]


def test_what_it_does_not_solve_is_named():
    prob, *_ = problem("logistic", "l1")
    with pytest.raises(InputError, match="Logistic"):
        MultiOutputWorkingSet().path(prob, np.array([0.1]))


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("seed", [9, 13, 15, 18, 24, 32, 34, 43, 72, 81, 90])
def test_few_rows_that_an_unpenalised_column_tells_apart_or_nearly(seed, weighted):
    """Coefficients grow large, and classes are all but absent from most rows."""
    rng = np.random.default_rng(seed)
    n, p = 30, 60
    X = rng.standard_normal((n, p)) * rng.uniform(0.5, 2, p) + rng.standard_normal(p)
    Z = X[:, :4] @ rng.standard_normal((4, 3)) + rng.standard_normal((n, 3))
    s = rng.uniform(0.2, 2.0, n) * (rng.random(n) < 0.9) if weighted else None
    penalty = L1(weights=np.r_[0.0, np.full(p - 2, 1.0), 3.0])
    prob = OperatorProblem(as_operator(X), np.eye(3)[Z.argmax(axis=1)], Multinomial(), penalty, 0.0, s, True)
    alphas = alphas_of(prob, 7, 0.1)
    check_proved(prob, alphas, MultiOutputWorkingSet(tol=1e-9, max_iter=5000).path(prob, alphas), 1e-9)


def test_classes_of_very_different_weight_converge():
    """A row of a class with nearly all weight is nearly certain: 1 − q has no digits left where it is a difference."""
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 3
    X = rng.standard_normal((60, 4)) + 0.5 * labels[:, None]
    s = np.array([1e3, 1e-4, 1e-4])[labels]
    prob = OperatorProblem(as_operator(X), np.eye(3)[labels], Multinomial(), L1(), 1.0, s=s, fit_intercept=True)
    path = MultiOutputWorkingSet().path(prob, prob.alpha_max() * np.geomspace(1, 1e-2, 20))
    assert path.converged.all()


@pytest.mark.parametrize("seed", range(3))
def test_classes_that_unpenalised_columns_separate_are_done_at_the_rounding_of_the_loss(seed):
    """The null model's loss is then 1e-20 or less: a gap of a share of that cannot be reached, nor seen."""
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((30, 24)))
    y = np.eye(3)[X[:, :3].argmax(axis=1)]
    penalty = Group(np.arange(24) // 4, np.r_[0.0, np.ones(5)])
    prob = OperatorProblem(as_operator(X), y, Multinomial(), penalty, 0.0, None, True)
    path = MultiOutputWorkingSet(max_iter=5000).path(prob, prob.alpha_max() * np.geomspace(1, 0.1, 5))
    assert path.converged.all()
    assert path.gaps.max() <= EXACT * np.log(3)
