"""Sparse linear models by strategy, storage, dtype, weights, scale, splitter and penalty, against a reference.

The law: the objective of the coefficients handed over, computed in long double from the rows as they are, is above the
least value that plain descent finds by no more than the duality gap that the model claims, and by what rounding the
coefficients to the numbers they are stored in can cost.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from attack.profiles import attack
from attack.tables import STORAGE, numbers, stored, target, weights
from reference.sparse import LONG, Squares
from tamis import SparseClassifier, SparseRegressor, SparseRegressorCV
from tamis._core.errors import ConvergenceWarning
from tamis.penalties import L1, L1L2, L2, Group, SparseGroup
from tolerances import EPS

pytestmark = pytest.mark.skipif(np.finfo(LONG).eps > 1e-18, reason="the reference needs long doubles")

SOLVERS = ("auto", "gram", "working_set", "fista")
PENALTIES = ("l1", "l1 weights", "l1 positive", "l2", "l1l2", "l1l2 weights positive", "group", "sparse group")


class Terms(NamedTuple):
    """What the penalty is, written out for the reference."""

    l1: np.ndarray
    l2: np.ndarray
    group: np.ndarray | None = None
    labels: np.ndarray | None = None
    positive: bool = False


def penalty(kind: str, p: int, rng: np.random.Generator) -> tuple[Any, Terms]:
    one, zero, v = np.ones(p), np.zeros(p), rng.choice([0.0, 0.5, 1.0, 2.0], p)
    labels = np.sort(rng.integers(0, max(1, p // 2), p))
    labels = np.unique(labels, return_inverse=True)[1]
    root = np.sqrt(np.bincount(labels))
    return {
        "l1": lambda: (L1(), Terms(one, zero)),
        "l1 weights": lambda: (L1(v), Terms(v, zero)),
        "l1 positive": lambda: (L1(positive=True), Terms(one, zero, positive=True)),
        "l2": lambda: (L2(), Terms(zero, one)),
        "l1l2": lambda: (L1L2(0.3), Terms(0.3 * one, 0.7 * one)),
        "l1l2 weights positive": lambda: (L1L2(0.6, v, positive=True), Terms(0.6 * v, 0.4 * v, positive=True)),
        "group": lambda: (Group(labels), Terms(zero, zero, root, labels)),
        "sparse group": lambda: (SparseGroup(labels, 0.4), Terms(0.4 * one, zero, 0.6 * root, labels)),
    }[kind]()


def fitted(model: Any, X: Any, y: Any, s: Any) -> tuple[Any, bool]:
    """The model, and whether it says that it converged."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y, sample_weight=s)
    assert all(issubclass(w.category, ConvergenceWarning) for w in caught), [str(w.message) for w in caught]
    return model, not caught


def rounding(reference: Squares, w: np.ndarray, b: float, X: np.ndarray, null: Any, ulps: int = 4) -> Any:
    """What computing with floats may cost, sums being known to ``ulps`` ε of their terms.

    A prediction is known to ε times the absolute values it is summed from, ε (Σ|x̄ⱼwⱼ| + |ȳ|) and ε Σ|xⱼ − x̄ⱼ||wⱼ|. An
    error δ in them changes the squares by δ √(2F) + δ²/2 at most, F being no more than that of the null model; and the
    terms of the penalty are known to ε of their sum.
    """
    off = prediction_rounding(reference, w, b, X, ulps)
    return off * float(np.sqrt(2 * null)) + off**2 / 2 + epsilon(X, ulps) * float(null + reference.penalty(w))


def prediction_rounding(reference: Squares, w: np.ndarray, b: float, X: np.ndarray, ulps: int) -> float:
    level = float(np.abs(reference.mean) @ np.abs(w) + abs(reference.y_mean) + abs(b))
    spread = float(np.sqrt(reference.s @ (np.abs(reference.X) @ np.abs(w)) ** 2))
    return epsilon(X, ulps) * (level + spread)


