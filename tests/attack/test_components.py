"""PCA, sparse PCA and NMF by storage, dtype, shape, weights and solver, against the formulas written out.

The laws: principal directions are orthonormal eigenvectors of the covariance computed in long double; what sparse
components explain is the QR of their scores, and they have no more columns than asked; the objective of NMF is the
formula where it begins, never rises, and the scores of the rows given H are no worse than those of the fit.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, note
from hypothesis import strategies as st

from attack.profiles import attack
from attack.tables import STORAGE, numbers, stored, weights
from tamis import NMF, PCA, SparsePCA
from tamis._core.errors import ConvergenceWarning, InputError
from tolerances import EPS

LONG = np.longdouble
pytestmark = pytest.mark.skipif(np.finfo(LONG).eps > 1e-18, reason="the reference needs long doubles")

SPARSE = ("csr", "csc", "coo", "csr untidy", "csc untidy")


def centred(X: np.ndarray, s: np.ndarray | None, standardize: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows about their mean, times √(share of the weight · n/(n − 1)), so that their scatter is C; and the means."""
    n, seen = len(X), X if s is None else X[s > 0]
    share = np.full(n, LONG(1) / n) if s is None else s.astype(LONG) / s.astype(LONG).sum()
    mean = share @ X.astype(LONG)
    Y = (X.astype(LONG) - mean) * np.sqrt(share * n / (n - 1))[:, None]
    variance = (Y**2).sum(axis=0)
    # what is below the rounding of the numbers themselves counts as constant
    real = variance > (n * EPS * np.abs(seen.astype(LONG)).max(axis=0)) ** 2
    Y = np.where(real, Y, 0)
    return (Y / np.where(real, np.sqrt(variance), 1) if standardize else Y), mean


def tolerance(X: np.ndarray, Y: np.ndarray, solver: str, scale: np.ndarray) -> float:
    """Of a covariance: ε of the largest variance, and ε of the means, which rows are known to, times the spread."""
    eps = np.finfo(np.float32).eps if X.dtype == np.float32 and solver != "covariance" else EPS
    spread = float(np.sqrt((Y**2).sum(axis=0)).max(initial=0))
    level = float((np.abs(X.astype(LONG)).max(axis=0) / scale).max())
    off = EPS * level * np.sqrt(X.shape[1])
    residual = 1e-8 * spread**2 if solver == "krylov" else 0.0
    return residual + 200 * (eps * spread**2 * X.shape[1] + off * spread + off**2)


@attack
@given(
    X=numbers(),
    way=st.sampled_from(sorted(STORAGE)),
    solver=st.sampled_from(["auto", "covariance", "svd", "krylov"]),
    standardize=st.booleans(),
    data=st.data(),
)
def test_directions_are_eigenvectors_of_the_covariance(
    X: np.ndarray, way: str, solver: str, standardize: bool, data: Any
) -> None:
    if data.draw(st.booleans()):
        X = np.ascontiguousarray(X.T) if X.shape[1] > 1 else X  # fewer rows than columns
    s = data.draw(weights(len(X)))
    k = data.draw(st.integers(1, min(X.shape)))
    solver = "auto" if solver == "svd" and way in SPARSE else solver
    Y, mean = centred(X, s, standardize)
    note(f"{X!r} {s!r}")
    total = float((Y**2).sum())
    model = PCA(k, solver=solver, standardize=standardize)
    if total == 0:
        with pytest.raises(InputError, match="constant"):
            model.fit(stored(X, way), sample_weight=s)
        return
    model.fit(stored(X, way), sample_weight=s)
    C = (Y.T @ Y).astype(np.float64)
    V, found = model.components_.astype(np.float64), model.explained_variance_
    used = "krylov" if solver == "auto" and "krylov" in model.strategy_ else solver
    used = "covariance" if solver == "auto" and model.strategy_.startswith("covariance") else used
    off = tolerance(X, Y, used, model.scale_)
    note(f"{model.strategy_} tolerance {off:.3g} of {np.trace(C):.3g}")
    real = found > 0
    single = 1e-5 if X.dtype == np.float32 else 1e-9
    np.testing.assert_allclose(V @ V.T, np.eye(len(V)), atol=single)
    expected = np.sort(np.linalg.eigvalsh(C))[::-1][:k]
    np.testing.assert_allclose(found, expected, atol=off, rtol=single)
    residual = np.linalg.norm(V[real] @ C - found[real, None] * V[real], axis=1)
    assert (residual <= off + single * max(float(expected[0]), 0.0)).all(), residual
    np.testing.assert_allclose(model.mean_, mean.astype(np.float64), rtol=1e-6, atol=1e-6 * np.sqrt(total))


