"""The measurements y = A s of one signal or several, checked; every recovery begins here.

A = Φ Ψ where a basis Ψ is given. Real or complex: products are float64 or complex128, and so are codes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.checks import check_count, check_finite
from tamis._core.errors import InputError, about
from tamis._core.evidence import Certificate, Diagnostics, Status
from tamis._core.threads import blas_threads
from tamis.operators import ComplexDense, Dense, as_operator, check_adjoint
from tamis.operators.base import wide
from tamis.sensing.bases import Basis, as_basis
from tamis.sensing.convergence import ConvergenceRule, Finished, numbers_of
from tamis.sensing.recovery import Recovery, worst
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.support_least_squares import gathered, in_memory

TINY, HUGE = 1e-280, 1e280  # squares of data lie between
FEW = 16  # times the non-zeros is less than all: their columns are gathered in less time than A is read
WRITTEN_OUT = 2**22  # entries of a dense A Ψ that is formed once rather than applied in two steps


@dataclass(frozen=True)
class Found:
    """The code of one signal, how its loop says that it ended, and the evidence; ``proof`` is what the certificate of
    all signals is made of.
    """

    s: np.ndarray
    status: Status
    n_iter: int
    measured: dict[str, float] = field(default_factory=dict)
    trace: np.ndarray | None = None
    proof: Any = None
    path: Any = None  # what ``Recovery.path`` is made of


@dataclass(frozen=True)
class System:
    """A (m, n), the measurements Y (m, signals) in its columns, and where codes start from (None: 0)."""

    A: Any
    Y: np.ndarray
    one: bool
    basis: Any
    start: np.ndarray | None
    limits: IterationLimits
    keeps_path: bool = False

    @classmethod
    def of(cls, A: Any, y: Any, basis: Any = None, start: Any = None, time_limit: float | None = None) -> System:
        limits = IterationLimits.of_time(time_limit)
        Phi = _operator("A", A)
        Psi = None if basis is None else _operator("basis", _written(basis, Phi.shape[1]))
        A = Phi if Psi is None else _composed(Phi, Psi)
        Y = _measurements(y, A.shape[0])
        dtype = np.result_type(wide(A.dtype), Y)
        return cls(A, Y.reshape(len(Y), -1).astype(dtype, copy=False), Y.ndim == 1, Psi,
                   _start(start, A.shape[1], Y, dtype), limits)  # fmt: skip

    @property
    def dtype(self) -> np.dtype:
        return self.Y.dtype

    def n_nonzero(self, given: Any, *, needed: bool = True) -> int | None:
        """How many non-zeros are asked for: at most the rows of A, since more are never determined by y."""
        if given is None and not needed:
            return None
        if given is None:
            raise InputError("n_nonzero must be given: how many entries of the code are not 0", argument="n_nonzero")
        k, most = check_count("n_nonzero", given), min(self.A.shape)
        if k > most:
            raise InputError(
                f"n_nonzero must be at most {most}, got {k}: {self.A.shape[0]} measurements of "
                f"{self.A.shape[1]} unknowns determine no more",
                argument="n_nonzero",
            )
        return k

    def each(
        self,
        recover: Callable[[np.ndarray, np.ndarray | None], Found],
        rule: ConvergenceRule,
        certificate: Callable[[np.ndarray, list[Any]], Certificate | None] | None = None,
    ) -> Recovery:
        """``recover(y, start)`` of every signal, whether it has converged by the rule, and the certificate of all codes
        from their proofs.
        """
        starts = [None] * self.Y.shape[1] if self.start is None else list(self.start.T)
        # Vectors of a fast transform are short: threads of BLAS would wait for each other longer than they add.
        with self.limits.until_interrupted(), nullcontext() if in_memory(self.A) else blas_threads(1):
            found = [
                recover(np.ascontiguousarray(y), s) if y.any() else self._nothing()
                for y, s in zip(self.Y.T, starts, strict=True)
            ]
        return self.together(found, rule, certificate)

    def together(
        self,
        found: list[Found],
        rule: ConvergenceRule,
        certificate: Callable[[np.ndarray, list[Any]], Certificate | None] | None = None,
    ) -> Recovery:
        """The recovery of all signals from that of each. One that the limits ended says TIME_LIMIT; why, they know. One
        that says CONVERGED has to satisfy the rule.
        """
        found = [replace(f, status=self.limits.reason) if f.status is Status.TIME_LIMIT else f for f in found]
        S = np.column_stack([f.s for f in found]) if found else np.zeros((self.A.shape[1], 0), self.dtype)
        proof = certificate(S, [f.proof for f in found]) if certificate is not None and found else None
        norms = self._residual_norms(S, proof)
        return self._recovery(S, found, self._statuses(found, rule, norms, proof), norms, proof)

    def _statuses(
        self, found: list[Found], rule: ConvergenceRule, norms: np.ndarray, proof: Certificate | None
    ) -> tuple[Status, ...]:
        """What each loop says, but STALLED where it says CONVERGED and the rule of the method does not hold."""

        def holds(i: int, f: Found) -> bool:
            end = Finished(self.Y[:, i], f.s, float(norms[i]), f.n_iter, f.measured, numbers_of(proof, i))
            return rule.holds(end)

        return tuple(
            Status.STALLED if f.status is Status.CONVERGED and not holds(i, f) else f.status
            for i, f in enumerate(found)
        )

    def _nothing(self) -> Found:
        """y = 0 is measured without any atom."""
        s = np.zeros(self.A.shape[1], self.dtype)
        path = sp.csc_array((len(s), 0), dtype=self.dtype) if self.keeps_path else None
        return Found(s, Status.CONVERGED, 0, {"residual_norm": 0.0}, np.zeros(1), path=path)

    def _residual_norms(self, S: np.ndarray, proof: Certificate | None) -> np.ndarray:
        """‖y − A s‖ of every signal; a certificate of the codes has computed them."""
        known = getattr(proof, "residual_norm", None)
        if known is not None:
            return np.atleast_1d(known)
        with blas_threads(1) if self.one else nullcontext():
            product = self.A @ S if S.shape[1] != 1 else self._times(S[:, 0])[:, None]
            norms: np.ndarray = np.linalg.norm(self.Y - product, axis=0)
        return norms

    def _times(self, s: np.ndarray) -> np.ndarray:
        """A s, by the columns of its non-zeros alone where these are few and in memory."""
        E = np.flatnonzero(s)
        few = in_memory(self.A) and FEW * len(E) < len(s)
        product: np.ndarray = gathered(self.A, E) @ s[E] if few else self.A @ s
        return product

    def _recovery(
        self,
        S: np.ndarray,
        found: list[Found],
        statuses: tuple[Status, ...],
        norms: np.ndarray,
        proof: Certificate | None,
    ) -> Recovery:
        measured = {name: max(f.measured.get(name, 0.0) for f in found) for f in found[:1] for name in f.measured}
        measured["residual_norm"] = float(norms.max(initial=0.0))
        code = S[:, 0] if self.one else S
        return Recovery(
            code,
            code if self.basis is None else self.basis @ code,
            float(norms[0]) if self.one else norms,
            worst(statuses),
            max((f.n_iter for f in found), default=0),
            proof,
            Diagnostics(measured, found[0].trace if self.one else None),
            statuses,
            None if not self.keeps_path else found[0].path if self.one else [f.path for f in found],
        )


def _operator(name: str, given: Any) -> Any:
    """A list is an array; an adjoint that is not our own is tried once."""
    with about(name):
        A: Any = as_operator(np.asarray(given) if isinstance(given, (list, tuple)) else given, complex_ok=True)
        if min(A.shape) == 0:
            raise InputError(f"{name} must have rows and columns, got shape {A.shape}")
        _require_finite(name, A)
        if not _is_ours(A):
            check_adjoint(A)
    return A


def _written(basis: Any, n: int) -> Any:
    """The operator for signals of length n that a name or a `Basis` stands for; anything else as it is."""
    return as_basis(basis).operator(n) if isinstance(basis, (str, Basis)) else basis


def _require_finite(name: str, A: Any) -> None:
    if isinstance(A, Dense):
        squares = A.column_squares()
        if np.isfinite(squares).all() and (squares.max() > TINY or not A.X.any()):
            return
        if np.isfinite(A.X).all():
            require_size(name, A.X)
    if in_memory(A):
        check_finite(name, A.X)


def require_size(name: str, values: np.ndarray) -> None:
    """Numbers whose squares are numbers too."""
    size = float(np.abs(values).max(initial=0.0))
    if size > 0 and not TINY < size * size < HUGE:
        raise InputError(
            f"{name} holds numbers of size {size:.0e}, whose squares are beyond floating point: use other units",
            argument=name,
        )


def _is_ours(A: Any) -> bool:
    """Whether all parts are operators of this library, whose adjoints have been tested."""
    home = type(A).__module__.startswith("tamis.operators") and type(A).__name__ != "Adapted"
    return home and all(_is_ours(part) for part in getattr(A, "parts", ()))


def _composed(Phi: Any, Psi: Any) -> Any:
    if Phi.shape[1] != Psi.shape[0]:
        raise InputError(
            f"basis must have {Phi.shape[1]} rows, one for each column of A, got shape {Psi.shape}", argument="basis"
        )
    dense = isinstance(Phi, (Dense, ComplexDense)) and Phi.shape[0] * Psi.shape[1] <= WRITTEN_OUT
    return as_operator(np.ascontiguousarray((Psi.T @ Phi.X.T).T), complex_ok=True) if dense else Phi @ Psi


def _measurements(y: Any, m: int) -> np.ndarray:
    y = np.asarray(y)
    if y.dtype.kind not in "fiubc":
        raise InputError(f"y must hold numbers, got dtype {y.dtype}", argument="y")
    if y.ndim not in (1, 2) or y.shape[0] != m:
        raise InputError(
            f"y must be ({m},) or ({m}, signals), one number of a signal for each row of A, got shape {y.shape}",
            argument="y",
        )
    check_finite("y", y, "leave out those rows of A and y")
    require_size("y", y)
    return y.astype(wide(y.dtype), copy=False)


def _start(start: Any, n: int, Y: np.ndarray, dtype: np.dtype) -> np.ndarray | None:
    if start is None:
        return None
    given = start.code if isinstance(start, Recovery) else np.asarray(start)
    expected = (n, *Y.shape[1:])
    if given.shape != expected or not np.isfinite(given).all():
        raise InputError(f"start must be a finite code of shape {expected}, got shape {given.shape}", argument="start")
    if given.dtype.kind == "c" and dtype.kind != "c":
        raise InputError("start is complex, but A and y are real: give its real part", argument="start")
    return given.reshape(n, -1).astype(dtype)
