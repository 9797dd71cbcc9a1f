"""Products, sums, multiples and stacks are those of the matrices; shapes that do not fit are named."""

import numpy as np
import pylops
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from tamis import InputError
from tamis.operators import (
    DCT,
    DFT,
    Diagonal,
    Hadamard,
    Identity,
    Restriction,
    as_operator,
    block_diag,
    check_adjoint,
    hstack,
    vstack,
)
from tamis.testing import check_operator
from tolerances import ROUNDING


def full(A):
    return A @ np.eye(A.shape[1])


def storage(X, kind):
    return {
        "dense": lambda: as_operator(X, complex_ok=True),
        "float32": lambda: (
            as_operator(X.astype(np.float32)) if X.dtype == np.float64 else as_operator(X, complex_ok=True)
        ),
        "sparse": lambda: as_operator(sp.csr_array(X), complex_ok=True),
        "adapted": lambda: as_operator(aslinearoperator(X), complex_ok=True),
    }[kind]()


@st.composite
def matrices(draw, shape):
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    X = np.round(rng.standard_normal(shape) * (rng.random(shape) < 0.7), 2).astype(np.float32).astype(np.float64)
    X = X + 1j * np.round(rng.standard_normal(shape)) if draw(st.booleans()) else X
    return X, storage(X, draw(st.sampled_from(["dense", "float32", "sparse", "adapted"])))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_algebra_is_that_of_matrices(data):
    n, k, p = (data.draw(st.integers(1, 6)) for _ in range(3))
    (X, A), (Y, B), (Z, C) = (data.draw(matrices(shape)) for shape in ((n, k), (k, p), (n, k)))
    c = data.draw(st.sampled_from([2.0, -0.5, 1 + 2j, np.float64(3.0), np.float32(0.5), 2]))
    cases = [
        (A @ B, X @ Y),
        (A + C, X + Z),
        (A - C, X - Z),
        (c * A, c * X),
        (A * c, c * X),
        (A / c, X / c),
        (-A, -X),
        (A.T, X.T),
        (A.H, X.conj().T),
        (vstack([A, C, A]), np.vstack([X, Z, X])),
        (hstack([A, C]), np.hstack([X, Z])),
        (block_diag([A, B]), scipy.linalg.block_diag(X, Y)),
        ((A @ B).T, (X @ Y).T),
        ((c * A + C).H, (c * X + Z).conj().T),
        (hstack([A, C]).T, np.hstack([X, Z]).T),
        (B.H @ (2 * A).H @ C, Y.conj().T @ (2 * X).conj().T @ Z),
    ]
    for operator, matrix in cases:
        np.testing.assert_allclose(full(operator), matrix, atol=1e-11)  # entries up to about 100
        check_operator(operator)


def test_arrays_sparse_arrays_and_other_libraries_operators_join_in():
    X = np.random.default_rng(0).standard_normal((4, 4))
    D = DCT(4)
    for other in (sp.csr_array(X), aslinearoperator(X), pylops.MatrixMult(X)):
        np.testing.assert_allclose(full(D @ other), full(D) @ X, atol=ROUNDING)
        np.testing.assert_allclose(full(D + other), full(D) + X, atol=ROUNDING)
    np.testing.assert_allclose(full(X + D), X + full(D), atol=ROUNDING)
    np.testing.assert_allclose(full(X - D), X - full(D), atol=ROUNDING)
    np.testing.assert_allclose(full(vstack([X, D])), np.vstack([X, full(D)]), atol=ROUNDING)
    assert isinstance(D @ X, np.ndarray)  # an array is vectors, here as everywhere


def test_rows_times_an_operator():
    A, x = DFT(4), np.array([1.0, 2.0, 0.0, 1j])
    np.testing.assert_allclose(x @ A, x @ full(A), atol=ROUNDING)
    np.testing.assert_allclose(np.vstack([x, 2 * x]) @ A, np.vstack([x, 2 * x]) @ full(A), atol=ROUNDING)


def test_a_sum_leaves_the_vector_alone():
    x = np.ones(3)
    (Identity(3) + Identity(3)) @ x
    np.testing.assert_array_equal(x, np.ones(3))
    out = Identity(3) @ x
    out += 1
    np.testing.assert_array_equal(x, np.ones(3))


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: DCT(4) @ DCT(5), "as many columns in A as rows in B: A is DCT 4 × 4 and B is DCT 5 × 5"),
        (lambda: DCT(4) + DCT(5), "operators of one shape: A is DCT 4 × 4 and B is DCT 5 × 5"),
        (lambda: DCT(4) - DCT(5), "operators of one shape"),
        (lambda: vstack([DCT(4), DCT(5)]), r"one width, got \[4, 5\] columns"),
        (lambda: hstack([DCT(4), DCT(5)]), r"one height, got \[4, 5\] rows"),
        (lambda: vstack([]), "at least one operator"),
        (lambda: block_diag([]), "at least one operator"),
        (lambda: DCT(4) * np.ones(4), "use @ for vectors"),
        (lambda: DCT(4) * "2", "a finite number"),
        (lambda: np.nan * DCT(4), "a finite number"),
        (lambda: DCT(4) / 0, "divided by 0"),
        (lambda: DCT(4) + 1.0, "X must be an array"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(make, words):
    with pytest.raises(InputError, match=words) as error:
        make()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_right_adjoints_pass(dtype):
    X = np.random.default_rng(0).standard_normal((30, 50)).astype(dtype)
    check_adjoint(X)
    check_adjoint(aslinearoperator(X))
    check_adjoint(sp.csr_array(X))
    check_adjoint(np.zeros((3, 4), dtype))
    check_adjoint(Restriction(64, [1, 2]) @ DFT(64) @ Hadamard(64))


def test_a_wrong_adjoint_is_named_also_inside_a_product():
    X = np.random.default_rng(0).standard_normal((8, 8))
    for wrong in (lambda r: 1.001 * X.T @ r, lambda r: X @ r, lambda r: -X.T @ r, lambda r: 0 * r):
        A = LinearOperator(X.shape, matvec=lambda x: X @ x, rmatvec=wrong, dtype=np.float64)
        with pytest.raises(InputError, match="the adjoint of _CustomLinearOperator 8 × 8 is wrong"):
            check_adjoint(A)
        with pytest.raises(InputError, match="the adjoint of _CustomLinearOperator 8 × 8 is wrong"):
            check_adjoint(vstack([DCT(8) @ as_operator(A), 2 * Identity(8)]))


def test_a_transpose_given_for_the_adjoint_of_a_complex_operator_is_named():
    X = np.eye(3) + 1j
    A = LinearOperator(X.shape, matvec=lambda x: X @ x, rmatvec=lambda r: X.T @ r, dtype=np.complex128)
    with pytest.raises(InputError, match=r"adjoint of .* is wrong"):
        check_adjoint(A)
    check_adjoint(Diagonal([1j, 2.0]))


def test_small_faults_of_one_column_in_many_are_found():
    n = 20_000
    d = np.ones(n)
    d[7] = 1.01
    A = LinearOperator((n, n), matvec=lambda x: x, rmatvec=lambda r: d * r, dtype=np.float64)
    with pytest.raises(InputError, match="is wrong"):
        check_adjoint(A)
