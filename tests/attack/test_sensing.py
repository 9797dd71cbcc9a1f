"""Recoveries by storage, dtype, shape, scale and start, against the plain formulas and SciPy's linear programmes.

The laws: values, residuals and dual bounds are what long doubles say; a bound is below what any other code reaches, the
simplex method's included; "converged" is what the method promises; pursuits take the columns that their definition
takes, and their codes are least squares; units, other signals and starts do not matter where they should not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, note
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse.linalg import aslinearoperator

from attack.profiles import attack
from tamis._core.evidence import Status
from tamis.sensing import RECOVERIES, Recovery, recover

LONG, COMPLEX = np.longdouble, np.clongdouble
pytestmark = pytest.mark.skipif(np.finfo(LONG).eps > 1e-18, reason="the reference needs long doubles")

ROUNDED = 1e-11  # relative; columns and units differ by up to 1e6, and sums are short
STORED: dict[str, Callable[[np.ndarray], Any]] = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda A: np.repeat(np.repeat(A, 2, axis=0), 3, axis=1)[::2, ::3],
    "list": np.ndarray.tolist,
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "operator": aslinearoperator,
}
PURSUITS = ("omp", "mp", "iht", "niht", "htp", "cosamp", "subspace_pursuit")
SUPPORTS = ("htp", "cosamp", "subspace_pursuit")


@dataclass
class Case:
    """Measurements Y (m, signals) of codes with k non-zeros, or of none; A as the reference has it, and as stored."""

    A: np.ndarray
    Y: np.ndarray
    k: int
    way: str
    exact: bool  # Y = A codes
    plain: bool  # columns are unrelated and of the same length

    @property
    def stored(self) -> Any:
        return STORED[self.way](self.A)

    def residual(self, s: np.ndarray, i: int) -> np.ndarray:
        kind = COMPLEX if np.iscomplexobj(self.A) or np.iscomplexobj(self.Y) or np.iscomplexobj(s) else LONG
        r: np.ndarray = self.Y[:, i].astype(kind) - self.A.astype(kind) @ s.astype(kind)
        return r


@st.composite
def cases(draw: Callable[..., Any], real: bool = False) -> Case:
    m, n, signals = draw(st.integers(1, 18)), draw(st.integers(1, 30)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k = draw(st.integers(1, max(1, min(m, n) // 2)))
    A = rng.standard_normal((m, n))
    kind = draw(st.sampled_from(["plain", "signs", "alike", "copies", "zeros", "lengths", "few rows"]))
    if kind == "signs":
        A = np.sign(A)
    elif kind == "alike":
        A += 2.0 * rng.standard_normal((m, 1))
    elif kind == "copies":
        A[:, rng.integers(n)] = -A[:, rng.integers(n)]
        A[:, rng.integers(n)] = A[:, rng.integers(n)]
    elif kind == "zeros":
        A[:, rng.random(n) < 0.3] = 0.0
    elif kind == "lengths":
        A *= 10.0 ** rng.integers(-2, 3, n)
    elif kind == "few rows":
        A[rng.integers(m)] = A[rng.integers(m)]
    if not real and draw(st.booleans()):
        A = A + 1j * rng.permuted(A)
    codes = np.zeros((n, signals), A.dtype)
    for s in codes.T:
        S = rng.choice(n, k, replace=False)
        s[S] = rng.standard_normal(k) * 10.0 ** rng.integers(-2, 1, k)
    if not real and draw(st.booleans()):
        codes = codes * np.exp(2j * np.pi * rng.random((1, signals)))
    A = A * draw(st.sampled_from([1.0, 1.0, 1e-6, 1e4]))
    narrow = draw(st.booleans())
    if narrow:
        A = A.astype(np.complex64 if np.iscomplexobj(A) else np.float32)
        A = A.astype(np.complex128 if np.iscomplexobj(A) else np.float64) if draw(st.booleans()) else A
    Y = A.astype(np.result_type(A.dtype, np.float64)) @ codes
    told = draw(st.sampled_from(["exact", "exact", "noisy", "unrelated", "one is zero"]))
    size = float(np.abs(Y).max(initial=0.0)) or 1.0
    if told in ("noisy", "unrelated"):
        Y = (Y if told == "noisy" else 0 * Y) + (0.05 if told == "noisy" else 1.0) * size * rng.standard_normal(Y.shape)
    elif told == "one is zero":
        Y[:, 0] = 0.0
    case = Case(A, Y, k, draw(st.sampled_from(sorted(STORED))), told in ("exact", "one is zero"), kind == "plain")
    note(f"{kind} {told} {case.way} k={k} {A!r} {Y!r}")
    return case


def norm(v: np.ndarray) -> float:
    return float(np.sqrt((np.abs(v) ** 2).sum()))


def signals_of(case: Case, found: Recovery) -> list[tuple[int, np.ndarray, Status]]:
    """Each signal's number, code and status, after the shapes, the dtype and the residuals were looked at."""
    assert found.code.shape == (case.A.shape[1], case.Y.shape[1])
    assert np.isfinite(found.code).all()
    assert np.iscomplexobj(found.code) == (np.iscomplexobj(case.A) or np.iscomplexobj(case.Y))
    lengths = np.linalg.norm(case.A, axis=0)
    for i, s in enumerate(found.code.T):
        rounding = ROUNDED * (np.linalg.norm(case.Y[:, i]) + lengths @ np.abs(s))
        assert abs(found.residual_norm[i] - norm(case.residual(s, i))) <= rounding
        assert case.Y[:, i].any() or not s.any()
    return [(i, s, found.statuses[i]) for i, s in enumerate(found.code.T)]


