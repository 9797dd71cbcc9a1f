"""Coders and updates of dictionaries by storage, dtype, scale, gaps and degenerate atoms, against formulas written out.

The laws: a lasso code is above the objective of plain coordinate descent in long double by no more than its gap, and a
pursuit leaves the least squares residual of the atoms it uses; sweeps of exact steps never raise the objective, and the
last value of the trace is that of the codes; orthonormal atoms stay orthonormal; ``partial_fit`` in any split of the
rows has the documented statistics and atoms; rows in a file give what rows in memory give.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from scipy.sparse import csr_array, issparse

from attack.profiles import attack
from attack.tables import STORAGE, stored
from reference.codes import atom_descent
from tamis import DictionaryLearner, OnlineDictionary, OrthogonalDictionary
from tamis._core.errors import ConvergenceWarning
from tamis.dictionary import (
    FISTACoder,
    KSVDUpdate,
    LassoCoder,
    MODUpdate,
    OMPCoder,
    OnlineUpdate,
    ProcrustesUpdate,
    ProjectedUpdate,
    ThresholdCoder,
    atom_coherence,
)
from tolerances import EPS

LONG = np.longdouble
pytestmark = pytest.mark.skipif(np.finfo(LONG).eps > 1e-18, reason="the reference needs long doubles")
SCALES = (1.0, 1.0, 1e-6, 1e-3, 1e4)


class Signals(NamedTuple):
    X: np.ndarray
    D: np.ndarray
    Z: np.ndarray


@st.composite
def signals(draw: Callable[..., Any], rows: tuple[int, int] = (1, 25), gaps: bool = False) -> Signals:
    """Rows of few atoms and noise; zero, constant, equal rows; atoms that are copies, nearly copies, sums, zero."""
    n, p, k = draw(st.integers(*rows)), draw(st.integers(1, 10)), draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    D = rng.standard_normal((k, p)) * draw(st.sampled_from([1.0, 1.0, 1e-3, 1e3]))
    D[rng.integers(k)] = D[0] + draw(st.sampled_from([0.0, 1e-9, 1e-4])) * rng.standard_normal(p)
    D[rng.integers(k)] = draw(st.sampled_from([D[-1] - D[0], np.zeros(p), D[-1]]))
    Z = rng.standard_normal((n, k)) * (rng.random((n, k)) < draw(st.sampled_from([0.1, 0.3, 1.0])))
    X = Z @ D + draw(st.sampled_from([0.0, 0.01, 1.0])) * rng.standard_normal((n, p))
    X[rng.random(n) < draw(st.sampled_from([0.0, 0.3]))] = draw(st.sampled_from([0.0, 1.0, -2.0]))
    scale = draw(st.sampled_from(SCALES))
    X *= scale
    if gaps:
        X[rng.random((n, p)) < draw(st.sampled_from([0.0, 0.0, 0.2, 0.7]))] = np.nan
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    return Signals(X.astype(dtype), D.astype(dtype), scale * Z)


def values(X: np.ndarray, Z: np.ndarray, D: np.ndarray, alpha: float) -> np.ndarray:
    """½‖x − zD‖² + α‖z‖₁ of each row over the entries that are observed, in long double."""
    R = X.astype(LONG) - Z.astype(LONG) @ D.astype(LONG)
    return 0.5 * np.nansum(R**2, axis=1) + LONG(alpha) * np.abs(Z.astype(LONG)).sum(axis=1)


def descended(X: np.ndarray, D: np.ndarray, alpha: float, positive: bool, start: np.ndarray) -> np.ndarray:
    """Codes of the lasso by coordinate descent on the rows, in long double, from ``start``."""
    X, D, Z = X.astype(LONG), D.astype(LONG), start.astype(LONG)
    squares, R = (D**2).sum(axis=1), X - Z @ D
    for _ in range(300):
        for j in np.flatnonzero(squares > 0):
            v = Z[:, j] * squares[j] + R @ D[j]
            size = np.maximum((v if positive else np.abs(v)) - LONG(alpha), 0) / squares[j]
            step = (size if positive else np.copysign(size, v)) - Z[:, j]
            R -= np.outer(step, D[j])
            Z[:, j] += step
    return Z


def rounding(X: np.ndarray, Z: np.ndarray, D: np.ndarray) -> np.ndarray:
    """What ½‖x − zD‖² is known to where each product and sum is rounded, for each row."""
    eps = float(np.finfo(X.dtype).eps)
    size = np.abs(np.nan_to_num(X)).astype(float) + np.abs(Z).astype(float) @ np.abs(D).astype(float)
    return 20 * (eps * (size**2).sum(axis=1) * (1 if X.dtype == np.float64 else eps) + EPS * (size**2).sum(axis=1))


@attack
@given(
    drawn=signals(),
    share=st.sampled_from([1e-4, 0.03, 0.3, 0.9, 2.0]),
    positive=st.booleans(),
    kind=st.sampled_from(["lasso", "lasso", "fista"]),
    start=st.sampled_from(["none", "random", "near"]),
    n_jobs=st.sampled_from([1, 2]),
)
def test_lasso_codes_are_within_their_gaps(
    drawn: Signals, share: float, positive: bool, kind: str, start: str, n_jobs: int
) -> None:
    X, D, _ = drawn
    alpha = share * float(np.abs(X.astype(float) @ D.T.astype(float)).max(initial=0)) or 0.1
    coder = (
        LassoCoder(alpha, positive=positive, n_jobs=n_jobs)
        if kind == "lasso"
        else FISTACoder(alpha, positive=positive, max_iter=300)
    )
    rng = np.random.default_rng(len(X))
    before = None
    if start != "none":
        before = rng.standard_normal((len(X), len(D))) * (rng.random((len(X), len(D))) < 0.3)
        before = csr_array(
            (before if start == "random" else coder.solve(X, D).Z.toarray() + 1e-3 * before).astype(X.dtype)
        )
    note(f"{X!r} {D!r} {coder!r}")
    found = coder.solve(X, D, before)
    Z = found.Z.toarray()
    assert np.isfinite(Z).all()
    assert not positive or (Z >= 0).all()
    mine = values(X, Z, D, alpha)
    best = np.minimum(values(X, descended(X, D, alpha, positive, Z), D, alpha), values(X, 0 * Z, D, alpha))
    off = rounding(X.astype(float), Z, D)
    assert (mine - best <= found.gaps + off).all(), (mine - best, found.gaps)
    again = found.certificate.verify(X).gaps
    assert (mine - best <= again + off).all(), (mine - best, again)
    tol = 1e-4 if X.dtype == np.float32 else 1e-7
    small = found.gaps <= tol * (X.astype(float) ** 2).sum(axis=1) / 2 * (1 + 1e-9) + np.finfo(float).tiny
    assert small.all() == (found.status == "converged")


@attack
@given(
    drawn=signals((1, 80), gaps=True),
    n_nonzero=st.sampled_from([1, 2, 2, 3, 3, 5, 50]),
    noise=st.sampled_from([None, None, None, 0.0, 0.1, 2.0]),
    positive=st.sampled_from([False, False, True]),
    again=st.sampled_from([True, True, False]),
)
def test_pursuits_leave_the_residual_of_least_squares(
    drawn: Signals, n_nonzero: int, noise: float | None, positive: bool, again: bool
) -> None:
    X, D, _ = drawn
    level = float(np.sqrt(np.nanmean(X.astype(float) ** 2))) if np.isfinite(X).any() else 1.0
    bound = None if noise is None else noise * level
    coder = OMPCoder(n_nonzero, bound, positive=positive)
    most = min(n_nonzero, *D.shape)
    before = csr_array(truth(drawn.Z, most, positive).astype(X.dtype)) if again else None
    note(f"{X!r} {D!r} {coder!r}")
    Z = coder.encode(X, D, before)
    assert (np.diff(Z.indptr) <= most).all()
    assert not positive or (Z.data >= 0).all()
    single = 1e-3 if X.dtype == np.float32 else 1e-8
    if before is not None and noise is None:
        now, then = (values(X, codes.toarray(), D, 0.0) for codes in (Z, before))
        size = np.nansum(X.astype(float) ** 2, axis=1) + 1e-300
        known = 64 * float(np.finfo(X.dtype).eps) * size  # ‖r‖² is ‖x‖² less what the code explains, both rounded
        assert (now <= then * (1 + single) + known).all(), (now - then) / size
    kept = np.zeros(len(X), bool) if before is None else _equal_rows(Z, before)
    for i, (x, z) in enumerate(zip(X.astype(float), Z.toarray().astype(float), strict=True)):
        seen = np.isfinite(x)
        if kept[i] or not z.any():
            continue
        used = z != 0
        A = D[used][:, seen].astype(float)
        r = x[seen] - z[used] @ A
        size = np.linalg.norm(x[seen]) + np.abs(z[used]) @ np.linalg.norm(A, axis=1)
        along = np.abs(A @ r) / np.maximum(np.linalg.norm(A, axis=1), 1e-300)
        assert (along <= single * size).all(), (i, along, size)
        assert np.linalg.norm(r) <= np.linalg.norm(x[seen]) * (1 + 1e-6) + single * size


def truth(Z: np.ndarray, n_nonzero: int, positive: bool) -> np.ndarray:
    """The largest entries of each planted code."""
    Z = np.maximum(Z, 0) if positive else Z
    least = -np.sort(-np.abs(Z), axis=1)[:, [n_nonzero - 1]]
    return np.where(np.abs(Z) >= least, Z, 0)


def _equal_rows(Z: csr_array, other: csr_array) -> np.ndarray:
    return (Z.toarray() == other.toarray()).all(axis=1)


NEVER_RISES = {
    "ksvd": (OMPCoder, KSVDUpdate(), False),
    "exact": (OMPCoder, KSVDUpdate(exact=True), False),
    "ksvd positive": (OMPCoder, KSVDUpdate(), True),
    "exact positive": (OMPCoder, KSVDUpdate(exact=True), True),
    "mod": (OMPCoder, MODUpdate(), False),
    "lasso online": (LassoCoder, OnlineUpdate(batch_size=None), False),
    "lasso projected": (LassoCoder, ProjectedUpdate(), True),
    "lasso dropped": (LassoCoder, ProjectedUpdate(unused="drop"), False),
    "procrustes": (ThresholdCoder, ProcrustesUpdate(), False),
}


@attack
@given(
    drawn=signals((1, 60), gaps=True),
    name=st.sampled_from(sorted(NEVER_RISES)),
    init=st.sampled_from(["samples", "dct", "svd", "given"]),
    n_nonzero=st.sampled_from([1, 2, 4]),
    unused=st.sampled_from(["replace", "keep"]),
)
def test_the_objective_never_rises(drawn: Signals, name: str, init: str, n_nonzero: int, unused: str) -> None:
    (X, D, _), (kind, update, positive) = drawn, NEVER_RISES[name]
    level = float(np.sqrt(np.nanmean(X.astype(float) ** 2))) if np.isfinite(X).any() else 0.0
    coder = (
        kind(n_nonzero, positive=positive)
        if kind is not LassoCoder
        else LassoCoder(0.1 * level or 0.1, positive=positive)
    )
    k = min(len(D), X.shape[1]) if name == "procrustes" else len(D)
    first: Any = D[:k] if init == "given" else init
    learner = DictionaryLearner(
        k, coder, update, init=first, max_iter=6, tol=0.0, unused=unused, random_state=0
    )  # fmt: skip
    note(f"{X!r} {learner!r}")
    learner.fit(X)
    atoms, trace = learner.components_.astype(float), learner.objective_trace_
    assert np.isfinite(atoms).all()
    assert (np.linalg.norm(atoms, axis=1) <= 1 + 1e-5).all()
    nothing = 0.5 * float(np.nansum(X.astype(float) ** 2)) / len(X)
    single = 1e-4 if X.dtype == np.float32 else 1e-7 if kind is LassoCoder else 1e-9
    assert (np.diff(trace) <= single * nothing).all(), np.diff(trace) / nothing
    assert 0 <= trace[-1] <= nothing * (1 + single)
    if name == "procrustes":
        np.testing.assert_allclose(atoms @ atoms.T, np.eye(k), atol=1e-5 if X.dtype == np.float32 else 1e-9)


@attack
@given(drawn=signals((1, 40)), way=st.sampled_from(sorted(STORAGE)), n_nonzero=st.sampled_from([1, 3, 20]))
def test_orthonormal_atoms_stay_so(drawn: Signals, way: str, n_nonzero: int) -> None:
    X = drawn.X
    note(f"{X!r}")
    learner = OrthogonalDictionary(n_nonzero, max_iter=5, tol=0.0).fit(stored(X, way))
    p, single = X.shape[1], 1e-5 if learner.components_.dtype == np.float32 else 1e-10
    atoms = learner.components_.astype(float)
    np.testing.assert_allclose(atoms @ atoms.T, np.eye(p), atol=single)
    nothing = 0.5 * float((X.astype(float) ** 2).sum()) / len(X)
    assert (np.diff(learner.objective_trace_) <= 10 * single * nothing).all()
    Z = learner.transform(stored(X, way))
    assert issparse(Z)
    assert (np.diff(Z.indptr) <= n_nonzero).all()
    expected = -np.sort(-np.abs(X.astype(float) @ atoms.T), axis=1)[
        :, :n_nonzero
    ]  # the largest, whose squares are kept
    left = 0.5 * ((X.astype(float) ** 2).sum() - (expected**2).sum()) / len(X)
    assert -learner.score(stored(X, way)) == pytest.approx(left, abs=100 * single * nothing)


@attack
@given(
    drawn=signals((1, 40)),
    cuts=st.lists(st.integers(0, 40), max_size=5),
    forgetting=st.sampled_from([1.0, 0.99, 0.5]),
    positive=st.booleans(),
    sparse=st.booleans(),
)
def test_partial_fit_in_any_split_has_the_documented_statistics(
    drawn: Signals, cuts: list[int], forgetting: float, positive: bool, sparse: bool
) -> None:
    X, D = drawn.X.astype(np.float64), drawn.D.astype(np.float64)
    alpha = 0.1 * float(np.sqrt((X**2).mean())) or 0.1
    parts = np.split(X, sorted({c for c in cuts if 0 < c < len(X)}))
    coder = LassoCoder(alpha, positive=positive)
    learner = OnlineDictionary(len(D), alpha, forgetting=forgetting, positive=positive, init=D, random_state=0)
    lengths = np.linalg.norm(D, axis=1, keepdims=True)
    atoms = D / np.where(lengths > 0, lengths, 1)
    A, B = np.zeros((len(D), len(D)), LONG), np.zeros(D.shape, LONG)
    rest, n = LONG(0), LONG(0)  # Σ ½‖x‖² + α‖z‖₁, and Σ 1
    note(f"{X!r} {D!r} {[len(part) for part in parts]}")
    for part in parts:
        Z = coder.encode(part, atoms).toarray().astype(LONG)
        learner.partial_fit(csr_array(part) if sparse else part)
        old = LONG(forgetting) ** len(part)
        A, B = old * A + Z.T @ Z, old * B + Z.T @ part.astype(LONG)
        rest, n = old * rest + 0.5 * (part**2).sum() + alpha * np.abs(Z).sum(), old * n + len(part)
        size = float(rest)
        np.testing.assert_allclose(learner.statistics_.A, A.astype(float), rtol=1e-9, atol=1e-9 * np.abs(A).max())
        np.testing.assert_allclose(learner.statistics_.B, B.astype(float), rtol=1e-9, atol=1e-9 * np.abs(B).max())
        expected = atom_descent(A, B, atoms.astype(LONG))
        atoms = learner.components_
        assert _surrogate(A, B, atoms) == pytest.approx(_surrogate(A, B, expected), rel=1e-9, abs=1e-9 * size)
        value = (_surrogate(A, B, atoms) + size) / float(n)
        assert learner.objective_trace_[-1] == pytest.approx(value, rel=1e-9, abs=1e-9 * size / float(n))
    assert learner.n_iter_ == len(parts)


def _surrogate(A: np.ndarray, B: np.ndarray, D: np.ndarray) -> float:
    D = D.astype(LONG)
    return float(0.5 * (A * (D @ D.T)).sum() - (B * D).sum())


@attack
@given(drawn=signals((1, 40)), limit=st.sampled_from([0.3, 0.6, 0.9]), n_nonzero=st.sampled_from([1, 3]))
def test_the_coherence_limit_holds_or_is_refused(drawn: Signals, limit: float, n_nonzero: int) -> None:
    X, (k, p) = drawn.X, drawn.D.shape
    learner = DictionaryLearner(k, OMPCoder(n_nonzero), max_coherence=limit, max_iter=3, tol=0.0, random_state=0)
    welch = np.sqrt((k - p) / (p * (k - 1))) if k > p else 0.0
    if limit <= welch:
        with pytest.raises(ValueError, match="Welch"):
            learner.fit(X)
        return
    note(f"{X!r} {learner!r}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner.fit(X)
    reachable = limit > 1.5 * welch + 0.2  # near Welch's bound no arrangement may be found, or be there at all
    assert not reachable or atom_coherence(learner.components_) <= limit + 1e-5
