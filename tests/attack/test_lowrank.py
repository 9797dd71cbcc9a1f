"""Completion and robust PCA, of small matrices with gaps, copies, zeros and gross errors on many scales.

The laws: the objective written out is what the certificate says, and no point that a reference finds lies below the
certificate's bound; what is called converged is as near to the optimum as it says; predictions agree with each other
whichever way they are asked for. The references are multipliers and proximal steps on LAPACK's decompositions, whose
points are allowed ones however far they have come: their objective is never below the minimum.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, note
from hypothesis import strategies as st

from attack.profiles import LONG, attack
from tamis import GraphRobustPCA, InputError, MatrixCompletion, RobustPCA
from tamis._core.errors import ConvergenceWarning
from tamis.lowrank.separation.graphs import laplacian
from tolerances import EPS

STEPS = 400 if LONG else 150  # of the references


@st.composite
def matrices(draw: Callable[..., Any], most: int = 9, missing: tuple[float, ...] = (0.0, 0.2, 0.5)) -> np.ndarray:
    """X (n, p) with NaN: low rank, some entries grossly wrong, noise, on a scale, far from zero or not."""
    n, p = draw(st.integers(1, most)), draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rank = draw(st.integers(0, min(n, p)))
    X = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, p))
    X += draw(st.sampled_from([0.0, 0.01, 1.0])) * rng.standard_normal((n, p))
    X += draw(st.sampled_from([0.0, 1.0, 1e3])) * (rng.random((n, p)) < 0.1)
    X += draw(st.sampled_from([0.0, 0.0, 1.0, 1e4]))
    if draw(st.booleans()) and n > 1:
        X[-1] = X[0]
    if draw(st.integers(0, 4)) == 0:
        X[:, rng.integers(p)] = 0.0
    X[rng.random((n, p)) < draw(st.sampled_from(missing))] = np.nan
    X *= draw(st.sampled_from([1.0, 1.0, 1e-12, 1e-3, 1e6]))
    assume(np.isfinite(X).any())
    return X.astype(draw(st.sampled_from([np.float64, np.float64, np.float32])))


def quietly(model: Any, *given: Any, **named: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(*given, **named)


def nuclear(M: np.ndarray) -> float:
    return float(np.linalg.svd(M.astype(np.float64), compute_uv=False).sum())


def lowered(A: np.ndarray, tau: float) -> np.ndarray:
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    return (U * np.maximum(s - tau, 0)) @ Vt


def rounding(X: np.ndarray, size: float) -> float:
    """What objectives may differ by: sums of n p numbers of the dtype; results are no finer than X."""
    eps = float(np.finfo(np.float32).eps) if X.dtype == np.float32 else EPS
    return 50 * eps * X.size * size


# ---- completion ------------------------------------------------------------------------------------------------------


def as_given(X: np.ndarray, way: str, rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    """The entries of X as an array, a sparse array, triplets in any order, or a long table."""
    if way == "array":
        return X, {}
    i, j = np.nonzero(np.isfinite(X))
    order = rng.permutation(len(i))
    i, j = i[order], j[order]
    if way == "sparse":
        return sp.coo_array((X[i, j], (i, j)), shape=X.shape), {}
    if way == "triplets":
        return (i, j, X[i, j]), {}
    table = pd.DataFrame({"u": [f"u{k}" for k in i], "i": [f"i{k}" for k in j], "v": X[i, j]})
    return table, {"columns": ("u", "i", "v")}


def penalised(X: np.ndarray, M: np.ndarray, alpha: float) -> float:
    R = (X.astype(np.float64) - M)[np.isfinite(X)]
    return 0.5 * float(R @ R) + alpha * nuclear(M)


def completed_by_steps(X: np.ndarray, alpha: float) -> np.ndarray:
    """FISTA on ½‖P_Ω(X − M)‖² + α‖M‖_*."""
    observed = np.isfinite(X)
    filled = np.nan_to_num(X.astype(np.float64))
    M = Y = np.zeros(X.shape)
    t = 1.0
    for _ in range(STEPS):
        new = lowered(np.where(observed, filled, Y), alpha)
        after = (1 + np.sqrt(1 + 4 * t * t)) / 2
        Y, M, t = new + (t - 1) / after * (new - M), new, after
    return M


@attack
@given(
    X=matrices(),
    method=st.sampled_from(["soft_impute", "als"]),
    share=st.sampled_from([1e-3, 0.1, 0.5, 0.99, 2.0]),
    data=st.data(),
)
def test_no_completion_lies_below_the_bound(X: np.ndarray, method: str, share: float, data: Any) -> None:
    filled = np.nan_to_num(X.astype(np.float64))
    alpha = share * float(np.linalg.norm(filled, 2))
    assume(alpha > 0)
    note(f"{X!r} {alpha}")
    way = data.draw(st.sampled_from(["array", "sparse"]))
    options = {} if method == "soft_impute" else {"biases": False}
    model = quietly(
        MatrixCompletion(method, alpha=alpha, random_state=0, **options), as_given(X, way, np.random.default_rng(0))[0]
    )
    M = model.row_factors_ @ model.column_factors_.T
    null = 0.5 * float(np.sum(filled**2))
    slack = rounding(X, null + alpha * nuclear(filled))
    gap = model.certificate_
    assert gap.primal == pytest.approx(penalised(X, M, alpha), abs=slack)
    assert gap.dual <= penalised(X, completed_by_steps(X, alpha), alpha) + slack
    assert gap.verify(X).gap == pytest.approx(gap.gap, abs=1e-6 * null + slack)
    if method == "soft_impute" and model.status_ == "converged":
        assert gap.gap <= 1e-7 * null + slack


@attack
@given(X=matrices(), seed=st.integers(0, 3))
def test_least_nuclear_norm_keeps_the_entries(X: np.ndarray, seed: int) -> None:
    """No split by the reference's multipliers, with the same entries, has a lower norm by more than the tolerance."""
    model = quietly(MatrixCompletion("soft_impute", alpha=0, random_state=seed), X)
    assume(model.status_ == "converged")
    M, observed = model.row_factors_ @ model.column_factors_.T, np.isfinite(X)
    size = float(np.linalg.norm(X[observed].astype(np.float64)))
    assert np.linalg.norm((M - X)[observed]) <= 1e-6 * size + rounding(X, size)
    filled = np.nan_to_num(X.astype(np.float64))
    r, A, Z = X.size / (4 * max(np.abs(filled).sum(), 1e-300)), filled, np.zeros(X.shape)
    for _ in range(STEPS):
        L = lowered(A + Z / r, 1 / r)
        A = np.where(observed, filled, L - Z / r)
        Z += r * (A - L)
    assert nuclear(M) <= nuclear(A) * (1 + 1e-4) + rounding(X, nuclear(filled))


