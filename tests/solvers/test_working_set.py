"""Working sets against the certificates, the proximal solver, and storage of every kind."""

import numpy as np
import pytest
import scipy.sparse as sp

from tamis import InputError
from tamis.datafits import Logistic, Squared
from tamis.operators import as_operator
from tamis.penalties import L1, L1L2, L2, Group, SparseGroup
from tamis.solvers import gathered_columns
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.proximal import Fista
from tamis.solvers.working_set import WorkingSet
from tamis.solvers.working_set_state import CorrelationTrend
from tolerances import AGREE

P = 30
GROUPS = np.arange(P) // 5
PENALTIES = {
    "l1": L1(),
    "ridge": L2(),
    "elastic": L1L2(0.5),
    "unpenalised": L1(weights=np.r_[0.0, 0.0, np.ones(P - 2)]),
    "positive": L1(positive=True),
    "group": Group(GROUPS),
    "sparse group": SparseGroup(GROUPS, 0.5),
}


def rows(seed=0, n=80):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, P)) + rng.standard_normal(P)
    y = X[:, :4] @ [1.0, -2.0, 1.0, 3.0] + rng.standard_normal(n)
    weight = rng.uniform(0, 2, n)
    weight[:5] = 0
    return X, y, weight


def problem(X, y, datafit, penalty, weight=None, intercept=True):
    target = y if isinstance(datafit, Squared) else np.where(y > np.median(y), 1.0, -1.0)
    return OperatorProblem(as_operator(X), target, datafit, penalty, 0.0, weight, intercept)


@pytest.fixture(params=["whole columns", "columns in halves"])
def columns(request, monkeypatch):
    """How the columns of a logistic working set are kept: as large tables have them, too."""
    if request.param == "columns in halves":
        monkeypatch.setattr(gathered_columns, "CACHED_BYTES", 0)


def alphas_of(prob, least=0.05, m=6):
    top = prob.alpha_max()
    return (top if np.isfinite(top) else 1.0) * np.geomspace(1, least, m)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("datafit", [Squared(), Logistic()], ids=["squares", "logistic"])
@pytest.mark.parametrize("name", PENALTIES)
def test_every_solution_is_proved(name, datafit, weighted, intercept, columns):
    X, y, weight = rows()
    prob = problem(X, y, datafit, PENALTIES[name], weight if weighted else None, intercept)
    alphas = alphas_of(prob)
    path = WorkingSet(tol=1e-8).path(prob, alphas)
    assert path.converged.all()
    assert path.gaps.max() <= 1e-8 * prob.null()[2]
    solution = WorkingSet(tol=1e-8).solve(prob.at(alphas[-1]))
    # the certificate recomputes what the solver found: the same bound but for rounding of the objective itself
    assert solution.certificate.gap <= (1e-8 + 1e-13) * prob.null()[2]
    value = prob.at(alphas[-1]).value(path.coefs[-1], path.intercepts[-1])
    assert value <= solution.certificate.primal + 1e-8 * prob.null()[2]


@pytest.mark.parametrize("name", ["l1", "elastic", "positive", "sparse group"])
@pytest.mark.parametrize("datafit", [Squared(), Logistic()], ids=["squares", "logistic"])
def test_agrees_with_proximal_steps(datafit, name, columns):
    X, y, _ = rows(1)
    prob = problem(X, y, datafit, PENALTIES[name])
    at = prob.at(0.1 * prob.alpha_max())
    ours, theirs = WorkingSet(tol=1e-10).solve(at), Fista(tol=1e-10, max_iter=100_000).solve(at)
    # both values lie within their gaps of the minimum
    assert abs(ours.certificate.primal - theirs.certificate.primal) <= 2e-10 * prob.null()[2]
    # half the curvature of squares here exceeds 0.05, so coefficients differ by √(gap/0.05) at most
    scale = prob.null()[2] ** 0.5
    np.testing.assert_allclose(ours.w, theirs.w, rtol=0, atol=np.sqrt(2e-10 / 0.005) * scale)


@pytest.mark.parametrize("datafit", [Squared(), Logistic()], ids=["squares", "logistic"])
def test_storage_does_not_matter(datafit, columns):
    X, y, _ = rows(2)
    X = X * (np.random.default_rng(0).random(X.shape) < 0.3)
    alphas = alphas_of(problem(X, y, datafit, L1()))
    first = WorkingSet(tol=1e-12).path(problem(X, y, datafit, L1()), alphas)
    for other in (np.asfortranarray(X), sp.csc_array(X), sp.csr_array(X)):
        path = WorkingSet(tol=1e-12).path(problem(other, y, datafit, L1()), alphas)
        tolerance = AGREE if isinstance(datafit, Squared) else 1e-5  # √tol: logistic is not finished exactly
        np.testing.assert_allclose(path.coefs, first.coefs, rtol=0, atol=tolerance)
    single = WorkingSet(tol=1e-4).path(problem(X.astype(np.float32), y, datafit, L1()), alphas)
    assert single.converged.all()


@pytest.mark.parametrize("datafit", [Squared(), Logistic()], ids=["squares", "logistic"])
def test_a_start_is_taken_up(datafit, columns):
    X, y, _ = rows(3)
    prob = problem(X, y, datafit, L1())
    at = prob.at(0.05 * prob.alpha_max())
    cold = WorkingSet(tol=1e-9).solve(at)
    warm = WorkingSet(tol=1e-9).solve(at, start=cold.w)
    assert warm.n_iter < cold.n_iter
    assert warm.certificate.gap <= 1e-9 * prob.null()[2]