def epsilon(X: np.ndarray, ulps: int) -> float:
    return ulps * float(np.finfo(np.float32).eps if X.dtype == np.float32 else EPS)


@attack
@given(
    X=numbers(),
    way=st.sampled_from(list(STORAGE)),
    solver=st.sampled_from(SOLVERS),
    kind=st.sampled_from(PENALTIES),
    share=st.sampled_from([0.0, 1e-3, 0.03, 0.3, 0.9, 2.0]),
    intercept=st.booleans(),
    standardize=st.booleans(),
    far=st.sampled_from([0.0, 1e3, 1e8]),
    scale=st.sampled_from([1.0, 1e-12, 1e9]),
    seed=st.integers(0, 2**32 - 1),
    data=st.data(),
)
def test_objective_is_within_the_claimed_gap(
    X, way, solver, kind, share, intercept, standardize, far, scale, seed, data
):
    rng = np.random.default_rng(seed)
    s = data.draw(weights(len(X)))
    y = target(X, rng, scale) + (far * scale if intercept else 0.0)
    penal, terms = penalty(kind, X.shape[1], rng)
    alpha = share * alpha_level(X, y, s, standardize, intercept)
    rounds = 20 if solver == "fista" else 1000
    limit = SparseRegressor(
        penalty=penal, alpha=alpha, solver=solver, fit_intercept=intercept, standardize=standardize, max_iter=rounds
    )
    model, converged = fitted(limit, stored(X, way), y, s)
    assert_within(model, converged, X, y, s, terms, alpha, intercept, standardize)


def alpha_level(X: np.ndarray, y: np.ndarray, s: Any, standardize: bool, intercept: bool) -> float:
    """About where coefficients leave zero."""
    plain = Squares(X, y, s, Terms(np.zeros(X.shape[1]), np.zeros(X.shape[1])), 0.0, intercept)
    q = np.abs((plain.s * plain.y) @ plain.X)
    spread = np.sqrt(plain.s @ plain.X**2)
    q = np.where(spread > 0, q / np.where(spread > 0, spread, 1), 0) if standardize else q
    return float(q.max())


def gap_rounding(reference: Squares, w: np.ndarray, b: float, X: np.ndarray, null: Any) -> float:
    """How well a gap can be computed, which is what a warning can be asked for.

    A Gram matrix has yy − 2 qᵀw + wᵀGw, a difference of numbers of this size, each rounded. On rows predictions are off
    by 16 ε of their terms, which moves the objective; correlations with columns are off by that times ‖xⱼ‖, and the
    bound by the sum over |wⱼ|.
    """
    reach = float(np.abs(w) @ np.sqrt(reference.s @ reference.X**2))
    size = float(np.sqrt(reference.s @ reference.y**2)) + reach
    moved = rounding(reference, w, b, X, null, ulps=16) + prediction_rounding(reference, w, b, X, ulps=16) * reach
    return float(moved + 32 * EPS * size**2)  # twice 16 ε, of the objective and of its bound


def assert_within(model, converged, X, y, s, terms, alpha, intercept, standardize):
    t = np.where(model.scale_ > 0, model.scale_, 1.0) if standardize else 1.0
    reference = Squares(X, y, s, terms, alpha, intercept, t)
    w, b = np.asarray(model.coef_, dtype=LONG), float(model.intercept_)
    value, null = reference.value(w, b), reference.value(np.zeros(X.shape[1]))
    allowed = rounding(reference, w, b, X, null)
    least = reference.least(w)
    note(f"value {value:.17g}, least {least:.17g}, gap {model.dual_gap_:.3g}, rounding {allowed:.3g}, null {null:.3g}")
    note(f"{model.strategy_}; coef {model.coef_}; scale {model.scale_}")
    assert np.isfinite(model.coef_).all()
    assert value <= least + model.dual_gap_ + allowed
    if converged:
        assert model.dual_gap_ <= 1e-7 * float(null) + gap_rounding(reference, w, b, X, null)
    if standardize and intercept:
        spread = np.sqrt(reference.s @ reference.X**2)
        floor = 16 * EPS * np.sqrt(np.asarray(reference.s @ X.astype(LONG) ** 2, dtype=float))  # of constant columns
        np.testing.assert_allclose(model.scale_, np.asarray(spread, dtype=float), rtol=1e-6, atol=float(floor.max()))


