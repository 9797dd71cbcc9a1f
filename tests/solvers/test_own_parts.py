"""A datafit or penalty of the user's own with a conjugate earns its duality gap; without, the fit has none."""

import numpy as np
import pytest

from penalties.nonconvex import MCP
from solvers.own_parts import CappedL1, LogCosh, LogCoshWithoutCurvature, NewtonLogCosh, OwnL1, Poisson
from tamis import InputError
from tamis.datafits import Logistic, Multinomial, Squared
from tamis.operators import as_operator
from tamis.penalties import L1, L1L2, Group
from tamis.solvers.gram_block_descent import GramBlockDescent
from tamis.solvers.gram_descent import GramDescent
from tamis.solvers.gram_problem import GramProblem
from tamis.solvers.multi_output_working_set import MultiOutputWorkingSet
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.proximal import Fista, ProximalGradient
from tamis.solvers.working_set import WorkingSet
from tamis.testing import check_datafit, check_penalty
from tolerances import ROUNDING


def table(seed=0, n=60, p=6):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    y = X @ np.array([1.5, -1.0, 0.5, 0.0, 0.0, 0.0]) + 0.5 + rng.standard_normal(n)
    return X, y, rng.uniform(0.5, 2.0, n)


def target(datafit, y):
    if isinstance(datafit, Logistic):
        return np.where(y > 0, 1.0, -1.0)
    return np.round(np.exp(0.3 * y)) if isinstance(datafit, Poisson) else y


def own_problem(datafit, penalty, alpha=0.1, fit_intercept=True):
    X, y, s = table()
    return OperatorProblem(as_operator(X), target(datafit, y), datafit, penalty, alpha, s, fit_intercept), X


PAIRS = [
    (LogCosh(), L1()),
    (LogCosh(), L1L2()),
    (LogCosh(), Group([0, 0, 1, 1, 2, 2])),
    (LogCosh(), CappedL1(0.5)),
    (LogCoshWithoutCurvature(), L1()),
    (LogCoshWithoutCurvature(), OwnL1()),
    (Poisson(), L1()),
    (Poisson(), CappedL1(0.1)),
    (Squared(), CappedL1(0.5)),
    (Squared(), OwnL1()),
    (Logistic(), OwnL1()),
    (Logistic(), CappedL1(0.3)),
]


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("datafit, penalty", PAIRS, ids=str)
def test_a_conjugate_earns_a_gap_that_bounds_the_distance_to_the_minimum(datafit, penalty, fit_intercept):
    prob, _ = own_problem(datafit, penalty, fit_intercept=fit_intercept)
    found = Fista(tol=1e-10, max_iter=20_000).solve(prob)
    assert found.status == "converged"
    assert 0 <= found.certificate.gap <= 1e-10 * prob.null_value()
    best = prob.value(found.w, found.intercept)
    rng = np.random.default_rng(1)
    for scale in (1e-3, 0.1, 1.0):
        w, b = penalty.prox(found.w + scale * rng.standard_normal(6), 1e-3, 0.1), found.intercept
        above = prob.value(w, b) - best
        assert prob.gap(w, b).gap >= above - ROUNDING * (1 + abs(best))


@pytest.mark.parametrize("datafit, penalty", PAIRS, ids=str)
def test_the_certificate_of_own_parts_is_verified_on_the_rows(datafit, penalty):
    prob, X = own_problem(datafit, penalty)
    found = Fista(tol=1e-8, max_iter=20_000).solve(prob)
    again = found.certificate.verify(X, prob.y, prob.s)
    assert again.primal == pytest.approx(found.certificate.primal, rel=ROUNDING)
    assert again.dual == pytest.approx(found.certificate.dual, rel=1e-8, abs=1e-10)  # projections, two ways
    far = prob.gap(0.2 * found.w, found.intercept)
    assert far.verify(X, prob.y, prob.s).gap == pytest.approx(far.gap, rel=1e-6)


def test_own_penalties_have_the_gap_of_the_built_in_ones():
    own, _ = own_problem(Squared(), OwnL1())
    built_in, _ = own_problem(Squared(), L1())
    rng = np.random.default_rng(0)
    for _ in range(20):
        w, b = rng.standard_normal(6), float(rng.standard_normal())
        assert own.gap(w, b).gap == pytest.approx(built_in.gap(w, b).gap, rel=1e-9)


def test_a_gap_on_statistics_is_that_on_rows_for_a_penalty_of_ones_own():
    X, y, _ = table()
    X, y = X - X.mean(axis=0), y - y.mean()
    n = len(y)
    for penalty in (OwnL1(), CappedL1(0.5)):
        rows = OperatorProblem(as_operator(X), y, Squared(), penalty, 0.1, None, False)
        gram = GramProblem(X.T @ X / n, X.T @ y / n, float(y @ y) / n, n, penalty, 0.1)
        w = np.array([0.4, -0.3, 0.1, 0.0, 0.0, 0.0])
        assert gram.gap(w).gap == pytest.approx(rows.gap(w).gap, rel=1e-9)