# --- ℓ₁


def proved_below(A: np.ndarray, w: np.ndarray, y: np.ndarray, noise: float) -> float:
    """The largest bound of ‖s‖₁ that a multiple of w, no longer than it, proves among ‖y − A s‖ ≤ noise."""
    kind = COMPLEX if np.iscomplexobj(A) or np.iscomplexobj(w) else LONG
    w = w.astype(kind)
    w = w / max(LONG(1), np.abs(A.astype(kind).conj().T @ w).max(initial=0))
    return float((w.conj() * y).sum().real - noise * np.sqrt((np.abs(w) ** 2).sum()))


def least_by_simplex(A: np.ndarray, y: np.ndarray) -> float | None:
    """In units of ‖A‖∞ and ‖y‖∞, which HiGHS' tolerances are absolute in; None where it finds no code."""
    n, unit, size = A.shape[1], float(np.abs(A).max()), float(np.abs(y).max())
    if unit == 0 or size == 0:
        return None
    A64 = A.astype(np.float64) / unit
    theirs = linprog(np.ones(2 * n), A_eq=np.hstack([A64, -A64]), b_eq=y / size, method="highs-ds")
    return float(theirs.fun) * size / unit if theirs.status == 0 else None


@attack
@given(case=cases(), noise=st.sampled_from([0.0, 0.0, 0.05, 0.5]))
def test_the_least_l1_norm_is_proved(case: Case, noise: float) -> None:
    radius = noise * float(np.linalg.norm(case.Y, axis=0).max())
    options = {"noise": radius} if noise else {}
    found = recover(case.stored, case.Y, "bpdn" if noise else "basis_pursuit", **options)
    for i, s, status in signals_of(case, found):
        y, size, value = case.Y[:, i], norm(case.Y[:, i]), float(np.abs(s.astype(COMPLEX)).sum())
        bound = proved_below(case.A, found.certificate.dual[:, i], y, radius)
        note(f"signal {i}: {status}, value {value!r}, bound {bound!r}")
        assert found.certificate.value[i] == pytest.approx(value, rel=1e-9)
        assert found.certificate.bound[i] <= bound + ROUNDED * (abs(bound) + value)
        if status is Status.CONVERGED:
            assert norm(case.residual(s, i)) <= (radius * (1 + 2e-7) if noise else 2e-7 * size)
            assert value - bound <= 2e-7 * value
        if noise == 0 and not np.iscomplexobj(case.A) and not np.iscomplexobj(case.Y):
            theirs = least_by_simplex(case.A, y)
            assert theirs is None or bound <= theirs * (1 + 1e-6)
            if status is Status.CONVERGED and theirs is not None:
                assert value <= theirs * (1 + 1e-5)
        sure = case.plain or not np.iscomplexobj(s)  # complex columns that nearly tie may stall, and say so
        if sure and (case.exact or radius > size):
            assert status is Status.CONVERGED


