"""A path in two precisions is the path in double, or none."""

import numpy as np
import pytest

from reference.gram import path_residuals
from tamis import sparse_path
from tamis._kernels import kernels
from tamis.linear import gram
from tamis.penalties import L1, L1L2, Group
from tamis.solvers.certificates import DualityGap
from tamis.solvers.mixed_precision_path import MixedPrecisionPath, PathSegments
from tamis.solvers.paths import SolvedPath
from tamis.stats.single_precision_gram import SinglePrecisionGram
from tolerances import AGREE, ROUNDING

IN_SINGLE = "in single precision"


def regression(seed, n=3300, p=400, rho=0.5, order="C"):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    X = np.asarray(X + rng.standard_normal(p), order=order)
    return X, X[:, ::11] @ rng.choice([-1.0, 1.0], len(range(0, p, 11))) + 3 * rng.standard_normal(n) + 7


def both(X, y, **options):
    return sparse_path(X, y, **options), sparse_path(X, y, solver="gram", **options)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.95])
def test_precisions_agree(rho, order):
    X, y = regression(1, rho=rho, order=order)
    mixed, double = both(X, y, alphas=60, eps=1e-2)
    assert IN_SINGLE in mixed.strategy
    assert IN_SINGLE not in double.strategy
    np.testing.assert_allclose(mixed.alphas, double.alphas, rtol=ROUNDING)
    np.testing.assert_allclose(mixed.coefs, double.coefs, atol=AGREE)
    np.testing.assert_allclose(mixed.intercepts, double.intercepts, atol=AGREE)
    assert ((mixed.coefs != 0) == (double.coefs != 0)).mean() > 0.999


def test_optimal_on_the_rows():
    X, y = regression(2)
    path = sparse_path(X, y, alphas=50)
    assert IN_SINGLE in path.strategy
    R = path_residuals(X, y, path.coefs).astype(float) / len(y)
    alphas = path.alphas[:, None]
    inside = path.coefs != 0
    assert (np.abs(R) <= alphas * (1 + AGREE)).all()
    np.testing.assert_allclose((R / alphas)[inside], np.sign(path.coefs[inside]), atol=AGREE)


def test_gaps_bound_what_the_objective_lacks():
    X, y = regression(3)
    mixed, double = both(X, y, alphas=50)
    fits = [((y[:, None] - X @ p.coefs.T - p.intercepts) ** 2).mean(axis=0) / 2 for p in (mixed, double)]
    lacking = [f + p.alphas * np.abs(p.coefs).sum(axis=1) for f, p in zip(fits, (mixed, double), strict=True)]
    assert (mixed.gaps >= 0).all()
    assert (mixed.gaps <= 1e-7 * y.var() / 2).all()
    assert (lacking[0] - lacking[1] <= mixed.gaps + ROUNDING * y.var()).all()


def test_bitwise_equal_for_any_number_of_threads():
    X, y = regression(4)
    one, three = (sparse_path(X, y, alphas=40, n_jobs=k) for k in (1, 3))
    assert IN_SINGLE in one.strategy
    assert np.array_equal(one.coefs, three.coefs)
    assert np.array_equal(one.gaps, three.gaps)


def test_lines_are_where_no_sign_changes():
    path = SolvedPath.empty(np.array([9.0, 7, 6, 4, 3, 3, 3, 2]), 2)
    path.coefs[:] = [[0, 0], [1, 0], [2, 0], [4, 0], [5, -1], [5, -1], [5, -1], [6, -2]]
    lines = PathSegments.of(path)
    assert lines.ends.tolist() == [0, 1, 3, 4, 7]
    bent = path.coefs.copy()
    bent[[2, 5, 6]] += 3
    lines.straighten(bent)
    np.testing.assert_array_equal(bent, path.coefs)


