"""The exact path: optimal at every kink and between, equal to other solvers, and unharmed by ties and copies."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import lars_path_gram

from reference.lars import lars
from reference.lasso import lasso
from tamis import InputError
from tamis.penalties import L1
from tamis.solvers.gram_descent import GramDescent
from tamis.solvers.gram_problem import GramProblem
from tamis.solvers.lars import lars_path
from tolerances import AGREE


def statistics(seed, n=80, p=12, rho=0.6, copies=()):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    for to, of in copies:
        X[:, to] = X[:, of]
    y = X[:, :3] @ [2.0, -1.0, 0.5] + rng.standard_normal(n)
    X, y = X - X.mean(axis=0), y - y.mean()
    return X.T @ X / n, X.T @ y / n, float(y @ y / n)


def kkt(G, q, alpha, w, v=None, positive=False):
    """How far q − Gw lies from α ∂Ω(w), at worst."""
    v = np.ones(len(q)) if v is None else v
    c = q - G @ w
    at_zero = np.maximum((c if positive else np.abs(c)) - alpha * v, 0)
    wrong_side = positive * np.maximum(-w, 0)
    return float(np.maximum(np.where(w != 0, np.abs(c - alpha * v * np.sign(w)), at_zero), wrong_side).max())


def check_optimal(path, G, q, v=None, positive=False):
    between = (path.alphas[1:] + path.alphas[:-1]) / 2
    scale = np.abs(q).max()
    for alpha in np.concatenate([path.alphas, between, [1.5 * path.alphas[0] + 1]]):
        # a solve with G_AA loses its condition number, below 10⁴ here, in rounding
        assert kkt(G, q, alpha, path.coef_at(alpha), v, positive) <= 1e-11 * scale
    assert path.violations.max() <= 1e-11 * scale
    assert (np.diff(path.alphas) < 0).all()


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 99),
    shape=st.sampled_from([(80, 1), (80, 12), (40, 30), (30, 60)]),
    rho=st.sampled_from([0.0, 0.6, 0.95]),
    weighted=st.booleans(),
    positive=st.booleans(),
)
def test_optimal_at_every_kink_and_between(seed, shape, rho, weighted, positive):
    n, p = shape
    G, q, _ = statistics(seed, n, max(p, 3), rho)
    G, q = G[:p, :p], q[:p]
    v = np.random.default_rng(seed).uniform(0.2, 5, p) if weighted else None
    path = lars_path(G, q, weights=v, positive=positive)
    assert path.status == "converged"
    assert path.alphas[-1] == 0
    check_optimal(path, G, q, v, positive)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 99), rho=st.sampled_from([0.0, 0.6, 0.95]))
def test_kernel_equals_segments_solved_anew(seed, rho):
    G, q, _ = statistics(seed, rho=rho)
    path = lars_path(G, q)
    alphas, coefs = lars(G, q)
    np.testing.assert_allclose(path.alphas, alphas, rtol=0, atol=AGREE * alphas[0])
    np.testing.assert_allclose(path.coefs, coefs, rtol=0, atol=AGREE)


@pytest.mark.parametrize("shape", [(200, 40), (50, 120)])
@pytest.mark.parametrize("rho", [0.0, 0.9])
def test_equals_descent_at_given_alphas(shape, rho):
    G, q, yy = statistics(0, *shape, rho)
    alphas = np.abs(q).max() * np.geomspace(1, 1e-3, 40)
    path = lars_path(G, q, alpha_min=alphas[-1])
    found = GramDescent(tol=1e-14).path(GramProblem(G, q, yy, shape[0], L1(), 0.0), alphas)
    for alpha, w in zip(alphas, found.coefs, strict=True):
        np.testing.assert_allclose(path.coef_at(alpha), w, rtol=0, atol=AGREE)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scikit_learn(seed, positive):
    n = 80
    G, q, _ = statistics(seed, n)
    path = lars_path(G, q, positive=positive)
    alphas, _, coefs = lars_path_gram(n * q, n * G, n_samples=n, method="lasso", positive=positive)
    np.testing.assert_allclose(path.alphas, alphas, rtol=0, atol=AGREE * alphas[0])
    most = -1 if positive else None  # at α = 0 its coefficients are not the minimiser with w ≥ 0, as it documents
    np.testing.assert_allclose(path.coefs[:most], coefs.T[:most], rtol=0, atol=AGREE)


@given(
    q=st.lists(st.floats(-5, 5).map(lambda x: round(x, 3)), min_size=1, max_size=8),
    g=st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=8, max_size=8),
    positive=st.booleans(),
)
def test_orthogonal_designs_are_soft_thresholded(q, g, positive):
    """wⱼ = sign(qⱼ)(|qⱼ| − α)₊ / Gⱼⱼ, ties and zeros included; with w ≥ 0, (qⱼ − α)₊ / Gⱼⱼ."""
    q, g = np.array(q), np.array(g[: len(q)])
    path = lars_path(np.diag(g), q, positive=positive)
    for alpha in (0.0, 0.3, 1.0, *path.alphas):
        shrunk = np.maximum(q - alpha, 0) if positive else np.sign(q) * np.maximum(np.abs(q) - alpha, 0)
        np.testing.assert_allclose(path.coef_at(alpha), shrunk / g, rtol=0, atol=1e-14)


@pytest.mark.parametrize("seed", range(8))
def test_features_that_tie_exactly_enter_together(seed):
    """Whole numbers of a small range: many events at once, some of which undo each other."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (12, 8)).astype(float)
    y = rng.integers(-2, 3, 12).astype(float)
    G, q = X.T @ X / 12, X.T @ y / 12
    path = lars_path(G, q)
    assert path.status == "converged"
    check_optimal(path, G, q)