@attack
@given(X=matrices(missing=(0.0, 0.2, 0.5)), data=st.data())
def test_predictions_agree_whichever_way_they_are_asked_for(X: np.ndarray, data: Any) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    way = data.draw(st.sampled_from(["array", "sparse", "triplets", "table"]))
    method, rank = data.draw(st.sampled_from([("als", None), ("als", 1), ("factored", 1), ("soft_impute", None)]))
    observed = np.isfinite(X)
    low, high = float(X[observed].min()), float(X[observed].max())
    bounds = (low, high) if low < high and data.draw(st.booleans()) else None
    given, named = as_given(X, way, rng)
    alpha = (
        None if method == "factored" else data.draw(st.sampled_from([None, float(np.abs(X[observed]).mean()) or 1.0]))
    )
    note(f"{X!r} {way} {method} {rank} {bounds} {alpha}")
    model = quietly(MatrixCompletion(method, rank, alpha, bounds=bounds, random_state=0, max_iter=50), given, **named)
    M = model.completed()
    assert np.isfinite(M).all()
    if bounds is not None:
        assert low <= M.min() <= M.max() <= high
    i, j = np.indices(M.shape).reshape(2, -1)
    rows = i if model.row_names_ is None else model.row_names_[i]
    columns = j if model.column_names_ is None else model.column_names_[j]
    size = float(np.abs(M).max()) or 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        np.testing.assert_allclose(model.predict(rows, columns), M.ravel(), rtol=0, atol=1e-9 * size)
        errors = model.standard_error(rows, columns)
        start, end = model.interval(rows, columns)
    assert np.isfinite(errors).all()
    assert (errors >= 0).all()
    assert (start <= M.ravel() + 1e-9 * size).all()
    assert (M.ravel() - 1e-9 * size <= end).all()
    best = model.recommend(rows[0], 3)
    assert list(best.values) == sorted(best.values, reverse=True)
    first = as_dense(X, model)[0]
    assert not set(best.columns.tolist()) & {
        c for c, seen in zip(_names(model), np.isfinite(first), strict=True) if seen
    }


