"""``as_operator``: whatever stands for a matrix becomes an Operator here."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis._core.sparse_indices import with_valid_indices
from tamis.operators.adapted import DTYPES, Adapted, acts_as_operator
from tamis.operators.base import Linear, Operator, is_complex, wide
from tamis.operators.complex_arrays import ComplexDense, ComplexSparse
from tamis.operators.dense import Dense
from tamis.operators.sparse import Sparse
from tamis.operators.streamed import Streamed
from tamis.sources import gather
from tamis.sources.as_source import is_source


def as_operator(X: Any, *, n_jobs: int | None = None, complex_ok: bool = False) -> Operator:
    """Whatever stands for a matrix as an operator.

    Parameters
    ----------
    X : array, SciPy sparse array, Source, LinearOperator or Operator
        Arrays of float32, float64, complex64 or complex128 in C or F order and CSR and CSC arrays are never copied;
        other dtypes become float64 or complex128, other strides and sparse formats contiguous and CSR. A source that is
        not in memory is streamed, one pass for each product. SciPy's LinearOperator, PyLops' operators and anything
        with their ``shape``, ``matvec`` and ``rmatvec`` (or ``@`` and ``.H``) are taken as they are.
    n_jobs : int or None
        Threads of the products with arrays.
    complex_ok : bool
        Whether the caller can use complex numbers: by default complex arrays and operators are refused.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import as_operator
    >>> A = as_operator(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> A @ np.array([1.0, 1.0]), A.T @ np.array([1.0, 0.0])
    (array([3., 7.]), array([1., 2.]))
    """
    if isinstance(X, np.ndarray):
        X = _dense(X, complex_ok)
        return ComplexDense(X) if is_complex(X) else Dense(X, n_jobs)
    if sp.issparse(X):
        X = _sparse(with_valid_indices(X), complex_ok)
        return ComplexSparse(X) if is_complex(X) else Sparse(X, n_jobs)
    if not isinstance(X, Linear) and is_source(X):
        return as_operator(gather(X).X, n_jobs=n_jobs) if X.in_memory else Streamed(X)
    if isinstance(X, (Linear, Operator)):
        return _allowed(X, complex_ok)
    if acts_as_operator(X):
        return _allowed(Adapted(X), complex_ok)
    raise InputError(
        f"X must be an array, a SciPy sparse array, a Source or a linear operator, got {type(X).__name__}: "
        "tables become sources with tamis.as_source"
    )


def _allowed(A: Any, complex_ok: bool) -> Operator:
    if is_complex(A) and not complex_ok:
        raise InputError(f"X is a complex operator ({A.dtype}): split it into its real and imaginary rows")
    operator: Operator = A
    return operator


def _dense(X: np.ndarray, complex_ok: bool) -> np.ndarray:
    if X.ndim != 2:
        raise InputError(f"X must have rows and columns, got an array of shape {X.shape}")
    _check_numbers(X.dtype, complex_ok)
    X = np.asarray(X) if X.dtype in DTYPES else np.asarray(X, dtype=wide(X.dtype))
    return X if _has_unit_stride(X) else np.ascontiguousarray(X)


def _check_numbers(dtype: np.dtype, complex_ok: bool) -> None:
    if dtype.kind not in ("fiubc" if complex_ok else "fiub"):
        raise InputError(f"X must hold {'' if complex_ok else 'real '}numbers, got dtype {dtype}")


def _has_unit_stride(X: np.ndarray) -> bool:
    near, far = sorted(X.strides)
    return X.flags.c_contiguous or X.flags.f_contiguous or (near == X.itemsize and far >= near * min(X.shape))


def _sparse(X: Any, complex_ok: bool) -> Any:
    _check_numbers(X.dtype, complex_ok)
    X = sp.csc_array(X) if X.format == "csc" else sp.csr_array(X)
    if X.dtype not in DTYPES:
        X = X.astype(wide(X.dtype))
    if not all(part.flags.c_contiguous for part in (X.data, X.indices, X.indptr)):
        X = X.copy()  # the kernels would take numbers that lie apart in float32
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X
