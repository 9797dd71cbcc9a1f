"""Whether an operator's adjoint is one, by a product with each."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis._core.random import as_rng
from tamis.operators.algebra import as_part
from tamis.operators.base import is_complex

# Relative to ‖Au‖ ‖v‖: what an operator may lose to rounding, by the bytes of a real number.
TOLERANCE = {4: 1e-4, 8: 1e-9}


def check_adjoint(A: Any, *, random_state: Any = 0) -> None:
    """An InputError that names the operator, where ⟨A u, v⟩ ≠ ⟨u, Aᴴ v⟩ for random u and v.

    One product with A and one with Aᴴ. Of a product, sum or stack the faulty part is named.

    Parameters
    ----------
    A : array, SciPy sparse array, LinearOperator or Operator
        Real or complex.
    random_state : None, int, Generator or RandomState
        Of the vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse.linalg import LinearOperator
    >>> from tamis.operators import check_adjoint
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> wrong = LinearOperator((2, 2), matvec=lambda x: X @ x, rmatvec=lambda r: X @ r, dtype=float)
    >>> check_adjoint(wrong)
    Traceback (most recent call last):
        ...
    tamis._core.errors.InputError: the adjoint of _CustomLinearOperator 2 × 2 is wrong: ...
    """
    A = as_part(A)
    fault = _fault(A, as_rng(random_state))
    if fault is None:
        return
    for part in getattr(A, "parts", ()):
        check_adjoint(part, random_state=random_state)
    raise InputError(
        f"the adjoint of {_name(A)} is wrong: ⟨A u, v⟩ = {fault[0]:.6g} but ⟨u, Aᴴ v⟩ = "
        f"{fault[1]:.6g} for random u and v; correct its adjoint product (rmatvec)"
    )


def _fault(A: Any, rng: np.random.Generator) -> tuple[Any, Any] | None:
    """(⟨A u, v⟩, ⟨u, Aᴴ v⟩) where they differ by more than rounding.

    v is half along A u: a random one alone is nearly orthogonal to it, and hides small faults among many entries.
    """
    n, p = A.shape
    u, v = _drawn(A, p, rng), _drawn(A, n, rng)
    image = A @ u
    size = np.linalg.norm(image)
    v = v / np.linalg.norm(v) + (image / size if size > 0 else 0.0)
    try:
        back = np.vdot(A.H @ v, u)
    except NotImplementedError:
        raise InputError(
            f"the adjoint of {_name(A)} is missing: give its adjoint product (rmatvec), Aᴴ r for r of length {n}"
        ) from None
    forth = np.vdot(v, image)
    allowed = TOLERANCE[np.dtype(A.dtype).type(0).real.itemsize] * max(size, abs(back)) * np.linalg.norm(v)
    return None if abs(forth - back) <= allowed else (forth, back)


def _name(A: Any) -> str:
    kind = type(getattr(A, "A", A) if type(A).__name__ == "Adapted" else A).__name__
    return f"{kind} {A.shape[0]} × {A.shape[1]}"


def _drawn(A: Any, length: int, rng: np.random.Generator) -> np.ndarray:
    u = rng.standard_normal(length)
    return u + 1j * rng.standard_normal(length) if is_complex(A) else u