@pytest.mark.parametrize("alphas", [[3.0], [3.0, 3.0], [3.0, 3.0, 3.0], [3.0, 3.0, 1.0, 1.0]])
def test_lines_of_few_or_equal_alphas(alphas):
    path = SolvedPath.empty(np.array(alphas), 1)
    path.coefs[:] = 2 - np.array(alphas)[:, None] / 3
    expected = path.coefs.copy()
    PathSegments.of(path).straighten(path.coefs)
    np.testing.assert_array_equal(path.coefs, expected)


def test_precisions_agree_on_long_lines():
    X, _ = regression(14)
    y = X[:, ::80] @ [3.0, -2, 1, -3, 2] + np.random.default_rng(0).standard_normal(len(X))
    mixed, double = both(X, y, alphas=100, eps=3e-3)
    solved = SolvedPath.empty(mixed.alphas, X.shape[1])
    solved.coefs[:] = mixed.coefs
    assert len(PathSegments.of(solved).ends) < 60
    assert (mixed.coefs[-1] != 0).sum() > 100  # columns begin to matter within a line
    assert IN_SINGLE in mixed.strategy
    np.testing.assert_allclose(mixed.coefs, double.coefs, atol=AGREE)


def test_exact_from_where_a_column_begins_to_matter_though_within_a_line():
    rng = np.random.default_rng(15)
    X, y = rng.standard_normal((30, 3)), rng.standard_normal(30)
    path = SolvedPath.empty(np.arange(17.0, 0.0, -1.0), 3)
    path.coefs[:, 0] = 18 - path.alphas
    path.coefs[6:, 1] = (-1.0) ** np.arange(11)  # 13 ends: the first of them is computed by itself, twelve together
    lines = PathSegments.of(path)
    assert lines.ends.tolist() == [0, *range(5, 17)]
    begins = np.array([0, 3, 3])
    solver, G = MixedPrecisionPath(1e-7, 10, 1), SinglePrecisionGram.of(X, y)
    c = solver._on_rows(G, X, y, None, path.coefs, np.arange(3), begins, lines)
    expected = path_residuals(X, y, path.coefs).astype(float) / 30
    matters = np.arange(17)[:, None] >= begins
    np.testing.assert_allclose(c[matters], expected[matters], atol=1e3 * ROUNDING)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("apart", [1e-3, 1e-5, 1e-7, 1e-8, 1e-9])
def test_columns_that_differ_by_less_than_float32_sees(apart, seed):
    X, y = regression(seed)
    X[:, 7] = X[:, 30] + apart * X[:, 7]
    mixed, double = both(X, y + seed * (X[:, 7] - X[:, 30]) / apart, alphas=40)
    np.testing.assert_allclose(mixed.coefs, double.coefs, atol=AGREE)


def test_a_support_that_float32_takes_to_depend_on_itself_is_left_to_double():
    X, y = regression(5)
    X[:, 7] = X[:, 30] + 1e-7 * X[:, 7]
    assert IN_SINGLE not in sparse_path(X, y, alphas=40).strategy


def test_copies_of_columns():
    X, y = regression(6)
    X[:, 20] = X[:, 22]
    mixed, double = both(X, y, alphas=40)
    np.testing.assert_allclose(X @ mixed.coefs.T, X @ double.coefs.T, atol=1e3 * AGREE)


def test_rows_in_order_and_far_from_zero():
    X, y = regression(7)
    rows = np.argsort(X[:, 0])
    X, y = X[rows] + 1e4, y[rows]
    X[:, 5] = np.linspace(-1, 1, len(X))
    mixed, double = both(X, y, alphas=40)
    np.testing.assert_allclose(mixed.coefs, double.coefs, atol=AGREE)


@pytest.mark.parametrize("alphas", [[1e9], [1e9, 0.0], [5.0, 0.5]])
def test_any_alphas(alphas):
    X, y = regression(8)
    mixed, double = both(X, y, alphas=alphas)
    np.testing.assert_allclose(mixed.coefs, double.coefs, atol=AGREE)


def test_a_constant_target():
    X, _ = regression(9)
    path = sparse_path(X, np.full(len(X), 0.1), alphas=10)
    np.testing.assert_allclose(path.coefs, 0.0)
    np.testing.assert_allclose(path.intercepts, 0.1)