def as_dense(X: np.ndarray, model: Any) -> np.ndarray:
    """X with rows and columns as the model has them."""
    if model.row_names_ is None:
        return X
    rows = [int(name[1:]) for name in model.row_names_]
    return X[np.ix_(rows, [int(name[1:]) for name in model.column_names_])]


def _names(model: Any) -> list[Any]:
    return list(range(model.n_features_in_)) if model.column_names_ is None else model.column_names_.tolist()


@attack
@given(X=matrices(missing=(0.0,)), data=st.data())
def test_a_given_rank_of_a_full_matrix_is_the_truncated_decomposition(X: np.ndarray, data: Any) -> None:
    """Eckart and Young: no matrix of that rank is nearer."""
    rank = data.draw(st.integers(1, min(X.shape)))
    model = quietly(MatrixCompletion("factored", rank, random_state=0), X)
    assume(model.status_ == "converged")
    M = model.row_factors_ @ model.column_factors_.T
    s = np.linalg.svd(X.astype(np.float64), compute_uv=False)
    best = float(np.sqrt(np.sum(s[rank:] ** 2)))
    assert model.rank_ <= rank
    assert np.linalg.norm(X - M) <= best * (1 + 1e-3) + (1e-4 if X.dtype == np.float32 else 1e-5) * s[0]


# ---- low rank + sparse -----------------------------------------------------------------------------------------------


def split_value(X: np.ndarray, L: np.ndarray, alpha: float) -> float:
    return nuclear(L) + alpha * float(np.abs(X.astype(np.float64) - L)[np.isfinite(X)].sum())


def split_by_multipliers(X: np.ndarray, alpha: float, gamma: float = 0.0, lap: Any = None) -> np.ndarray:
    """L of min ‖L‖_* + α‖P_Ω(X − L)‖₁ + γ tr(Lᵀ𝓛L), by ADMM with a copy of L for each term."""
    observed, filled = np.isfinite(X), np.nan_to_num(X.astype(np.float64))
    r = X.size / (4 * max(np.abs(filled).sum(), 1e-300))
    solve = np.eye(len(X)) if lap is None else np.linalg.inv(np.eye(len(X)) + 2 * gamma / r * lap)
    L, A, B = filled, np.zeros(X.shape), np.zeros(X.shape)
    for _ in range(STEPS):
        E = L - A - filled
        near = np.where(observed, filled + np.sign(E) * np.maximum(np.abs(E) - alpha / r, 0), L - A)
        smooth = solve @ (L - B)
        L = lowered((near + A + smooth + B) / 2, 1 / (2 * r))
        A += near - L
        B += smooth - L
    return L


@attack
@given(
    X=matrices(missing=(0.0, 0.2)),
    method=st.sampled_from(["auto", "alm", "admm", "certified"]),
    factor=st.sampled_from([None, 0.1, 0.5, 1.0, 3.0]),
    center=st.booleans(),
)
def test_no_split_lies_below_the_bound(X: np.ndarray, method: str, factor: float | None, center: bool) -> None:
    alpha = None if factor is None else factor / np.sqrt(max(X.shape))
    options = {"method": "auto", "certify": True} if method == "certified" else {"method": method}
    note(f"{X!r} {alpha} {center}")
    model = quietly(RobustPCA(alpha=alpha, center=center, random_state=0, **options), X)
    centred = (X - model.location_).astype(X.dtype)
    L, observed = model.scores_ @ model.components_, np.isfinite(X)
    size = split_value(centred, np.zeros(X.shape), model.alpha_) + nuclear(np.nan_to_num(centred))
    slack, gap = rounding(X, size), model.certificate_
    assert gap.primal == pytest.approx(split_value(centred, L, model.alpha_), abs=slack)
    assert gap.dual <= split_value(centred, split_by_multipliers(centred, model.alpha_), model.alpha_) + slack
    assert gap.verify(X).relative_gap == pytest.approx(gap.relative_gap, abs=1e-6 + slack / max(gap.primal, 1e-300))
    if model.status_ == "converged":
        tol = 1e-4 if X.dtype == np.float32 else 1e-7
        allowed = {"auto": 1e-3, "alm": 1e-3}.get(method, tol)
        assert gap.gap <= allowed * gap.primal + slack
        left = np.linalg.norm((centred - L - model.sparse_)[observed])
        assert left <= (1e-4 if method == "auto" else 2 * tol) * np.linalg.norm(centred[observed]) + slack


