"""Duality gaps: they bound, they close at the optimum, and the rows say the same as the problem."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from solvers.models import DATAFITS, PENALTIES, classes, data, problem
from tamis import InputError
from tamis.operators import as_operator
from tamis.penalties import L1
from tamis.solvers.gram_problem import GramProblem
from tamis.solvers.proximal import Fista
from tolerances import EPS, ROUNDING

CASES = [(kind, penalty) for kind in DATAFITS for penalty in PENALTIES]
# Every pair with and without (an intercept, weights); in every run with one of the two, in turns.
TURNS = [
    pytest.param(kind, penalty, flag, marks=[] if (i // len(PENALTIES) + i) % 2 == flag else pytest.mark.deep)
    for i, (kind, penalty) in enumerate(CASES)
    for flag in (True, False)
]


def alphas_of(prob):
    most = prob.alpha_max()
    return (0.0, 0.02, 0.3) if np.isinf(most) else (0.0, 0.02 * most, 0.3 * most, 1.01 * most)


def random_point(prob, rng, positive):
    w, b = prob.zero()
    w = rng.standard_normal(w.shape) * rng.integers(0, 2, w.shape)
    return np.abs(w) if positive else w, b + rng.standard_normal(np.shape(b)) * prob.fit_intercept


@pytest.mark.parametrize("kind, penalty, fit_intercept", TURNS)
def test_the_gap_closes_at_the_optimum(kind, penalty, fit_intercept):
    prob, X, y, s = problem(kind, penalty, fit_intercept=fit_intercept)
    for alpha in alphas_of(prob):
        solution = Fista(tol=1e-9, max_iter=20_000).solve(prob.at(alpha))
        assert solution.status == "converged", (alpha, solution.diagnostics["gap"])
        certificate = replace(solution.certificate, classes=classes(kind))
        again = certificate.verify(X, y, s)
        assert again.primal == pytest.approx(certificate.primal, rel=ROUNDING)
        assert again.gap <= 1.1e-9 * prob.null_value() + ROUNDING


@pytest.mark.parametrize("kind, penalty, weighted", TURNS)
def test_the_gap_bounds_and_the_rows_agree(kind, penalty, weighted):
    prob, X, y, s = problem(kind, penalty, seed=1, weighted=weighted)
    rng = np.random.default_rng(2)
    for alpha in alphas_of(prob):
        at = prob.at(alpha)
        best = Fista(tol=1e-6).solve(at)
        least = at.value(best.w, best.intercept)  # no less than the minimum, which is what a bound must not exceed
        near = best.w * 1.01, best.intercept
        for w, b in [at.null()[:2], near, *(random_point(at, rng, "positive" in penalty) for _ in range(4))]:
            certificate = at.gap(w, b)
            assert certificate.primal == pytest.approx(at.value(w, b), rel=ROUNDING)
            assert certificate.dual <= least * (1 + ROUNDING) + ROUNDING
            again = replace(certificate, classes=classes(kind)).verify(X, y, s)
            assert again.primal == pytest.approx(certificate.primal, rel=ROUNDING)
            assert again.dual == pytest.approx(certificate.dual, rel=1e-6, abs=1e-8)  # projections, two ways


@pytest.mark.parametrize("penalty", PENALTIES)
def test_statistics_give_the_gap_of_the_rows(penalty):
    prob, X, y, s = problem("squared", penalty, seed=3)
    share = s / s.sum()
    Xc, yc = X - share @ X, y - share @ y
    gram = GramProblem(
        Xc.T @ (share[:, None] * Xc), Xc.T @ (share * yc), float(share @ yc**2), s.sum(), prob.penalty, 0.0
    )
    assert gram.alpha_max() == pytest.approx(prob.alpha_max(), rel=1e-9)
    np.testing.assert_allclose(gram.null()[0], prob.null()[0], atol=1e-9)
    rng = np.random.default_rng(4)
    for alpha in alphas_of(prob):
        for _ in range(4):
            w, _ = random_point(prob, rng, "positive" in penalty)
            b = share @ (y - X @ w)
            ours, theirs = gram.at(alpha).gap(w), prob.at(alpha).gap(w, b)
            assert ours.primal == pytest.approx(theirs.primal, rel=1e-10)
            assert ours.dual == pytest.approx(theirs.dual, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("apart", [1e-8, 1e-9, 1e-10])
def test_statistics_prove_nothing_along_directions_they_do_not_resolve(apart):
    """Two unpenalised columns whose difference explains y: G of them is singular to working precision."""
    rng = np.random.default_rng(0)
    x, d, other = rng.standard_normal((3, 50))
    X = np.column_stack([x, x + apart * d, other])
    X, y = X - X.mean(axis=0), d - d.mean()
    G, q, yy = X.T @ X / 50, X.T @ y / 50, float(y @ y / 50)
    prob = GramProblem(G, q, yy, 50.0, L1([0.0, 0.0, 1.0]), 0.1)
    w = prob.null()[0]
    fall = prob.value(w) - 0.1 * abs(w[2])  # to 0: y is a combination of the two columns
    assert prob.gap(w).gap >= fall * (1 - 1e-6)


def test_statistics_of_copied_unpenalised_columns_are_proved():
    """A copy spans nothing new: the bounds are those without it."""
    prob, X, y, _ = problem("squared", "l1 weights", seed=3)
    X, y, weights = X - X.mean(axis=0), y - y.mean(), PENALTIES["l1 weights"].weights

    def gram(X, weights):
        return GramProblem(X.T @ X / 50, X.T @ y / 50, float(y @ y / 50), 50.0, L1(weights), 0.1)

    once, twice = gram(X, weights), gram(np.column_stack([X, X[:, 1]]), [*weights, 0.0])
    w = prob.zero()[0]
    for alpha in (0.1, 0.0):
        ours, theirs = twice.at(alpha).gap(np.append(w, 0.0)), once.at(alpha).gap(w)
        assert ours.dual == pytest.approx(theirs.dual, rel=1e-9)
        assert theirs.dual > 0


def test_statistics_of_several_outputs():
    prob, X, y, s = problem("squares", "rows", seed=3)
    share = s / s.sum()
    Xc, yc = X - share @ X, y - share @ y
    G, q = Xc.T @ (share[:, None] * Xc), Xc.T @ (share[:, None] * yc)
    gram = GramProblem(G, q, float((share[:, None] * yc**2).sum()), s.sum(), prob.penalty, 0.1)
    w = random_point(prob, np.random.default_rng(0), False)[0]
    ours, theirs = gram.gap(w), prob.at(0.1).gap(w, share @ (y - X @ w))
    assert ours.primal == pytest.approx(theirs.primal, rel=1e-10)
    assert ours.dual == pytest.approx(theirs.dual, rel=1e-9)
    assert ours.w.shape == (3, 6)


def test_alpha_zero_with_more_columns_than_rows_has_the_bound_zero():
    prob, X, y, _ = problem("squared", "l1", n=5, p=6, weighted=False)
    w = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean())[0]
    certificate = prob.gap(w, float(np.mean(y - X @ w)))
    assert certificate.gap <= 1e-20
    assert certificate.verify(X, y).gap <= 1e-20


def test_separable_classes_have_a_bound_too():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    y = np.array([-1.0, -1.0, 1.0, 1.0])
    from tamis.datafits import Logistic
    from tamis.operators import as_operator
    from tamis.solvers.problem import OperatorProblem

    for alpha in (0.0, 1e-3):
        prob = OperatorProblem(as_operator(X), y, Logistic(), L1(), alpha)
        for w in (0.0, 10.0, 800.0):
            certificate = replace(prob.gap(np.array([w]), 0.0), classes=np.array([-1, 1]))
            assert 0 <= certificate.gap < np.inf
            assert certificate.verify(X, y).gap == pytest.approx(certificate.gap, rel=1e-9, abs=1e-12)


def test_verification_takes_what_sources_take(tmp_path):
    import pandas as pd

    prob, X, y, s = problem("logistic", "l1")
    solution = Fista().solve(prob.at(0.1 * prob.alpha_max()))
    certificate = replace(solution.certificate, classes=classes("logistic"))
    gap = certificate.verify(X, y, s).gap
    table = pd.DataFrame(X, columns=list("abcdef")).assign(target=y)
    table.to_csv(tmp_path / "rows.csv", index=False)
    for rows, target in ((table, "target"), (tmp_path / "rows.csv", "target"), (sp.csr_array(X), list(y))):
        assert certificate.verify(rows, target, s).gap == pytest.approx(gap, abs=ROUNDING)
    numbers = replace(solution.certificate, classes=np.array([3, 7]))
    assert numbers.verify(X, np.where(y == "yes", 7, 3), s).gap == pytest.approx(gap, abs=ROUNDING)


def test_class_weights_count_in_verification():
    prob, X, y, s = problem("multinomial", "l1", seed=5)
    weight = np.array([1.0, 0.5, 3.0])
    weighted = replace(prob, s=s * weight[prob.y.argmax(axis=1)])
    solution = Fista().solve(weighted.at(0.1 * weighted.alpha_max()))
    certificate = replace(solution.certificate, classes=classes("multinomial"))
    right = replace(certificate, class_weight=weight).verify(X, y, s)
    assert right.primal == pytest.approx(solution.certificate.primal, rel=ROUNDING)
    assert certificate.verify(X, y, s).primal != pytest.approx(solution.certificate.primal, rel=1e-3)


def test_scaled_columns():
    """αΩ(scale ∘ w): a model of standardised columns, told in the columns as given."""
    prob, X, y, s = problem("squared", "sparse group", seed=6)
    scale = np.linspace(0.5, 3.0, 6)
    standard = replace(prob, A=type(prob.A)(X / scale))
    solution = Fista(tol=1e-9).solve(standard.at(0.1 * standard.alpha_max()))
    certificate = replace(solution.certificate, w=solution.w / scale, scale=scale)
    again = certificate.verify(X, y, s)
    assert again.primal == pytest.approx(certificate.primal, rel=ROUNDING)
    assert again.gap <= 1e-8 * prob.null()[2]
    assert replace(certificate, scale=None).verify(X, y, s).gap > 1e-4 * prob.null()[2]


def test_labels_the_model_never_saw_are_refused():
    prob, X, y, s = problem("logistic", "l1")
    certificate = replace(prob.at(0.1).gap(*prob.zero()), classes=classes("logistic"))
    with pytest.raises(InputError, match="'maybe'"):
        certificate.verify(X, np.where(np.arange(len(y)) == 3, "maybe", y), s)


def test_coefficients_that_are_no_numbers_prove_nothing():
    X, y, _, s = data("squared")
    prob, *_ = problem("squared", "l1", alpha=0.1)
    w, b = prob.zero()
    w[0] = np.nan
    certificate = prob.gap(w, b)
    assert not certificate.gap <= 1e300
    assert not certificate.verify(X, y, s).gap <= 1e300


@pytest.mark.parametrize("kind", DATAFITS)
@pytest.mark.parametrize("mean, spread", [(1e9, 1.0), (0.0, 1e-8), (0.0, 1e8), (1e3, 1e-6)])
def test_unpenalised_columns_of_any_mean_and_spread_are_projected_off(kind, mean, spread):
    """A shifted or scaled unpenalised column spans the same models with the intercept: bounds are what they were."""
    X, _, given, s = data(kind, seed=7)
    prob, *_ = problem(kind, "l1 weights", seed=7)
    moved = X.copy()
    moved[:, 1] = mean + spread * X[:, 1]
    same = (moved[:, 1] - mean) / spread  # what rounding left of it
    plain = X.copy()
    plain[:, 1] = same
    at, far = (replace(prob, A=as_operator(x)).at(0.1) for x in (plain, moved))
    w, b = at.zero()
    w[0] = 0.3
    for step in (0.0, 0.5):
        w[1] = step
        w_far, b_far = w.copy(), b - step * mean / spread
        w_far[1] = w[1] / spread
        ours, theirs = at.gap(w, b), far.gap(w_far, b_far)
        again = replace(theirs, classes=classes(kind)).verify(moved, given, s)
        resolved = 64 * EPS * (mean / spread + 1)  # of a prediction x w + b whose terms cancel
        for found in (theirs, again):
            assert found.dual == pytest.approx(ours.dual, rel=1e-6 + 100 * resolved)


def test_a_wrong_coefficient_is_found_out():
    X, y, _, s = data("squared")
    prob, *_ = problem("squared", "l1")
    solution = Fista().solve(prob.at(0.1 * prob.alpha_max()))
    wrong = replace(solution.certificate, w=solution.w + 0.1)
    assert wrong.gap < 1e-6
    assert wrong.verify(X, y, s).gap > 1e-3


@pytest.mark.parametrize("seed", [0, 1, 122])
def test_statistics_prove_no_more_than_their_digits(seed):
    """Without an intercept means of 10⁶ times the spread leave ½‖y − Xw‖²/n few of its digits."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((50, 3)) + 1e6
    y = X @ [1.0, -1.0, 0.5] + rng.standard_normal(50) * 10.0 ** rng.integers(-4, 1)
    problem = GramProblem(X.T @ X / 50, X.T @ y / 50, y @ y / 50, 50, L1(weights=[0.0, 0.0, 1.0]), 1e-3)
    best = np.linalg.lstsq(X, y)[0]

    def value(w):
        return 0.5 * np.mean((y - X @ w) ** 2) + 1e-3 * abs(w[2])

    for off in (1e-2, 1e-3, 1e-4):
        w = best + np.array([off, -off, 0.0])
        assert problem.gap(w).gap >= value(w) - value(best) > 0
