"""What every family may ask of the solvers: any operator in, one kind of evidence out, public names."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

import tamis
from reference.omp import omp
from tamis import InputError, solvers
from tamis.datafits import Squared
from tamis.operators import DCT, Restriction, as_operator
from tamis.penalties import L1
from tamis.solvers import (
    Fista,
    OperatorProblem,
    PursuitStatus,
    Result,
    batch_omp,
    lars_path,
    omp_codes,
    operator_lars_path,
    orthogonal_matching_pursuit,
    partial_svd,
    procrustes,
    singular_value_threshold,
)
from tolerances import AGREE, ROUNDING

STORAGES = {
    "array": lambda X: X,
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "source": tamis.as_source,
    "scipy operator": aslinearoperator,
    "operator": as_operator,
}


def table(seed=0, n=30, p=12):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * rng.uniform(0.5, 3, p)
    return X, X[:, [1, 4, 7]] @ [3.0, -2.0, 1.0] + 0.1 * rng.standard_normal(n)


@pytest.mark.parametrize("storage", STORAGES)
def test_any_operator_has_the_answer_of_its_array(storage):
    X, y = table()
    A = STORAGES[storage](X)
    found = orthogonal_matching_pursuit(A, y, n_nonzero=4)
    np.testing.assert_allclose(found.w, orthogonal_matching_pursuit(X, y, n_nonzero=4).w, atol=AGREE)
    codes = omp_codes(X, STORAGES[storage](X[:5]), n_nonzero=3)
    np.testing.assert_allclose(codes.Z.toarray(), omp_codes(X, X[:5], n_nonzero=3).Z.toarray(), atol=AGREE)
    path, same = operator_lars_path(A, y), lars_path(X.T @ X / 30, X.T @ y / 30)
    np.testing.assert_allclose(path.coef_at(0.3), same.coef_at(0.3), atol=AGREE)
    np.testing.assert_allclose(partial_svd(A, 2).s, np.linalg.svd(X, compute_uv=False)[:2], rtol=AGREE)
    Z, expected = (singular_value_threshold(M, 10.0).toarray() for M in (A, X))
    np.testing.assert_allclose(Z, expected, atol=1e-8)  # residuals of 1e-10 s₁, of which there are a few
    np.testing.assert_allclose(procrustes(A).Q, procrustes(X).Q, atol=AGREE)


@pytest.mark.parametrize("storage", STORAGES)
def test_fista_runs_on_any_operator(storage):
    X, y = table()
    A = as_operator(STORAGES[storage](X))
    found = Fista().solve(OperatorProblem(A, y, Squared(), L1(), 0.1))
    assert found.status == "converged"
    same = Fista().solve(OperatorProblem(X, y, Squared(), L1(), 0.1))
    np.testing.assert_allclose(found.w, same.w, rtol=0, atol=AGREE)  # the same steps, by other products


@pytest.mark.parametrize(
    "result",
    [
        lambda X, y: orthogonal_matching_pursuit(X, y, n_nonzero=2),
        lambda X, y: omp_codes(X, X[:3], n_nonzero=2),
        lambda X, y: batch_omp(X @ X.T, X @ X.T, (X**2).sum(axis=1), n_nonzero=2),
        lambda X, y: operator_lars_path(X, y),
        lambda X, y: partial_svd(X, 2),
        lambda X, y: singular_value_threshold(X, 5.0),
        lambda X, y: procrustes(X),
        lambda X, y: Fista().solve(OperatorProblem(as_operator(X), y, Squared(), L1(), 0.1)),
    ],
)
def test_every_answer_says_how_it_ended_and_what_was_measured(result):
    found = result(*table())
    assert isinstance(found, Result)
    assert found.status == "converged"
    assert all(np.isfinite(value) for value in found.diagnostics.measured.values())
    assert found.diagnostics.measured


@pytest.mark.parametrize("seed", range(3))
def test_a_pursuit_on_columns_is_that_on_their_gram(seed):
    X, y = table(seed)
    expected, _ = omp(X.T @ X, X.T @ y, float(y @ y), 5)
    found = orthogonal_matching_pursuit(X, y, n_nonzero=5)
    np.testing.assert_allclose(found.w, expected, atol=AGREE)
    r = y - X @ found.w
    S = np.flatnonzero(found.w)
    assert np.abs(X[:, S].T @ r).max() <= ROUNDING * np.abs(X).sum() * np.abs(y).max()
    assert found.diagnostics["residual_norm"] == pytest.approx(np.linalg.norm(r), rel=1e-10)
    assert (np.diff(found.diagnostics.trace) <= 0).all()
    assert found.n_iter == 5
    assert found.reason == PursuitStatus.FULL


def test_a_sparse_signal_is_recovered_from_few_rows_of_a_transform():
    rng = np.random.default_rng(3)
    A = Restriction(256, np.sort(rng.choice(256, 80, replace=False))) @ DCT(256).T
    w = np.zeros(256)
    w[[5, 90, 200]] = 1.0, -2.0, 3.0
    found = orthogonal_matching_pursuit(A, A @ w, tol=1e-12)
    assert found.reason == PursuitStatus.REACHED
    np.testing.assert_allclose(found.w, w, atol=ROUNDING)


def test_a_pursuit_ends_where_nothing_is_left_to_gain():
    X = np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])  # a copy, and a column of zeros
    found = orthogonal_matching_pursuit(X, [1.0, 3.0, 5.0], tol=1e-6)
    assert found.reason == PursuitStatus.EXHAUSTED
    assert np.count_nonzero(found.w) == 1
    np.testing.assert_allclose(X @ found.w, [2.0, 2.0, 0.0], atol=ROUNDING)
    nothing = orthogonal_matching_pursuit(X, np.zeros(3), n_nonzero=2)
    assert nothing.n_iter == 0
    assert nothing.reason == PursuitStatus.REACHED


def test_bad_pursuits_name_their_argument():
    X, y = table()
    with pytest.raises(InputError, match="y must hold 30 finite numbers"):
        orthogonal_matching_pursuit(X, y[:-1], n_nonzero=1)
    with pytest.raises(InputError, match="give n_nonzero, tol or noise"):
        orthogonal_matching_pursuit(X, y)
    with pytest.raises(InputError, match="column_norms must be finite"):
        orthogonal_matching_pursuit(X, y, n_nonzero=1, column_norms=-1.0)
    with pytest.raises(InputError, match="y must hold 30 numbers"):
        operator_lars_path(X, y[:-1])


def test_public_names_are_there():
    assert {name for name in vars(solvers) if name[0].isupper()} <= set(solvers.__all__)
    assert not [name for name in solvers.__all__ if not hasattr(solvers, name)]
