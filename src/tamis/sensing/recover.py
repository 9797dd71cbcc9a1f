"""``recover``: every recovery by one function, chosen by its name or as an object with its parameters."""

from __future__ import annotations

import inspect
from typing import Any

from tamis._core.checks import as_object
from tamis._core.errors import InputError
from tamis.sensing.recoveries import BPDN, RECOVERIES, RecoveryMethod
from tamis.sensing.recovery import Recovery


def recover(
    A: Any,
    y: Any,
    method: Any = "basis_pursuit",
    *,
    n_nonzero: int | None = None,
    noise: float | None = None,
    alpha: float | None = None,
    basis: Any = None,
    tol: float | None = None,
    start: Any = None,
    time_limit: float | None = None,
) -> Recovery:
    """The sparse code s of a signal that was measured as y = A s, or as y = A Ψ s in a basis Ψ.

    Parameters
    ----------
    A : (m, n) array, sparse array or operator
        Real or complex.
    y : (m,) or (m, signals)
        The measurements.
    method : str or RecoveryMethod
        "basis_pursuit", "bpdn", "omp", "mp", "iht", "niht", "htp", "cosamp", "subspace_pursuit", "ista", "fista",
        "amp", "reweighted_l1", "total_variation", "dantzig", "l0", or an object with parameters of its own, such as
        ``IHT(step=1.0)``.
        Basis pursuit with ``noise`` or ``alpha`` is "bpdn".
    n_nonzero : int, optional
        Non-zeros of the code, for methods that are told.
    noise : float, optional
        A radius of ‖y − A s‖₂.
    alpha : float, optional
        α of 1/(2m)‖y − A s‖² + α‖s‖₁.
    basis : operator, Basis or str, optional
        Ψ, (n, k): signals are Ψ s. A name such as "dct", or ``Wavelet("db4")``, is that of signals of length n.
    tol : float, optional
        1e-7 by default.
    start : code or Recovery, optional
        Where to start from.
    time_limit : float, optional
        Seconds. The best code so far is returned, as it is after a first Ctrl-C; ``status`` says which.

    Returns
    -------
    Recovery

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import recover
    >>> rng = np.random.default_rng(0)
    >>> A, s = rng.standard_normal((40, 80)), np.zeros(80)
    >>> s[[5, 60]] = 2.0, -1.0
    >>> found = recover(A, A @ s)
    >>> found.status.value, bool(np.allclose(found.signal, s))
    ('converged', True)
    """
    way = as_object("method", method, RECOVERIES, RecoveryMethod)
    given = {"n_nonzero": n_nonzero, "noise": noise, "alpha": alpha, "tol": tol, "time_limit": time_limit}
    if method == "basis_pursuit" and (noise is not None or alpha is not None):
        way = BPDN()
    options = {name: value for name, value in given.items() if value is not None}
    taken = inspect.signature(type(way).function).parameters
    for name in options:
        if name not in taken:
            takers = [m for m, kind in RECOVERIES.items() if name in inspect.signature(kind.function).parameters]
            raise InputError(f"{name} means nothing to {_called(way)}; it is for {', '.join(takers)}", argument=name)
    return way.recover(A, y, basis=basis, start=start, **options)


def _called(way: RecoveryMethod) -> str:
    return next((name for name, kind in RECOVERIES.items() if kind is type(way)), type(way).__name__)