def adjusted(Y: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What each score adds to those before it, by Gram and Schmidt in long double, and how far it is known.

    A score that the others explain to rounding adds nothing, and what rounding left of it is no direction to take from
    others. A score of which they leave the share f of its variance has a direction known to ε/f from covariances.
    """
    Q, out, loose = np.zeros((len(Y), 0), dtype=LONG), np.zeros(len(V)), np.zeros(len(V))
    share = 0.0  # of what is taken from later scores, how much may be rounding
    for k, v in enumerate(V.astype(LONG)):
        z = Y @ v
        own, r = float(z @ z), z - Q @ (Q.T @ z)
        r = r - Q @ (Q.T @ r)
        out[k], loose[k] = float(r @ r), min(1.0, share) * own
        if own > 0 and out[k] > 0:
            share += 100 * len(v) * EPS * own / out[k]
            if out[k] > 1e-14 * own:
                Q = np.column_stack([Q, r / np.sqrt(r @ r)])
    return out, loose


@attack
@given(
    X=numbers(),
    way=st.sampled_from(sorted(STORAGE)),
    method=st.sampled_from(["elastic", "lasso", "power"]),
    standardize=st.booleans(),
    data=st.data(),
)
def test_sparse_components_explain_what_their_scores_do(
    X: np.ndarray, way: str, method: str, standardize: bool, data: Any
) -> None:
    if data.draw(st.booleans()):
        X = np.ascontiguousarray(X.T) if X.shape[1] > 1 else X
    s = data.draw(weights(len(X)))
    k = data.draw(st.integers(1, min(3, *X.shape)))
    asked = data.draw(st.lists(st.integers(1, X.shape[1]), min_size=k, max_size=k))
    Y, _ = centred(X, s, standardize)
    note(f"{X!r} {s!r}")
    model = SparsePCA(k, method=method, n_nonzero=asked, standardize=standardize)
    if not Y.any():
        with pytest.raises(InputError, match="constant"):
            model.fit(stored(X, way), sample_weight=s)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(stored(X, way), sample_weight=s)
    V = model.components_.astype(np.float64)
    assert ((V != 0).sum(axis=1) <= asked).all(), V
    lengths = np.linalg.norm(V, axis=1)
    single = 1e-5 if X.dtype == np.float32 else 1e-9
    assert (np.isclose(lengths, 1.0, atol=single) | (lengths == 0)).all()
    off = tolerance(X, Y, "svd", model.scale_)
    rtol = 1e-4 if X.dtype == np.float32 else 1e-7
    expected, loose = adjusted(Y, V)
    wrong = np.abs(model.explained_variance_ - expected)
    assert (wrong <= off + rtol * float(expected.max(initial=0.0)) + loose).all(), (wrong, expected, loose)
    assert model.explained_variance_ratio_.sum() <= 1 + rtol + off / max(float((Y**2).sum()), 1e-300)


@st.composite
def parts(draw: Callable[..., Any]) -> np.ndarray:
    """X ≥ 0: sums of parts, counts, rows and columns of zeros; scales from 1e-6 to 1e6."""
    n, p = draw(st.integers(1, 25)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.uniform(size=(n, 3)) @ rng.uniform(size=(3, p)) * draw(st.sampled_from([1.0, 1e-6, 1e6]))
    if draw(st.booleans()):
        X = rng.poisson(2 * X / X.mean()).astype(float)
    if draw(st.booleans()):
        X[rng.integers(n)] = 0.0
        X[:, rng.integers(p)] = 0.0
    return X.astype(draw(st.sampled_from([np.float64, np.float32])))


def divergence(X: np.ndarray, Z: np.ndarray, datafit: str) -> np.ndarray:
    """Of each entry; 0 where X is missing."""
    X, Z = X.astype(LONG), Z.astype(LONG)
    if datafit == "squared":
        return np.nan_to_num((X - Z) ** 2 / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.where(X > 0, X * np.log(X / Z), 0)
    return np.where(np.isnan(X), 0, log - X + Z)


def objective(X: np.ndarray, W: np.ndarray, H: np.ndarray, s: np.ndarray, model: NMF) -> float:
    """(1/n)[Div(X, W H) + α_W Ω(W)] + α_H Ω(H), rows counted s times."""
    rho, used = model.l1_ratio, s > 0
    X, W, s = X[used], W[used], s[used]  # rows without weight may be out of reach
    size = [rho * F + (1 - rho) / 2 * F**2 for F in (W.astype(LONG), H.astype(LONG))]
    rows = divergence(X, W.astype(LONG) @ H, model.datafit).sum(axis=1) + model.alpha_W * size[0].sum(axis=1)
    return float(s @ rows / s.sum() + model.alpha_H * size[1].sum())


@attack
@given(
    X=parts(),
    kind=st.sampled_from([("squared", "hals"), ("squared", "mu"), ("kl", "newton"), ("kl", "mu")]),
    way=st.sampled_from(["C", "F", "csr", "csc", "gaps", "list", "read only"]),
    l1_ratio=st.sampled_from([0.0, 0.3, 1.0]),
    penalised=st.booleans(),
    data=st.data(),
)
def test_objective_is_the_formula_and_never_rises(
    X: np.ndarray, kind: tuple[str, str], way: str, l1_ratio: float, penalised: bool, data: Any
) -> None:
    datafit, solver = kind
    k = data.draw(st.integers(1, 4))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    s = data.draw(weights(len(X)))
    if way == "gaps":
        X = np.where(rng.random(X.shape) < 0.2, np.nan, X).astype(X.dtype)
    level = float(np.nan_to_num(X).mean())
    unit = max(level, 1e-3) ** (2 if datafit == "squared" else 1)
    alpha = {"alpha_W": 0.1 * unit, "alpha_H": 0.01 * unit} if penalised else {}
    size = np.sqrt(max(level, 1e-3) / k)
    start = size * rng.uniform(0.1, 1, (len(X), k)), size * rng.uniform(0.1, 1, (k, X.shape[1]))
    model = NMF(k, datafit=datafit, solver=solver, init=start, l1_ratio=l1_ratio, max_iter=20, **alpha)
    note(f"{X!r} {s!r} {start!r} {model!r}")
    given_X = X if way == "gaps" else stored(X, way)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(given_X, sample_weight=s)
    one = np.ones(len(X)) if s is None else s
    single = 1e-5 if X.dtype == np.float32 and way != "list" else 1e-8
    trace = model.diagnostics_.trace[:, 1]
    at_start = objective(X, *start, one, model)
    squares = float((np.nan_to_num(X).astype(float) ** 2).mean())
    noise = single * X.shape[1] * (squares if datafit == "squared" else level)
    np.testing.assert_allclose(trace[0], at_start, rtol=single, atol=noise)
    assert (np.diff(trace) <= single * np.abs(trace[:-1]) + noise).all(), trace
    W = model.transform(given_X)
    assert (np.isfinite(W) & (W >= 0)).all()
    assert (model.components_ >= 0).all()
    reached = objective(X, np.asarray(W, dtype=float), model.components_.astype(float), one, model)
    assert reached <= model.objective_ * (1 + 10 * single) + 10 * noise, (reached, model.objective_)
    if way in ("csr", "csc"):
        assert sp.issparse(given_X)
