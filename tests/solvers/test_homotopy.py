"""The lasso's path on a working set of columns: laws, and agreement with the path on all columns."""

import numpy as np
import pytest
from scipy.sparse import csc_array

from reference.homotopy import homotopy
from tamis.operators import as_operator
from tamis.solvers import Status
from tamis.solvers import homotopy as module
from tamis.solvers.homotopy import lasso_homotopy
from tolerances import AGREE


def problem(seed, m=40, n=150):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, n)), rng.standard_normal(m)


@pytest.fixture
def few(monkeypatch):
    """So few columns are followed at first that others are beyond their bounds soon."""
    monkeypatch.setattr(module, "FOLLOWED", 2)


@pytest.mark.parametrize("seed", range(6))
def test_at_every_kink_the_code_is_that_of_the_path_on_all_columns(seed, few):
    A, y = problem(seed)
    lams = homotopy(A, y)[0]
    for lam in lams[1::7]:
        end = lasso_homotopy(as_operator(A), y, lam=lam)
        assert end.status is Status.CONVERGED
        assert end.lam == pytest.approx(lam, rel=AGREE, abs=AGREE)
        np.testing.assert_allclose(end.s, homotopy(A, y, lam)[1], atol=AGREE)


@pytest.mark.parametrize("seed", range(6))
def test_kinks_are_as_many(seed):
    A, y = problem(seed, n=100)
    assert lasso_homotopy(as_operator(A), y).n_iter == len(homotopy(A, y)[0]) - 2


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F", "sparse"])
def test_the_end_is_optimal_for_all_columns(dtype, order, few):
    """|Aᵀr| ≤ λ v, with λ v σ on the support: whatever was followed on the way."""
    rng = np.random.default_rng(3)
    A = rng.standard_normal((60, 400)).astype(dtype)
    y, v = rng.standard_normal(60), rng.uniform(0.5, 2.0, 400)
    given = csc_array(A) if order == "sparse" else np.asarray(A, order=order)
    lam = 0.05 * float((np.abs(A.T @ y) / v).max())
    end = lasso_homotopy(as_operator(given), y, lam=lam, weights=v)
    c = A.astype(float).T @ (y - A.astype(float) @ end.s)
    S = end.s != 0
    assert (np.abs(c) <= lam * v * (1 + 1e-9)).all()
    np.testing.assert_allclose(c[S], lam * v[S] * np.sign(end.s[S]), rtol=1e-9)
    np.testing.assert_allclose(end.r, y - A.astype(float) @ end.s, atol=1e-12)


@pytest.mark.parametrize("share", [0.9, 0.3, 1e-3, 1e-6])
def test_the_radius_is_met(share, few):
    A, y = problem(0)
    radius = share * float(np.linalg.norm(y))
    end = lasso_homotopy(as_operator(A), y, radius=radius)
    assert end.status is Status.CONVERGED
    assert np.linalg.norm(y - A @ end.s) == pytest.approx(radius, rel=1e-9)
    np.testing.assert_allclose(end.s, homotopy(A, y, radius=radius)[1], atol=AGREE)


@pytest.mark.parametrize("seed", range(4))
def test_at_zero_the_direction_proves_the_least_norm(seed, few):
    A, y = problem(seed, 60, 500)
    end = lasso_homotopy(as_operator(A), y)
    assert np.abs(A.T @ end.q).max() <= 1 + 1e-9
    assert np.abs(end.s).sum() == pytest.approx(float(end.q @ y), rel=1e-9)
    np.testing.assert_allclose(A @ end.s, y, atol=1e-12)


def test_threads_do_not_change_the_path(monkeypatch):
    rng = np.random.default_rng(0)
    A, y = rng.standard_normal((700, 900)), rng.standard_normal(700)
    ends = []
    for threads in (1, 2):
        monkeypatch.setattr(module, "thread_count", lambda _, threads=threads: threads)
        ends.append(lasso_homotopy(as_operator(A, n_jobs=1), y, radius=0.5 * np.linalg.norm(y)).s)
    assert (ends[0] == ends[1]).all()


def test_nothing_enters_above_the_first_kink():
    A, y = problem(0)
    end = lasso_homotopy(as_operator(A), y, lam=2 * np.abs(A.T @ y).max())
    assert end.status is Status.CONVERGED
    assert not end.s.any()
    assert (end.r == y).all()