@attack
@given(case=cases(), share=st.sampled_from([0.9, 0.1, 1e-3]), method=st.sampled_from(["bpdn", "fista"]))
def test_the_least_penalised_objective_is_proved(case: Case, share: float, method: str) -> None:
    m = len(case.A)
    top = float(np.abs(case.A.conj().T.astype(COMPLEX) @ case.Y).max()) / m
    if top == 0:
        return
    alpha = share * top
    found = recover(case.stored, case.Y, method, alpha=alpha)
    for i, s, status in signals_of(case, found):
        y = case.Y[:, i].astype(COMPLEX)
        r = case.residual(s, i)
        value = float((np.abs(r) ** 2).sum() / (2 * m) + alpha * np.abs(s).sum(dtype=LONG))
        c = case.A.astype(COMPLEX).conj().T @ r
        rr, yr, most = float((np.abs(r) ** 2).sum()), float((r.conj() * y).sum().real), float(np.abs(c).max(initial=0))
        t = max(0.0, min(yr / rr if rr > 0 else 0.0, m * alpha / most if most > 0 else np.inf))
        bound, null = (t * yr - t * t * rr / 2) / m, norm(y) ** 2 / (2 * m)
        note(f"signal {i}: {status}, value {value!r}, bound {bound!r}, null {null!r}")
        assert found.certificate.value[i] == pytest.approx(value, rel=1e-9)
        theta = found.certificate.dual[:, i].astype(COMPLEX)
        claimed = found.certificate.bound[i]
        assert np.abs(case.A.astype(COMPLEX).conj().T @ theta).max() <= m * alpha * (1 + ROUNDED)
        truth = float(((theta.conj() * y).sum().real - (np.abs(theta) ** 2).sum() / 2) / m)
        assert claimed <= truth + ROUNDED * null
        assert claimed <= value + ROUNDED * null
        if method == "bpdn" and (case.plain or not np.iscomplexobj(s)):
            assert status is Status.CONVERGED
        if status is Status.CONVERGED:
            assert value - max(bound, truth) <= 2e-7 * null


# --- Pursuits


def omp_twin(A: np.ndarray, y: np.ndarray, k: int) -> list[int] | None:
    """The columns in their order; None where two are as good, or nearly, so that rounding chooses."""
    lengths, S = np.linalg.norm(A, axis=0), []
    r = y
    for _ in range(k):
        seen = np.abs(A.conj().T @ r) / np.where(lengths > 0, lengths, np.inf)
        seen[S] = 0.0
        first, second = np.sort(seen)[::-1][:2] if len(seen) > 1 else (seen[0], 0.0)
        if first <= 1e-5 * np.linalg.norm(y):
            return None
        if second > first * (1 - 1e-5):
            return None
        S.append(int(seen.argmax()))
        z = np.linalg.lstsq(A[:, S], y, rcond=None)[0]
        r = y - A[:, S] @ z
    return S


@attack
@given(case=cases(), method=st.sampled_from(PURSUITS))
def test_pursuits_are_what_they_promise(case: Case, method: str) -> None:
    found = recover(case.stored, case.Y, method, n_nonzero=case.k)
    A = case.A.astype(np.result_type(case.A.dtype, np.float64))
    lengths = np.linalg.norm(A, axis=0)
    for i, s, status in signals_of(case, found):
        y, S = case.Y[:, i], np.flatnonzero(s)
        size, left = norm(y), norm(case.residual(s, i))
        note(f"signal {i}: {status}, support {S}, residual {left!r} of {size!r}")
        assert len(S) <= case.k
        assert (lengths[S] > 0).all()
        assert left <= size * (1 + 1e-9) or status is not Status.CONVERGED
        least = norm(y - A[:, S] @ np.linalg.lstsq(A[:, S], y, rcond=1e-9)[0]) if len(S) else size
        if method in (*SUPPORTS, "omp"):
            assert left <= least + 1e-8 * size
        if status is Status.CONVERGED and method in ("mp", "iht", "niht") and size > 0:
            slope = np.abs(A.conj().T @ case.residual(s, i).astype(A.dtype if A.dtype.kind == "c" else complex))[S]
            assert left <= 2e-7 * size or len(S) == 0 or (slope / lengths[S]).max() <= 1e-4 * size
        order = omp_twin(A, y, case.k) if method == "omp" else None
        if order is not None:
            np.testing.assert_array_equal(S[np.abs(s[S]) > 0], np.sort(order))


