"""The adjoint law and the others, for every storage; and that nothing is copied."""

import numpy as np
import pylops
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from tamis import InputError, as_source
from tamis.operators import Adapted, Dense, Sparse, Standardised, Streamed, as_operator
from tamis.testing import check_operator
from tolerances import ROUNDING


def matrix(n=40, p=7, seed=0, density=1.0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, p)) * (rng.random((n, p)) < density)


class Duck:
    """As PyLops' operators look from outside: products by ``@`` and an adjoint ``.H``."""

    def __init__(self, X):
        self.X = X
        self.shape = X.shape
        self.H = self if X.shape[0] == X.shape[1] else None

    def __matmul__(self, x):
        return self.X @ x


def duck(X):
    A = Duck(X)
    A.H = Duck(X.T)
    return A


def parquet(X, folder):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])}), folder / "rows.parquet", row_group_size=9)
    return as_source(folder / "rows.parquet")


def delimited(X, folder):
    np.savetxt(folder / "rows.csv", X, delimiter=",", header=",".join(f"x{j}" for j in range(X.shape[1])), comments="")
    return as_source(folder / "rows.csv")


def moved(A):
    """The first and the last column minus 2 and 3."""
    S = np.unique([0, A.shape[1] - 1])
    return A.minus(S, np.array([2.0, 3.0])[: len(S)])


MAKERS = {
    "C": lambda X, _: as_operator(np.ascontiguousarray(X)),
    "F": lambda X, _: as_operator(np.asfortranarray(X)),
    "C32": lambda X, _: as_operator(np.ascontiguousarray(X, dtype=np.float32)),
    "F32": lambda X, _: as_operator(np.asfortranarray(X, dtype=np.float32)),
    "strided": lambda X, _: as_operator(np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2]),
    "reversed": lambda X, _: as_operator(X[::-1]),
    "column": lambda X, _: as_operator(np.hstack([X, X])[:, : X.shape[1]]),
    "rows": lambda X, _: as_operator(np.asfortranarray(np.vstack([X, X]))[: len(X)]),
    "csr": lambda X, _: as_operator(sp.csr_array(X)),
    "csc": lambda X, _: as_operator(sp.csc_matrix(X)),
    "csr32": lambda X, _: as_operator(sp.csr_matrix(X, dtype=np.float32)),
    "coo": lambda X, _: as_operator(sp.coo_array(X)),
    "duplicates": lambda X, _: as_operator(
        sp.csr_array((np.ones(2 * X.shape[0]), np.zeros(2 * X.shape[0], int), 2 * np.arange(X.shape[0] + 1)), X.shape)
    ),
    "array source": lambda X, _: as_operator(as_source(X)),
    "parquet": lambda X, folder: as_operator(parquet(X, folder)),
    "csv": lambda X, folder: as_operator(delimited(X, folder)),
    "scipy": lambda X, _: as_operator(aslinearoperator(X)),
    "functions": lambda X, _: as_operator(
        LinearOperator(X.shape, matvec=lambda x: X @ x, rmatvec=lambda r: X.T @ r, dtype=np.float64)
    ),
    "duck": lambda X, _: as_operator(duck(X)),
    "C shifted": lambda X, _: moved(as_operator(np.ascontiguousarray(X))),
    "F shifted": lambda X, _: moved(as_operator(np.asfortranarray(X))),
    "csr shifted": lambda X, _: moved(as_operator(sp.csr_array(X))),
    "csc shifted": lambda X, _: moved(as_operator(sp.csc_array(X))),
    "csv shifted": lambda X, folder: moved(as_operator(delimited(X, folder))),
}


@pytest.mark.parametrize("standard", [False, True], ids=["as it is", "standardised"])
@pytest.mark.parametrize("storage", MAKERS)
@pytest.mark.parametrize("shape", [(40, 7), (3, 11), (1, 1)])
def test_laws(storage, shape, standard, tmp_path):
    A = MAKERS[storage](matrix(*shape, density=0.4), tmp_path)
    if standard:
        mean, variance = A.moments()
        A = Standardised(A, mean, np.where(variance > 0, np.sqrt(variance), 1.0))
    check_operator(A)


def test_the_classes(tmp_path):
    X = matrix()
    for storage, kind in {
        "C": Dense,
        "csr": Sparse,
        "array source": Dense,
        "parquet": Streamed,
        "duck": Adapted,
    }.items():
        assert isinstance(MAKERS[storage](X, tmp_path), kind)
    A = as_operator(X)
    assert as_operator(A) is A


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_are_not_copied(order, dtype):
    X = np.asarray(matrix(), order=order, dtype=dtype)
    assert as_operator(X).X is X
    assert np.shares_memory(as_operator(as_source(X)).X, X)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix])
def test_sparse_arrays_are_not_copied(kind):
    X = kind(matrix(density=0.3))
    assert np.shares_memory(as_operator(X).X.data, X.data)
    assert sp.issparse(as_operator(X).columns([2, 0]))


def test_sparse_columns_of_mean_zero_stay_sparse_when_scaled():
    A = Standardised(as_operator(sp.csr_array(matrix(density=0.3))), np.zeros(7), np.full(7, 2.0))
    assert sp.issparse(A.columns([1, 3]))
    check_operator(A)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