def splits(kind: str, n: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Lists of rows as a splitter may yield them."""
    order = rng.permutation(n)
    half, third = n // 2, max(1, n // 3)
    return {
        "bootstrap": lambda: [(rng.integers(0, n, n), rng.permutation(n)[:third]) for _ in range(3)],
        "repeated": lambda: [(np.sort(rng.integers(half, n, n)), order[:half]) for _ in range(2)],
        "repeated tests": lambda: [(order[:half], rng.integers(half, n, n)) for _ in range(2)],
        "overlapping": lambda: [(order[: half + third], order[half:]), (order[third:], order[: half + third])],
        "unsorted": lambda: [(order[half:], order[:half]), (order[:half], order[half:])],
        "mask": lambda: [(np.isin(np.arange(n), order[:half]), np.isin(np.arange(n), order[half:]))],
        "lists": lambda: [(order[:half].tolist(), order[half:].tolist())],
        "folds": lambda: [(np.setdiff1d(np.arange(n), f), f) for f in np.array_split(np.arange(n), 3)],
    }[kind]()


SPLITS = ("bootstrap", "repeated", "repeated tests", "overlapping", "unsorted", "mask", "lists", "folds")


@attack
@given(
    X=numbers(most_rows=30, most_columns=4),
    way=st.sampled_from(list(STORAGE)),
    solver=st.sampled_from(("auto", "gram", "working_set")),
    kind=st.sampled_from(SPLITS),
    share=st.sampled_from([0.03, 0.3, 0.9]),
    intercept=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
    data=st.data(),
)
def test_cross_validation_means_the_rows_it_was_given(X, way, solver, kind, share, intercept, seed, data):
    """Held-out errors are those of the reference, trained on just these rows as often as they are listed."""
    assume(len(X) >= 8)
    near = np.abs(X.mean(axis=0, dtype=float)) <= 100 * X.std(axis=0, dtype=float)
    assume(intercept or near.all())  # columns that differ by little besides their level are nearly copies
    rng = np.random.default_rng(seed)
    s = data.draw(weights(len(X)))
    y = target(X, rng, 1.0)
    cv = splits(kind, len(X), rng)
    rows = [(np.flatnonzero(a) if np.asarray(a).dtype == bool else np.asarray(a),
             np.flatnonzero(b) if np.asarray(b).dtype == bool else np.asarray(b)) for a, b in cv]  # fmt: skip
    assume(s is None or all(s[a].any() and s[b].any() for a, b in rows))
    alpha = share * alpha_level(X, y, s, False, intercept)
    assume(alpha > 0)
    model = SparseRegressorCV(alphas=[alpha], cv=cv, solver=solver, fit_intercept=intercept, tol=1e-12)
    model, _ = fitted(model, stored(X, way), y, s)
    for k, (train, test) in enumerate(rows):
        bounds = held_out(X, y, s, train, test, alpha, intercept)
        if bounds is not None:
            note(f"fold {k}: {model.mse_path_[0, k]:.12g}, reference {bounds}")
            assert bounds[0] <= model.mse_path_[0, k] <= bounds[1]


def held_out(X, y, s, train, test, alpha, intercept) -> tuple[float, float] | None:
    """Between which numbers the error on the held-out rows may lie; None where several coefficients are optimal.

    Coefficients whose training objective is within δ of the least predict the training rows within √(2δ) of each other
    in mean square, and rows that lie further out by as much more.
    """
    part = None if s is None else s[train]
    reference = Squares(X[train], y[train], part, Terms(np.ones(X.shape[1]), np.zeros(X.shape[1])), alpha, intercept)
    null = float(reference.value(np.zeros(X.shape[1])))
    points = sorted((float(reference.value(w)), k, w) for k, w in enumerate(reference.candidates()))
    errors = [_error(reference, w, X[test], y[test], None if s is None else s[test])
              for value, _, w in points if value <= points[0][0] + 1e-9 * null]  # fmt: skip
    w = points[0][2]
    spread = np.sqrt(np.asarray(reference.s @ reference.X**2, dtype=float))
    reach = np.asarray(np.abs(X[test].astype(LONG) - reference.mean).max(axis=0), dtype=float)
    far = float((reach / np.where(spread > 0, spread, np.inf)).max(initial=1.0))
    eps = 1e-3 if X.dtype == np.float32 else 1e-5
    level = float(np.abs(reference.mean) @ np.abs(w) + abs(reference.y_mean) + np.abs(y[test]).max(initial=0.0))
    off = eps * (1 + far) * np.sqrt(2 * null) + 64 * EPS * level  # residuals are differences of numbers of this size
    root = np.sqrt(errors[0])
    if max(errors) - min(errors) > off**2 + 2 * root * off:
        return None
    return max(root - off, 0.0) ** 2, (root + off) ** 2


def _error(reference: Squares, w: np.ndarray, X: np.ndarray, y: np.ndarray, s: Any) -> float:
    r = y.astype(LONG) - X.astype(LONG) @ w - (reference.y_mean - reference.mean @ w)
    v = np.ones(len(y)) if s is None else s
    return float(v @ r**2 / v.sum())


def logistic_value(Z: np.ndarray, y: np.ndarray, s: np.ndarray, w: np.ndarray, b: Any, v: np.ndarray) -> Any:
    return s @ np.logaddexp(0, -y * (Z @ w + b)) + v @ np.abs(w)


def logistic_least(Z, y, s, v, w, b, intercept, steps=400) -> Any:
    """Proximal gradient steps with a bound on the curvature, from these coefficients."""
    A = np.column_stack([Z, np.ones(len(y))]) if intercept else Z
    bound = np.asarray(s @ A**2, dtype=LONG) * A.shape[1] / 4  # diag: Σⱼ|Aⱼᵀ S Aₖ| ≤ Σⱼ …, by Cauchy and Schwarz
    bound = np.where(bound > 0, bound, 1)
    u = np.append(w, b) if intercept else np.array(w)
    v = np.append(v, 0) if intercept else v
    for _ in range(steps):
        g = -A.T @ (s * y / (1 + np.exp(np.clip(y * (A @ u), -11000, 11000))))
        z = u - g / bound
        u = np.sign(z) * np.maximum(np.abs(z) - v / bound, 0)
    return s @ np.logaddexp(0, -y * (A @ u)) + v @ np.abs(u)


@attack
@given(
    X=numbers(most_rows=30, most_columns=5),
    way=st.sampled_from(list(STORAGE)),
    solver=st.sampled_from(("auto", "working_set", "fista")),
    share=st.sampled_from([0.03, 0.3, 0.9, 2.0]),
    intercept=st.booleans(),
    standardize=st.booleans(),
    labels=st.sampled_from([("no", "yes"), (0, 1), (False, True), (-3, 7)]),
    seed=st.integers(0, 2**32 - 1),
    data=st.data(),
)
def test_logistic_objective_is_within_the_claimed_gap(
    X, way, solver, share, intercept, standardize, labels, seed, data
):
    rng = np.random.default_rng(seed)
    s = data.draw(weights(len(X)))
    z = target(X, rng, 1.0)
    sign = np.where(z > np.median(z), 1.0, -1.0)
    counted = np.ones(len(X)) if s is None else s
    assume(all(counted[sign == c].any() for c in (-1, 1)))
    y = np.where(sign > 0, labels[1], labels[0])
    parts = counted.astype(LONG) / counted.astype(LONG).sum()
    L = X.astype(LONG)
    centre = parts @ L if intercept else np.zeros(X.shape[1], dtype=LONG)
    Z = L - centre
    spread = np.sqrt(parts @ Z**2)
    q = np.abs((parts * sign) @ Z) / 2
    q = np.where(spread > 0, q / np.where(spread > 0, spread, 1), 0) if standardize else q
    alpha = share * float(q.max())
    assume(alpha > 0)
    rounds = 20 if solver == "fista" else 1000
    limit = SparseClassifier(
        alpha=alpha, solver=solver, fit_intercept=intercept, standardize=standardize, max_iter=rounds
    )
    model, converged = fitted(limit, stored(X, way), y, s)
    t = np.where(model.scale_ > 0, model.scale_, 1.0) if standardize else np.ones(X.shape[1])
    w, v = np.asarray(model.coef_[0], dtype=LONG), alpha * t.astype(LONG)
    b = LONG(model.intercept_[0]) + centre @ w if intercept else LONG(0)
    value = logistic_value(Z, sign, parts, w, b, v)
    least = min(
        logistic_least(Z, sign, parts, v, start, first, intercept) for start, first in ((w, b), (0 * w, LONG(0)))
    )
    null = float(logistic_value(Z, sign, parts, 0 * w, LONG(0), v))
    eps = 4 * float(np.finfo(np.float32).eps if X.dtype == np.float32 else EPS)
    moved = float(np.abs(centre) @ np.abs(w) + parts @ (np.abs(Z) @ np.abs(w)) + abs(b))  # of a prediction, times ε
    allowed = eps * (moved + float(v @ np.abs(w)) + null)
    note(
        f"value {value:.17g}, least {least:.17g}, gap {model.dual_gap_:.3g}, rounding {allowed:.3g}; {model.strategy_}"
    )
    assert value <= least + model.dual_gap_ + allowed
    if converged:
        # Predictions known to δ leave the gradient Xᵀθ unknown by |X|ᵀδ/4, so the dual point is scaled by that over α.
        off = eps * (np.abs(L) @ np.abs(w) + abs(b))
        blurred = float((parts * (off / 4 + eps)) @ np.abs(L) @ (1 / np.where(v > 0, v, np.inf)))
        assert model.dual_gap_ <= 1e-7 * null + allowed + null * blurred


@attack
@given(
    X=numbers(most_rows=20, most_columns=4),
    way=st.sampled_from(list(STORAGE)),
    solver=st.sampled_from(SOLVERS),
    what=st.sampled_from(["X", "y", "weight", "rows", "columns"]),
    bad=st.sampled_from([np.nan, np.inf, -np.inf]),
    seed=st.integers(0, 2**32 - 1),
)
def test_what_cannot_be_fitted_is_refused_whole(X, way, solver, what, bad, seed):
    """One line that says so, and the model is as it was before."""
    rng = np.random.default_rng(seed)
    y, s = rng.standard_normal(len(X)), np.ones(len(X))
    model = SparseRegressor(alpha=0.1, solver=solver).fit(rng.standard_normal((9, 2)), rng.standard_normal(9))
    before = model.coef_.copy()
    if what == "X":
        X = X.astype(np.float64)
        X[rng.integers(len(X)), rng.integers(X.shape[1])] = bad
    elif what == "y":
        y[rng.integers(len(y))] = bad
    elif what == "weight":
        s[rng.integers(len(s))] = rng.choice([bad, -1.0])
    elif what == "rows":
        y = y[:-1]
    else:
        X = X[:, :0]
    given_as = stored(X, way)
    with pytest.raises(ValueError) as error:
        model.fit(given_as, y, sample_weight=s)
    assert "\n" not in str(error.value)
    np.testing.assert_array_equal(model.coef_, before)