@attack
@given(case=cases(real=True), method=st.sampled_from(["iht", "ista"]))
def test_thresholding_is_the_textbooks_iteration(case: Case, method: str) -> None:
    """A few steps of the formula, with the textbook's step; A is scaled so that they do not diverge."""
    A = case.A.astype(np.float64)
    top = np.linalg.norm(A, 2)
    if top == 0:
        return
    A, y = A / (1.1 * top), case.Y[:, 0] / max(float(np.abs(case.Y[:, 0]).max()), 1e-300)
    m, k, s, alpha = len(A), case.k, np.zeros(A.shape[1]), 0.1 * float(np.abs(A.T @ y).max()) / len(A)
    if not (A.T @ y).any():
        return
    for _ in range(4):
        v = s + A.T @ (y - A @ s)
        if method == "iht":
            order = np.argsort(-np.abs(v), kind="stable")
            if k < len(v) and np.abs(v[order[k]]) > np.abs(v[order[k - 1]]) * (1 - 1e-9):
                return  # rounding chooses
            s = np.where(np.isin(np.arange(len(v)), order[:k]), v, 0.0)
        else:
            s = np.sign(v) * np.maximum(np.abs(v) - m * alpha, 0.0)
    options = {"n_nonzero": k} if method == "iht" else {"alpha": alpha}
    found = RECOVERIES[method].function(STORED[case.way](A), y, step=1.0, tol=1e-300, max_iter=4, **options)
    if found.n_iter == 4 and (method == "ista" or found.residual_norm == pytest.approx(norm(y - A @ s), rel=1e-9)):
        np.testing.assert_allclose(found.code, s, atol=1e-10)


# --- What must not matter

INDIFFERENT = ("basis_pursuit", "omp", "niht", "htp", "cosamp", "subspace_pursuit")


@attack
@given(case=cases(), method=st.sampled_from(INDIFFERENT), unit=st.sampled_from([1e-7, 1e5]))
def test_units_storage_and_other_signals_do_not_matter(case: Case, method: str, unit: float) -> None:
    options = {} if method == "basis_pursuit" else {"n_nonzero": case.k}
    whole = recover(case.stored, case.Y, method, **options)
    for i in range(case.Y.shape[1]):
        alone = recover(case.A, unit * case.Y[:, i], method, **options)
        note(f"signal {i}: {whole.statuses[i]} {whole.code[:, i]!r}, alone {alone.status} {alone.code!r}")
        values = [float(np.abs(s).sum()) for s in (whole.code[:, i], alone.code / unit)]
        size, scale = norm(case.Y[:, i]), max(values[0], 1e-300)
        if method == "basis_pursuit":
            if Status.CONVERGED is whole.statuses[i] is alone.status:
                assert abs(values[0] - values[1]) <= 1e-6 * scale
        elif case.plain:
            assert abs(whole.residual_norm[i] - alone.residual_norm / unit) <= 1e-6 * size


@attack
@given(case=cases(), method=st.sampled_from(sorted(set(RECOVERIES) - {"dantzig", "l0", "total_variation"})))
def test_a_start_at_the_answer_or_anywhere_gives_no_worse_answer(case: Case, method: str) -> None:
    taken = RECOVERIES[method]().get_params(deep=False)
    options: dict[str, Any] = {"n_nonzero": case.k} if "n_nonzero" in taken else {}
    if "alpha" in taken:
        options = {"alpha": 0.01 * max(float(np.abs(case.A.conj().T @ case.Y).max()) / len(case.A), 1e-300)}
    cold = recover(case.stored, case.Y, method, **options)
    signals_of(case, cold)
    warm = recover(case.stored, case.Y, method, **options, start=cold)
    signals_of(case, warm)
    sizes = np.linalg.norm(case.Y, axis=0)
    note(f"{cold.statuses} {cold.residual_norm!r}, warm {warm.statuses} {warm.residual_norm!r}")
    if method in PURSUITS:
        again = [i for i, status in enumerate(cold.statuses) if status is Status.CONVERGED]
        assert (warm.residual_norm[again] <= cold.residual_norm[again] + 1e-6 * sizes[again]).all()
        assert all(warm.statuses[i] is Status.CONVERGED for i in again)
    rng = np.random.default_rng(0)
    anywhere = rng.standard_normal(cold.code.shape) * (1 + np.abs(cold.code).max(initial=0.0))
    other = recover(case.stored, case.Y, method, **options, start=anywhere)
    signals_of(case, other)
    if method in ("basis_pursuit", "bpdn"):
        for i, status in enumerate(cold.statuses):
            if status is Status.CONVERGED:
                assert other.statuses[i] is warm.statuses[i] is Status.CONVERGED
                worth = float(cold.certificate.value[i])
                for each in (warm, other):
                    assert abs(each.certificate.value[i] - worth) <= 1e-5 * worth
