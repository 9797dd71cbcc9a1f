"""How alike the columns of A are, and how sparse a code may be that such columns cannot confuse.

With unit columns aⱼ: the coherence μ = max |⟨aᵢ, aⱼ⟩|, and Babel's function μ₁(k) = maxᵢ Σ of the k largest |⟨aᵢ, aⱼ⟩|.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_finite
from tamis._core.errors import InputError, about
from tamis._kernels.interruption import check_interrupted
from tamis.operators import as_operator
from tamis.operators.base import wide
from tamis.operators.products import SLAB_BYTES
from tamis.sensing.system import in_memory, require_size


def coherence(A: Any) -> float:
    """μ(A): the largest |⟨aᵢ, aⱼ⟩| / (‖aᵢ‖ ‖aⱼ‖) of two different columns.

    0 for orthogonal columns, 1 where two are parallel; with m rows and n > m columns it is never below
    √((n − m)/(m(n − 1))) (Welch's bound). Any code with fewer than (1 + 1/μ)/2 non-zeros is found by OMP and by ℓ₁
    [tropp2004]_; see `guaranteed_sparsity` for more than that.

    Parameters
    ----------
    A : array, sparse array or operator
        Real or complex; columns need not have unit length, but none may be zero.

    References
    ----------
    .. [tropp2004] Tropp, Greed is good, IEEE Transactions on Information Theory 50, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import coherence
    >>> A = np.hstack([np.eye(4), np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2])
    >>> coherence(A)
    0.5
    """
    return float(max((block.max(initial=0.0) for _, block in cosine_blocks(columns_of(A))), default=0.0))


def babel(A: Any, k: int) -> np.ndarray:
    """μ₁(1), …, μ₁(k): the most that a column has in common with 1, …, k others together.

    μ₁(1) is the coherence and μ₁(k) ≤ k μ, often much less.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import babel
    >>> babel(np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.8]]), 2)
    array([0.8, 1.4])
    """
    A = columns_of(A)
    k = check_count("k", k, at_most=max(1, A.shape[1] - 1))
    best = np.zeros(k)
    for _, block in cosine_blocks(A):
        best = np.maximum(best, np.cumsum(largest(block, k), axis=0).max(axis=1, initial=0.0))
    return best


def guaranteed_sparsity(A: Any) -> int:
    """The largest k for which every code of k non-zeros is found by OMP and by ℓ₁: μ₁(k − 1) + μ₁(k) < 1.

    A worst case over all codes: most codes with many more non-zeros are found too; `phase_transition` measures it.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import guaranteed_sparsity
    >>> guaranteed_sparsity(np.eye(3)), guaranteed_sparsity(np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.8]]))
    (3, 1)
    """
    A = columns_of(A)
    if A.shape[1] == 1:
        return 1
    mu1 = np.concatenate([[0.0], babel(A, A.shape[1] - 1), [np.inf]])
    if coherence(A) <= 4 * np.finfo(float).eps:
        return int(A.shape[1])
    rounding = 16 * np.finfo(float).eps * A.shape[1]  # an equality is not below 1
    return int(np.argmax(mu1[:-1] + mu1[1:] >= 1.0 - rounding))


def checked(A: Any) -> Any:
    """Whatever stands for a matrix as an operator of finite numbers."""
    with about("A"):
        operator: Any = as_operator(np.asarray(A) if isinstance(A, (list, tuple)) else A, complex_ok=True)
        numbers = getattr(getattr(operator, "X", None), "data", None) if in_memory(operator) else None
        if numbers is not None:
            check_finite("A", np.asarray(numbers))
            require_size("A", np.asarray(numbers))
    return operator


def columns_of(A: Any) -> Any:
    """The operator, none of whose columns is zero."""
    A = checked(A)
    unit_scales(A)
    return A


def column_norms(A: Any) -> np.ndarray:
    """‖aⱼ‖ of every column, written out block by block."""
    return np.concatenate([np.linalg.norm(X, axis=0) for _, X in column_blocks(A)])


def unit_scales(A: Any) -> np.ndarray:
    """1/‖aⱼ‖ of every column, none of which is zero."""
    norms = column_norms(A)
    if not norms.all():
        raise InputError(f"column {int(np.argmin(norms))} of A is zero: it measures nothing, leave it out",
                         argument="A")  # fmt: skip
    return 1.0 / norms


def column_blocks(A: Any) -> Iterator[tuple[int, np.ndarray]]:
    """(position of the first, columns written out), as many at a time as fit into a slab."""
    m, n = A.shape
    step = max(1, min(n, SLAB_BYTES // (16 * max(m, n))))
    for start in range(0, n, step):
        check_interrupted()
        X = A.columns(np.arange(start, min(n, start + step)))
        X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        yield start, X.astype(wide(X.dtype), copy=False)


def gram_blocks(A: Any) -> Iterator[tuple[int, np.ndarray]]:
    """AᴴA, some columns at a time."""
    for start, X in column_blocks(A):
        yield start, A.H @ X


def cosine_blocks(A: Any) -> Iterator[tuple[int, np.ndarray]]:
    """|⟨aᵢ, aⱼ⟩| / (‖aᵢ‖‖aⱼ‖) of every i with some j at a time, 0 for i = j."""
    norms = column_norms(A)
    for start, G in gram_blocks(A):
        here = np.arange(G.shape[1])
        block = np.abs(G) / norms[:, None] / norms[start + here]
        block[start + here, here] = 0.0
        yield start, np.minimum(block, 1.0)


def largest(block: np.ndarray, k: int) -> np.ndarray:
    """The k largest entries of every column, falling."""
    k = min(k, len(block))
    return -np.sort(np.partition(-block, k - 1, axis=0)[:k], axis=0) if k else block[:0]
