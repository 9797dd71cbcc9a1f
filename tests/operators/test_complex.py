"""Complex numbers: kept where they are welcome, refused where they are not, never cut down to their real parts."""

import warnings

import numpy as np
import pylops
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from tamis import InputError
from tamis.operators import DFT, ComplexDense, ComplexSparse, Diagonal, Standardised, as_operator
from tamis.solvers.svd import partial_svd
from tamis.testing import check_operator
from tolerances import ROUNDING


def matrix(n=12, p=7, seed=0, density=0.5):
    rng = np.random.default_rng(seed)
    kept = rng.random((n, p)) < density
    return (rng.standard_normal((n, p)) + 1j * rng.standard_normal((n, p))) * kept


class OnlyTransposed:
    def __init__(self, X):
        self.X, self.shape, self.dtype = X, X.shape, X.dtype

    @property
    def T(self):
        return OnlyTransposed(self.X.T)

    def __matmul__(self, x):
        return self.X @ x


MAKERS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "C64": lambda X: np.ascontiguousarray(X, np.complex64),
    "F64": lambda X: np.asfortranarray(X, np.complex64),
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "csr": sp.csr_array,
    "csc": sp.csc_matrix,
    "csr64": lambda X: sp.csr_array(X.astype(np.complex64)),
    "coo": sp.coo_array,
    "scipy": aslinearoperator,
    "pylops": lambda X: pylops.MatrixMult(X, dtype=X.dtype),
    "transposed": OnlyTransposed,
}


@pytest.mark.parametrize("standard", [False, True], ids=["as it is", "standardised"])
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("shape", [(12, 7), (3, 8), (1, 1)])
def test_laws(kind, shape, standard):
    X = matrix(*shape)
    A = as_operator(MAKERS[kind](X), complex_ok=True)
    single = "64" in kind
    np.testing.assert_allclose(A @ np.eye(shape[1]), X.astype(np.complex64) if single else X, atol=ROUNDING)
    if standard:
        mean, variance = A.moments()
        A = Standardised(A, mean, np.where(variance > 0, np.sqrt(variance), 1.0))
    check_operator(A)


@settings(max_examples=30, deadline=None)
@given(
    kind=st.sampled_from(list(MAKERS)), n=st.integers(1, 9), p=st.integers(1, 9), seed=st.integers(0, 99),
    density=st.sampled_from([0.0, 0.3, 1.0]),
)  # fmt: skip
def test_laws_of_any_size(kind, n, p, seed, density):
    check_operator(as_operator(MAKERS[kind](matrix(n, p, seed, density)), complex_ok=True), seed=seed)


def test_a_real_operator_with_a_complex_mean_is_complex():
    A = Standardised(as_operator(np.eye(3)), np.array([1j, 0, 1.0]), np.ones(3))
    assert A.dtype == np.complex128
    check_operator(A)


@pytest.mark.parametrize("kind", ["C", "F", "C64", "csr", "csc"])
def test_arrays_are_not_copied(kind):
    X = MAKERS[kind](matrix())
    A = as_operator(X, complex_ok=True)
    assert isinstance(A, ComplexSparse if sp.issparse(X) else ComplexDense)
    assert np.shares_memory(A.X.data if sp.issparse(X) else A.X, X.data if sp.issparse(X) else X)


@pytest.mark.parametrize("kind", ["scipy", "pylops", "transposed"])
def test_complex_operators_are_refused_where_they_are_not_asked_for(kind):
    with pytest.raises(InputError, match=r"complex operator.*split it into its real and imaginary rows"):
        as_operator(MAKERS[kind](matrix()))


@pytest.mark.parametrize("kind", ["C", "C64", "csr", "coo"])
def test_complex_arrays_are_refused_where_they_are_not_asked_for(kind):
    with pytest.raises(InputError, match="X must hold real numbers, got dtype complex"):
        as_operator(MAKERS[kind](matrix()))


@pytest.mark.parametrize("A", [DFT(4), Diagonal([1j]), 1j * as_operator(np.eye(2))])
def test_our_own_complex_operators_are_refused_where_they_are_not_asked_for(A):
    with pytest.raises(InputError, match="complex operator"):
        as_operator(A)
    assert as_operator(A, complex_ok=True) is A


def test_solvers_of_real_numbers_refuse_complex_operators():
    with pytest.raises(InputError, match="float32 or float64 numbers, got complex128"):
        partial_svd(DFT(8), 2)


def test_words_are_no_numbers_for_anyone():
    with pytest.raises(InputError, match="X must hold numbers, got dtype <U1"):
        as_operator(np.array([["a"]]), complex_ok=True)


def test_an_operator_that_hides_that_it_is_complex_is_refused():
    X = matrix()
    A = LinearOperator(X.shape, matvec=lambda x: X @ x, rmatvec=lambda r: X.conj().T @ r, dtype=np.float64)
    with pytest.raises(InputError, match="declared float64, but its products are complex128"):
        as_operator(A) @ np.ones(7)


@pytest.mark.parametrize("make", [as_operator, sp.csr_array, sp.csc_array, aslinearoperator])
def test_complex_vectors_of_real_operators_lose_nothing_and_warn_of_nothing(make):
    X, z = matrix(4, 3).real, np.array([1j, 2.0, 1 - 1j])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        A = as_operator(make(X))
        np.testing.assert_allclose(A @ z, X @ z, atol=ROUNDING)
        np.testing.assert_allclose(A.T @ (1j * np.ones(4)), 1j * X.sum(axis=0), atol=ROUNDING)
        assert (A @ z.real).dtype == np.float64
        assert (A @ np.empty((3, 0), complex)).shape == (4, 0)


def test_long_complex64_sums_accumulate_in_complex128():
    n = 200_000
    X = np.full((n, 1), 0.1 + 0.1j, dtype=np.complex64)
    exact = n * complex(X[0, 0]).conjugate()
    for Y in (X, np.asfortranarray(X), sp.csr_array(X)):
        found = (as_operator(Y, complex_ok=True).H @ np.ones(n))[0]
        assert found == pytest.approx(exact, rel=1e-12)  # complex64 sums: 1e-4 off