@pytest.mark.parametrize("tol", [1e-6, 1e-12])
def test_halves_of_columns_find_what_whole_ones_do(tol, monkeypatch):
    """Rows far from 0, a column twice and one that nearly is, on paths with few and with many digits."""
    rng = np.random.default_rng(6)
    X = rng.standard_normal((400, 60)) + 1e3 * rng.standard_normal(60)
    X[:, 7], X[:, 9] = X[:, 3], X[:, 4] + 1e-5 * rng.standard_normal(400)
    y = X[:, :5] @ [1.0, -1.0, 0.5, 2.0, -2.0] - 1e3
    y = y - np.median(y) + rng.standard_normal(400)
    prob = problem(X, y, Logistic(), L1())
    alphas = alphas_of(prob, 1e-2, 15)
    whole = WorkingSet(tol=tol).path(prob, alphas)
    monkeypatch.setattr(gathered_columns, "CACHED_BYTES", 0)
    halves = WorkingSet(tol=tol).path(prob, alphas)
    assert isinstance(gathered_columns.gather_columns(prob.A, np.zeros(60), 1, True), gathered_columns.HalvedColumns)
    assert halves.converged.all()
    ours, theirs = (
        np.array([prob.at(a).value(w, b) for a, w, b in zip(alphas, path.coefs, path.intercepts, strict=True)])
        for path in (halves, whole)
    )
    assert np.abs(ours - theirs).max() <= tol * prob.null()[2]
    assert (ours - halves.gaps <= theirs + 1e-13).all()  # the gap that was told holds for the rows as they are


def test_wide_duplicated_constant_and_empty():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((15, 60))
    X[:, 7], X[:, 8] = X[:, 3], 2.0
    prob = problem(X, X[:, 3] + 0.1 * rng.standard_normal(15), Squared(), L1())
    alphas = alphas_of(prob, 1e-3, 20)
    path = WorkingSet().path(prob, alphas)
    for alpha, w, b in zip(alphas, path.coefs, path.intercepts, strict=True):
        assert prob.at(alpha).gap(w, b).gap <= (1e-7 + 1e-13) * prob.null()[2]
    assert not path.coefs[:, 8].any()
    zero = WorkingSet().path(problem(X, np.zeros(15), Squared(), L1()), np.array([1.0, 0.1]))
    assert not zero.coefs.any()


def test_rounds_that_run_out_are_told():
    X, y, _ = rows(5)
    prob = problem(X, y, Logistic(), L1())
    path = WorkingSet(tol=1e-12, max_iter=1).path(prob, alphas_of(prob, 0.01, 2))
    assert not path.converged[-1]
    assert path.gaps[-1] > 0


def test_own_penalties_are_sent_to_the_proximal_solver():
    class Own:
        def value(self, w, alpha):
            return alpha * float(np.abs(w).sum())

    X, y, _ = rows(6)
    with pytest.raises(InputError, match=r"WorkingSet needs a CompiledPenalty, which none of .*, Own is"):
        WorkingSet().path(OperatorProblem(as_operator(X), y, Squared(), Own()), np.array([0.1]))


def test_the_trend_carries_straight_lines_on():
    a, b = np.array([1.0, -2.0]), np.array([0.5, 3.0])
    trend = CorrelationTrend(a + 5 * b, 5.0)
    trend.update((a + np.array([[4.0], [3.0]]) * b), np.array([4.0, 3.0]))
    np.testing.assert_allclose(trend.at(1.0), a + b, rtol=1e-15)


@pytest.mark.parametrize("datafit", [Squared(), Logistic()], ids=str)
def test_single_precision_costs_no_more_than_its_own_rounding(datafit):
    X, y, _ = rows(3, n=4_000)  # so many that sums in single precision would show
    X = X.astype(np.float32)
    double = problem(X.astype(np.float64), y, datafit, L1())
    alphas = double.alpha_max() * np.geomspace(1, 0.01, 10)
    found = WorkingSet(tol=1e-7).path(problem(X, y, datafit, L1()), alphas)
    best = WorkingSet(tol=1e-10).path(double, alphas)
    assert found.converged.all()
    for k, alpha in enumerate(alphas):
        at = double.at(alpha)
        above = at.value(found.coefs[k], found.intercepts[k]) - at.value(best.coefs[k], best.intercepts[k])
        assert above <= 1e-7 * double.null()[2]


@pytest.mark.parametrize("name", ["l1", "group", "sparse group"])
def test_a_seed_draws_the_order_of_what_is_visited(name):
    X, y, _ = rows(8)
    prob = problem(X, y, Squared(), PENALTIES[name])
    alphas = alphas_of(prob, 0.02, 3)
    rough = [WorkingSet(max_iter=1, seed=seed, tol=1e-15).path(prob, alphas).coefs for seed in (0, 0, 1)]
    np.testing.assert_array_equal(rough[0], rough[1])
    assert not np.array_equal(rough[0], rough[2])
    exact = [WorkingSet(tol=1e-12, seed=seed).path(prob, alphas).coefs for seed in (-1, 5)]
    np.testing.assert_allclose(exact[1], exact[0], rtol=0, atol=1e-5)  # of groups w is known to √gap