def test_sparse_numbers_that_lie_apart_in_memory_keep_their_digits(kind):
    X = kind(matrix(50, 20))
    apart = kind((np.repeat(X.data, 2)[::2], X.indices, X.indptr), shape=X.shape)
    A, x = as_operator(apart), np.arange(20.0)
    np.testing.assert_allclose(A @ x, X @ x, rtol=0, atol=20 * 50 * ROUNDING)  # in float32: 1e-5 off
    np.testing.assert_allclose(A.moments()[0], matrix(50, 20).mean(axis=0), rtol=0, atol=ROUNDING)


def test_float32_products_accumulate_in_float64():
    n = 200_000
    X = np.full((n, 2), 0.1, dtype=np.float32)
    exact = n * float(np.float32(0.1))
    for Y in (X, np.asfortranarray(X), sp.csr_array(X), sp.csc_array(X)):
        assert (as_operator(Y).T @ np.ones(n))[0] == pytest.approx(exact, rel=1e-12)  # float32 sums: 1e-4 off


def test_a_large_mean_does_not_spoil_the_variance(tmp_path):
    X = matrix(60, 3) + 1e7
    for storage in ("C", "F", "csr", "csc", "parquet"):
        _, variance = MAKERS[storage](X, tmp_path).moments()
        np.testing.assert_allclose(variance, X.var(axis=0), rtol=1e-6)  # eps · 1e7 of every difference


@pytest.mark.parametrize("storage", ["C", "F", "csr", "csc", "csv"])
def test_shifted_is_the_matrix_minus_the_numbers(storage, tmp_path):
    X = matrix(40, 7, density=0.4)
    A = MAKERS[f"{storage} shifted"](X, tmp_path)
    Y = X - [2.0, 0, 0, 0, 0, 0, 3.0]
    np.testing.assert_allclose(A @ np.eye(7), Y, atol=1e-15)
    np.testing.assert_allclose(A.T @ np.eye(40), Y.T, atol=1e-15)
    S = np.array([6, 2, 0])
    columns = A.columns(S)
    np.testing.assert_allclose(columns.toarray() if sp.issparse(columns) else columns, Y[:, S], atol=1e-15)
    np.testing.assert_allclose(A.adjoint_at(np.ones(40), S), Y[:, S].sum(axis=0), rtol=1e-13)
    weight = np.random.default_rng(0).uniform(0, 1, 40)
    mean, variance = A.moments(weight)
    np.testing.assert_allclose(mean, np.average(Y, axis=0, weights=weight), atol=1e-14)
    np.testing.assert_allclose(variance, np.average((Y - mean) ** 2, axis=0, weights=weight), rtol=1e-12)


@pytest.mark.parametrize("mean", [1e4, 1e7, 1e10])
@pytest.mark.parametrize("storage", ["csr", "csc"])
def test_weights_leave_sparse_moments_their_digits(storage, mean, tmp_path):
    X = np.round(matrix(60, 3) * 1024) / 1024
    weight = np.random.default_rng(0).uniform(0.1, 1, 60)
    weight[7] = 0.0
    exact = as_operator(X).moments(weight)
    far = X + mean  # multiples of 1/1024: nothing is rounded
    far[7] = 0.0  # not stored, and without weight
    means, variance = MAKERS[storage](far, tmp_path).moments(weight)
    np.testing.assert_allclose(variance, exact[1], rtol=1e-12)
    np.testing.assert_allclose(means, exact[0] + mean, rtol=1e-15)


@pytest.mark.parametrize(
    "X, words",
    [
        (np.zeros(3), "rows and columns"),
        (np.zeros((2, 2), dtype=complex), "real numbers"),
        (np.array([["a"]]), "real numbers"),
        (sp.csr_array(np.eye(2, dtype=complex)), "real numbers"),
        (aslinearoperator(np.eye(2, dtype=complex)), "complex operator"),
        ("table.csv", "tamis.as_source"),
        (object(), "got object"),
    ],
)
def test_what_is_no_operator_is_refused(X, words):
    with pytest.raises(InputError, match=words):
        as_operator(X)


def test_vectors_of_the_wrong_length_are_refused():
    with pytest.raises(ValueError, match="vectors of 7 numbers"):
        as_operator(matrix()) @ np.zeros(40)


@pytest.mark.parametrize("operator", [pylops.FirstDerivative(12), pylops.MatrixMult(matrix(9, 4))])
def test_pylops_operators(operator):
    check_operator(as_operator(operator))


def test_complex_pylops_operators_are_refused():
    with pytest.raises(InputError, match="complex operator"):
        as_operator(pylops.FirstDerivative(12, dtype=np.complex128))


def test_a_wrong_adjoint_is_found():
    X = matrix()
    A = LinearOperator(X.shape, matvec=lambda x: X @ x, rmatvec=lambda r: 1.001 * X.T @ r, dtype=np.float64)
    with pytest.raises(AssertionError, match="Aᴴv"):
        check_operator(as_operator(A))


@pytest.mark.parametrize("storage", ["C", "F", "C32", "csr", "csc", "parquet", "duck"])
def test_a_constant_column_has_no_variance_at_all(storage, tmp_path):
    X = matrix(1001, 2)
    X[:, 1] = 0.1
    s = np.random.default_rng(0).uniform(0, 2, len(X))
    A = MAKERS[storage](X, tmp_path)
    assert A.moments()[1][1] == 0.0
    assert A.moments(s)[1][1] == 0.0
    assert A.moments(s)[1][0] > 0.5