def weights_of_rows(n):
    weights = np.random.default_rng(17).exponential(size=n)
    weights[::9] = 0
    return weights


FORMS = {
    "no intercept": {"fit_intercept": False},
    "row weights": {"sample_weight": weights_of_rows(3300)},
    "elastic net": {"penalty": L1L2(0.7)},
    "ridge, almost": {"penalty": L1L2(0.05)},
    "positive": {"penalty": L1(positive=True)},
    "column weights": {"penalty": L1(weights=0.5 + np.arange(400) % 3)},
    "standardised": {"standardize": True},
    "all at once": {
        "fit_intercept": False, "sample_weight": weights_of_rows(3300), "standardize": True,
        "penalty": L1L2(0.6, weights=0.5 + np.arange(400) % 3, positive=True),
    },
    "all with intercept": {
        "sample_weight": weights_of_rows(3300), "standardize": True,
        "penalty": L1L2(0.6, weights=0.5 + np.arange(400) % 3),
    },
}  # fmt: skip
every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


@every_form
@pytest.mark.parametrize("order", ["C", "F"])
def test_precisions_agree_in_every_form(form, order):
    X, y = regression(18, order=order)
    X[:, 1::3] += 5  # about zero, five spreads away
    X[:, ::5] *= 3
    mixed, double = both(X, y, alphas=40, eps=4e-3, **form)
    assert IN_SINGLE in mixed.strategy
    assert IN_SINGLE not in double.strategy
    np.testing.assert_allclose(mixed.alphas, double.alphas, rtol=ROUNDING)
    np.testing.assert_allclose(mixed.coefs, double.coefs, atol=AGREE)
    np.testing.assert_allclose(mixed.intercepts, double.intercepts, atol=1e2 * AGREE)  # means are up to twenty
    assert (mixed.coefs[-1] != 0).sum() > 20


@every_form
def test_gaps_are_confirmed_on_the_rows(form):
    X, y = regression(19)
    path = sparse_path(X, y, alphas=30, **form)
    assert IN_SINGLE in path.strategy
    s, intercept = form.get("sample_weight", np.ones(len(y))), form.get("fit_intercept", True)
    scale = np.sqrt(np.average((X - np.average(X, axis=0, weights=s)) ** 2, axis=0, weights=s))
    terms = form.get("penalty", L1()).terms(X.shape[1])
    for k in (0, 10, 20, 29):
        certificate = DualityGap(
            np.inf, 0.0, path.alphas[k], path.coefs[k], path.intercepts[k], intercept, terms,
            scale=scale if "standardize" in form else None, standardized="standardize" in form,
        )  # fmt: skip
        verified = certificate.verify(X, y, form.get("sample_weight")).gap
        null = np.average((y - intercept * np.average(y, weights=s)) ** 2, weights=s) / 2
        assert verified <= path.gaps[k] + ROUNDING * null
        assert path.gaps[k] <= 1e-7 * null


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("far", [10, 100, 1e4, 1e6])
def test_columns_far_from_zero(far, intercept):
    X, y = regression(20)
    X[:, ::7] += far
    mixed, double = both(X, y, alphas=30, fit_intercept=intercept)
    assert (IN_SINGLE in mixed.strategy) == (intercept or far < 16)
    np.testing.assert_allclose(mixed.coefs, double.coefs, atol=AGREE)


def test_rows_without_weight_may_hold_anything():
    X, y = regression(21)
    weights = weights_of_rows(len(y))
    clean = sparse_path(X, y, alphas=20, sample_weight=weights)
    X[weights == 0], y[weights == 0] = 1e30, -1e30
    assert IN_SINGLE in clean.strategy
    assert np.array_equal(sparse_path(X, y, alphas=20, sample_weight=weights).coefs, clean.coefs)