def test_ties_by_symmetry():
    """Equal pairwise correlations and equal q: all features share one segment."""
    p = 6
    G, q = np.full((p, p), 0.5) + 0.5 * np.eye(p), np.ones(p)
    path = lars_path(G, q)
    assert path.alphas.tolist() == [1.0, 0.0]
    np.testing.assert_allclose(path.coefs[-1], np.full(p, 2 / (p + 1)), rtol=1e-14)
    assert [e.feature for e in path.events] == list(range(p))


@pytest.mark.parametrize("seed", range(3))
def test_copies_opposites_and_constants_never_enter(seed):
    G, q, _ = statistics(seed, copies=[(5, 2), (9, 0)])
    flip = np.ones(12)
    flip[9] = -1
    G, q = G * flip * flip[:, None], q * flip
    G[3] = G[:, 3] = q[3] = 0
    path = lars_path(G, q)
    check_optimal(path, G, q)
    assert not path.coefs[:, [3, 5, 9]].any()
    assert path.coefs[-1, [0, 2]].all()


def test_of_two_copies_the_one_with_the_lighter_weight_enters():
    G, q, _ = statistics(0, copies=[(5, 2)])
    v = np.ones(12)
    v[2] = 1.5
    path = lars_path(G, q, weights=v)
    check_optimal(path, G, q, v)
    assert not path.coefs[:, 2].any()
    assert path.coefs[:, 5].any()


@pytest.mark.parametrize("seed", range(5))
def test_dependent_columns_beyond_copies(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((50, 4)) @ rng.integers(-2, 3, (4, 10))  # rank 4
    y = rng.standard_normal(50)
    G, q = X.T @ X / 50, X.T @ y / 50
    path = lars_path(G, q)
    assert path.status == "converged"
    check_optimal(path, G, q)
    assert np.count_nonzero(path.coefs, axis=1).max() <= 4


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 99))
def test_weights_are_scales_of_columns(seed):
    """α Σ vⱼ|wⱼ| with G, q is α‖u‖₁ with columns divided by vⱼ and u = v w."""
    G, q, _ = statistics(seed)
    v = np.random.default_rng(seed).uniform(0.2, 5, 12)
    weighted, scaled = lars_path(G, q, weights=v), lars_path(G / v / v[:, None], q / v)
    np.testing.assert_allclose(weighted.alphas, scaled.alphas, rtol=0, atol=AGREE * scaled.alphas[0])
    np.testing.assert_allclose(weighted.coefs * v, scaled.coefs, rtol=0, atol=AGREE)


@pytest.mark.parametrize("seed", range(5))
def test_events_tell_the_support(seed):
    G, q, _ = statistics(seed, 40, 60, 0.9)
    path = lars_path(G, q)
    assert any(not e.entered for e in path.events)
    support, events = set(), list(path.events)
    for high, low in itertools.pairwise(path.alphas):
        while events and events[0].alpha == high:
            _, j, entered = events.pop(0)
            assert (j in support) != entered
            support ^= {j}
        assert support == set(np.flatnonzero(path.coef_at((high + low) / 2)).tolist())
    assert not events


def test_the_path_ends_where_asked():
    G, q, _ = statistics(1)
    whole = lars_path(G, q)
    alpha = whole.alphas[3:5].mean()
    short = lars_path(G, q, alpha_min=alpha)
    assert short.alphas[-1] == alpha
    np.testing.assert_allclose(short.coefs[-1], whole.coef_at(alpha), rtol=0, atol=1e-14)
    few = lars_path(G, q, max_features=3)
    assert np.count_nonzero(few.coefs[-1]) == 3
    assert few.alphas[-1] == whole.alphas[3]
    assert few.status == "converged"
    with pytest.raises(InputError, match="where this path ends"):
        few.coef_at(few.alphas[-1] / 2)


def test_running_out_of_kinks_is_told():
    G, q, _ = statistics(2)
    path = lars_path(G, q, max_kinks=3)
    assert (path.status, len(path.alphas)) == ("max_iter", 3)


def test_nothing_to_find():
    assert not lars_path(np.eye(3), np.zeros(3)).coefs.any()
    assert not lars_path(np.eye(3), -np.ones(3), positive=True).coefs.any()
    above = lars_path(np.eye(3), np.ones(3), alpha_min=2.0)
    assert above.alphas.tolist() == [2.0]
    assert not above.coef_at(3.0).any()


def test_a_strip_of_a_larger_matrix_is_read_in_place():
    G, q, _ = statistics(3)
    wide = np.zeros((12, 20))
    wide[:, :12] = G
    np.testing.assert_array_equal(lars_path(wide[:, :12], q).coefs, lars_path(G, q).coefs)


def test_small_alphas_agree_with_plain_descent():
    G, q, _ = statistics(4)
    alpha = 1e-4 * np.abs(q).max()
    np.testing.assert_allclose(lars_path(G, q).coef_at(alpha), lasso(G, q, alpha), rtol=0, atol=AGREE)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"G": np.eye(2)}, r"G must be \(p, p\)"),
        ({"q": np.full(3, np.nan)}, "G and q must be finite"),
        ({"G": np.triu(np.ones((3, 3)))}, "symmetric"),
        ({"weights": [1.0, 0.0, 1.0]}, "weights must be 3 finite numbers > 0"),
        ({"q": np.ones(3) * 1j}, "q must hold real numbers"),
        ({"alpha_min": -1}, "alpha_min must be ≥ 0"),
        ({"max_features": 0}, "max_features must be ≥ 1"),
    ],
)
def test_bad_input_is_named(change, words):
    given = {"G": np.eye(3), "q": np.ones(3)} | change
    with pytest.raises(InputError, match=words):
        lars_path(given.pop("G"), given.pop("q"), **given)