class OwnSquares(Squared):
    """Least squares by declaration, not by being the built-in class."""


@pytest.mark.parametrize("datafit", [OwnSquares(), NewtonLogCosh()], ids=str)
def test_working_sets_run_on_what_declares_their_needs(datafit):
    prob, _ = own_problem(datafit, L1(), 0.05)
    ours, theirs = WorkingSet(tol=1e-12).solve(prob), Fista(tol=1e-12, max_iter=20_000).solve(prob)
    assert ours.status == "converged"
    assert ours.certificate.gap <= 1e-11 * prob.null_value()
    np.testing.assert_allclose(ours.w, theirs.w, atol=1e-5)  # the root of the gap
    assert ours.intercept == pytest.approx(theirs.intercept, abs=1e-5)


def test_the_datafits_and_penalties_of_these_tests_keep_the_laws():
    y = table()[1][:8]
    for datafit in (LogCosh(), LogCoshWithoutCurvature(), NewtonLogCosh()):
        check_datafit(datafit, y)
    check_datafit(Poisson(), target(Poisson(), y))
    for penalty in (CappedL1(0.7), OwnL1()):
        check_penalty(penalty)


def test_a_wrong_conjugate_is_found():
    class Slip(CappedL1):
        def conjugate(self, c, alpha):
            return 0.9 * super().conjugate(c, alpha)

    with pytest.raises(AssertionError, match="misses"):
        check_penalty(Slip(0.3))


def statistics(penalty):
    X, y, _ = table()
    n = len(y)
    return GramProblem(X.T @ X / n, X.T @ y / n, float(y @ y) / n, n, penalty, 0.1)


def several(datafit, penalty):
    X, y, _ = table()
    Y = np.eye(3)[np.arange(len(y)) % 3] if isinstance(datafit, Multinomial) else np.column_stack([y, -y])
    return OperatorProblem(as_operator(X), Y, datafit, penalty, 0.1)


@pytest.mark.parametrize(
    "solver, problem, words",
    [
        (GramDescent(), lambda: statistics(OwnL1()), "GramDescent needs a CompiledPenalty, .* GramProblem, OwnL1"),
        (GramDescent(), lambda: own_problem(Squared(), L1())[0], "GramDescent needs a GramProblem, .* Squared, L1"),
        (GramDescent(), lambda: statistics(Group()), r"GramDescent takes no groups, got Group\(\)"),
        (
            GramBlockDescent(),
            lambda: statistics(MCP()),
            "GramBlockDescent needs a CompiledPenalty, .* MCP",
        ),
        (GramBlockDescent(), lambda: own_problem(Squared(), L1())[0], "GramBlockDescent needs a GramProblem"),
        (WorkingSet(), lambda: statistics(L1()), "WorkingSet needs an OperatorProblem, .* GramProblem, L1"),
        (WorkingSet(), lambda: own_problem(Squared(), MCP())[0], "WorkingSet needs a CompiledPenalty, .* MCP"),
        (WorkingSet(), lambda: own_problem(LogCosh(), L1())[0], "WorkingSet needs a HasNull, .* LogCosh, L1"),
        (WorkingSet(), lambda: own_problem(Poisson(), L1())[0], "WorkingSet needs a HasCurvature, .* Poisson"),
        (WorkingSet(), lambda: several(Squared(), L1()), "WorkingSet takes a y of one dimension"),
        (
            MultiOutputWorkingSet(),
            lambda: several(Squared(), OwnL1()),
            "needs a CompiledPenalty, .* OwnL1",
        ),
        (
            MultiOutputWorkingSet(),
            lambda: several(Logistic(), L1()),
            "needs a LeastSquares or Multinomial",
        ),
        (
            MultiOutputWorkingSet(),
            lambda: own_problem(Squared(), L1())[0],
            "takes a y of two dimensions",
        ),
        (Fista(), lambda: statistics(L1()), "Fista needs an OperatorProblem"),
        (ProximalGradient(), lambda: own_problem(Squared(), {})[0], "ProximalGradient needs a Penalty, .* dict"),
    ],
    ids=lambda value: "" if callable(value) else str(value),
)
def test_what_a_solver_cannot_solve_is_named_with_it(solver, problem, words):
    with pytest.raises(InputError, match=words):
        solver.path(problem(), np.array([0.1]))


def test_no_gap_is_asked_of_what_has_no_conjugate():
    with pytest.raises(InputError, match=r"no duality gap is known for MCP\(\): give it a method conjugate"):
        own_problem(Squared(), MCP())[0].gap(np.zeros(6))