def test_a_weight_of_two_is_a_row_twice():
    X, y = regression(22)
    weights = np.random.default_rng(0).integers(1, 3, len(y))
    once = sparse_path(X, y, alphas=20, sample_weight=weights)
    twice = sparse_path(np.repeat(X, weights, axis=0), np.repeat(y, weights), alphas=20)
    assert IN_SINGLE in once.strategy
    assert IN_SINGLE in twice.strategy
    np.testing.assert_allclose(once.coefs, twice.coefs, atol=AGREE)


@pytest.mark.parametrize(
    "options",
    [
        {"penalty": L1(weights=np.arange(400) % 2)},
        {"penalty": "l2", "alphas": [1.0]},
        {"penalty": Group(40)},
        {"penalty": "adaptive"},
        {"solver": "working_set"},
        {"alphas": 101},
    ],
    ids=["unpenalised", "ridge", "groups", "adaptive", "solver", "many alphas"],
)
def test_only_where_it_was_made_for(options):
    X, y = regression(10)
    assert IN_SINGLE not in sparse_path(X, y, **{"alphas": 20} | options).strategy
    assert IN_SINGLE in sparse_path(X, y, alphas=20).strategy


def test_not_for_few_rows_or_columns():
    X, y = regression(11)
    assert IN_SINGLE not in sparse_path(X[:3199], y[:3199], alphas=20).strategy
    assert IN_SINGLE not in sparse_path(X[:, :399], y, alphas=20).strategy
    assert IN_SINGLE not in sparse_path(X.astype(np.float32), y, alphas=20).strategy


@pytest.mark.parametrize("penalty", [L1(), L1L2(0.7)], ids=["lasso", "elastic net"])
def test_nothing_is_returned_that_is_not_proven(penalty, monkeypatch):
    X, y = regression(12)
    G, terms = SinglePrecisionGram.of(X, y), penalty.terms(X.shape[1])
    alphas = terms.alpha_max(-G.q) * np.geomspace(1, 0.01, 20)
    assert MixedPrecisionPath(1e-7, 1000, 1).path(G, X, y, None, terms, alphas) is not None
    assert MixedPrecisionPath(0.0, 1000, 1).path(G, X, y, None, terms, alphas) is None
    G.G[:] += 1e-3 * np.eye(len(G.q))  # far more than the bound admits
    assert MixedPrecisionPath(1e-7, 1000, 1).path(G, X, y, None, terms, alphas) is None
    monkeypatch.setattr(gram.MixedPrecisionPath, "path", lambda *_: None)
    assert IN_SINGLE not in sparse_path(X, y, alphas=20).strategy


def test_a_missing_value_is_named():
    X, y = regression(13)
    X[5, 3] = np.nan
    with pytest.raises(ValueError, match="x3"):
        sparse_path(X, y, alphas=20)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "m", "n_alphas"), [(1, 1, 1), (97, 12, 12), (1000, 13, 25), (203, 40, 100)])
def test_residual_kernel_equals_twin(n, m, n_alphas, weighted, order):
    rng = np.random.default_rng(n)
    X, y = np.asarray(rng.standard_normal((n, 41)) + 5, order=order), rng.standard_normal(n)
    S = rng.permutation(41)[:m].astype(np.int64)
    begins = np.sort(rng.integers(0, n_alphas, m))
    coefs = np.zeros((n_alphas, 41))
    for j, first in zip(S, begins, strict=True):
        coefs[first:, j] = rng.standard_normal(n_alphas - first)
    out = np.zeros((n_alphas, m))
    weight = rng.exponential(size=n) if weighted else None
    mean, y_mean = np.average(X, axis=0, weights=weight), np.average(y, weights=weight)
    kernels.path_residuals(X, y, y_mean, weight, S, mean[S], begins, coefs, out, 2)
    assert not np.isnan(out[begins <= np.arange(n_alphas)[:, None]]).any()
    assert np.isnan(out[begins > np.arange(n_alphas)[:, None] + 11]).all()  # twelve alphas are computed together
    expected = path_residuals(X, y, coefs, weight).astype(float)[:, S]
    np.testing.assert_allclose(out, np.where(np.isnan(out), np.nan, expected), atol=1e3 * ROUNDING)