@attack
@given(
    X=matrices(most=8, missing=(0.0, 0.2)),
    form=st.sampled_from(["nuclear", "two_graphs"]),
    gamma=st.sampled_from([0.0, 0.1, 1.0, 100.0, 1e5]),
    seed=st.integers(0, 2**31),
)
def test_a_split_on_a_graph_is_at_its_minimum(X: np.ndarray, form: str, gamma: float, seed: int) -> None:
    """Graphs with loops, islands and any weights; where it says that it has converged."""
    rng = np.random.default_rng(seed)

    def graph(n: int) -> np.ndarray:
        W = np.where(rng.random((n, n)) < 0.4, rng.exponential(1.0, (n, n)), 0.0)
        return W + W.T

    size = float(np.nanmedian(np.abs(X))) or 1.0
    rows, columns = graph(len(X)), graph(X.shape[1])
    given: dict[str, Any] = {"row_graph": rows, "gamma": gamma / size, "max_iter": 2000}
    if form == "two_graphs":
        given |= {"column_graph": columns, "gamma_columns": gamma / size}
    note(f"{X!r} {rows!r} {columns!r} {given}")
    model = quietly(GraphRobustPCA(form, random_state=0, **given), X)
    assume(model.status_ == "converged")
    A = laplacian(rows, len(X), "row_graph").toarray()
    B = laplacian(columns, X.shape[1], "column_graph").toarray()

    def value(L: np.ndarray) -> float:
        L = L.astype(np.float64)
        rough = float(np.abs(X.astype(np.float64) - L)[np.isfinite(X)].sum())
        smooth = gamma / size * float(np.sum(L * (A @ L)))
        if form == "nuclear":
            return nuclear(L) + model.alpha_ * rough + smooth
        return rough + smooth + gamma / size * float(np.sum(L * (L @ B)))

    filled = np.nan_to_num(X.astype(np.float64))
    tried = [filled, np.zeros(X.shape), split_by_multipliers(X, max(X.shape) ** -0.5, gamma / size, A)]
    if form == "two_graphs":
        tried.append(smoothed(filled, np.isfinite(X), gamma / size, A, B))
    least, slack = min(value(L) for L in tried), rounding(X, value(np.zeros(X.shape)) + nuclear(filled))
    assert value(model.low_rank_) <= least * (1 + 1.01e-4) + slack


def smoothed(filled: np.ndarray, observed: np.ndarray, gamma: float, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """min ‖P_Ω(X − L)‖₁ + γ(tr LᵀAL + tr LBLᵀ) by multipliers, all entries of L in one linear system."""
    (n, p), r = filled.shape, filled.size / (4 * max(np.abs(filled).sum(), 1e-300))
    Q = 2 * gamma * (np.kron(A, np.eye(p)) + np.kron(np.eye(n), B))
    inverse = np.linalg.inv(np.eye(n * p) + Q / r)
    L, U = filled, np.zeros(filled.shape)
    for _ in range(STEPS):
        E = L - U - filled
        near = np.where(observed, filled + np.sign(E) * np.maximum(np.abs(E) - 1 / r, 0), L - U)
        L = (inverse @ (near + U).ravel()).reshape(n, p)
        U += near - L
    return L


@attack
@given(
    X=matrices(missing=(0.0, 0.2)),
    model=st.sampled_from(
        [MatrixCompletion(), MatrixCompletion("soft_impute"), RobustPCA(), RobustPCA("online"), GraphRobustPCA()]
    ),
    wrong=st.sampled_from([np.inf, -np.inf]),
    seed=st.integers(0, 1000),
)
def test_infinities_are_refused_and_the_model_stays(X: np.ndarray, model: Any, wrong: float, seed: int) -> None:
    model = quietly(model, np.arange(12.0).reshape(4, 3) % 5)
    before = {name: value for name, value in vars(model).items() if name.endswith("_")}
    X.flat[np.random.default_rng(seed).integers(X.size)] = wrong
    with pytest.raises(InputError, match="infinit") as said:
        model.fit(X)
    assert "\n" not in str(said.value)
    assert {name: value for name, value in vars(model).items() if name.endswith("_")}.keys() == before.keys()
    assert all(getattr(model, name) is value for name, value in before.items())
