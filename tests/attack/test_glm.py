"""Losses and penalties beyond least squares and ℓ₁, and best subsets, each objective written out here once more.

The law of convex ones: nothing that line searches reach from the coefficients handed over is lower by more than the
claimed gap. Of those that are not convex: no coordinate has a slope, they are no higher than the null model, and no
step of their descent goes up. Of best subsets: all subsets are looked at.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import assume, given, note
from hypothesis import strategies as st

from attack.profiles import attack
from attack.tables import STORAGE, stored
from tamis import BestSubset, SparseClassifier, SparseRegressor
from tamis._core.errors import ConvergenceWarning
from tamis.datafits import Gamma, Huber, Poisson, Quantile, Squared
from tamis.penalties import L0, L1, MCP, SCAD, SLOPE, Box, Bridge, Fused, Lq
from tamis.solvers import OperatorProblem, ProximalGradient
from tolerances import EPS

LOSSES: dict[str, Callable[..., np.ndarray]] = {
    "squared": lambda y, z: (y - z) ** 2 / 2,
    "huber": lambda y, z: np.where(np.abs(y - z) <= 0.7, (y - z) ** 2 / 2, 0.7 * np.abs(y - z) - 0.245),
    "quantile": lambda y, z, d: _rounded_pinball(y - z, 0.7, d),
    "poisson": lambda y, z: np.exp(z) - y * z,
    "gamma": lambda y, z: y * np.exp(-z) + z,
    "logistic": lambda y, z: np.logaddexp(0, -y * z),
    "squared_hinge": lambda y, z: np.maximum(0, 1 - y * z) ** 2,
}
CLASSES = ("logistic", "squared_hinge")
WEIGHTS = (None, "whole", "any")


def _rounded_pinball(r: np.ndarray, tau: float, d: float) -> np.ndarray:
    u = np.clip(r / d, tau - 1, tau)
    return u * r - d * u**2 / 2


def datafit(loss: str) -> Any:
    return {"huber": Huber(0.7), "quantile": Quantile(0.7)}.get(loss, loss)


def convex(kind: str, p: int, rng: np.random.Generator) -> tuple[Any, Callable[[np.ndarray], np.ndarray]]:
    """The penalty, and its values at the columns of W."""
    v = rng.choice([0.0, 0.5, 1.0, 2.0], p)
    levels = np.sort(rng.uniform(0.1, 1, p))[::-1].copy()
    low, high = -rng.choice([0, 0.1, 1, np.inf], p), rng.choice([0, 0.1, 1, np.inf], p)
    edge = 2.0**-20

    def box(W: np.ndarray) -> np.ndarray:
        inside = ((low * (1 + edge) <= W.T) & (high * (1 + edge) >= W.T)).all(axis=1)
        return np.where(inside, np.abs(W).sum(axis=0), np.inf)

    def fused(W: np.ndarray) -> np.ndarray:
        return 0.4 * np.abs(W).sum(axis=0) + 0.6 * np.abs(np.diff(W, axis=0)).sum(axis=0)

    return {
        "l1 weights": (L1(v), lambda W: v @ np.abs(W)),
        "bridge": (Bridge(1.4), lambda W: (np.abs(W) ** 1.4).sum(axis=0)),
        "box": (Box(low, high), box),
        "slope": (SLOPE(levels), lambda W: levels @ -np.sort(-np.abs(W), axis=0)),
        "fused": (Fused(0.4), fused),
    }[kind]


def concave(kind: str) -> tuple[Any, Callable[[np.ndarray, float], np.ndarray]]:
    def mcp(W: np.ndarray, alpha: float) -> np.ndarray:
        t = np.minimum(np.abs(W), 3 * alpha)
        return (alpha * t - t**2 / 6).sum(axis=0)

    def scad(W: np.ndarray, alpha: float) -> np.ndarray:
        t = np.minimum(np.abs(W), 3.7 * alpha)
        return (alpha * t - np.maximum(t - alpha, 0) ** 2 / 5.4).sum(axis=0)

    return {
        "mcp": (MCP(gamma=3.0), mcp),
        "scad": (SCAD(gamma=3.7), scad),
        "l0": (L0(), lambda W, alpha: alpha * np.count_nonzero(W, axis=0)),
        "lq": (Lq(0.5), lambda W, alpha: alpha * np.sqrt(np.abs(W)).sum(axis=0)),
    }[kind]


@st.composite
def tables(draw: Callable[..., Any], losses: Any) -> tuple[str, np.ndarray, np.ndarray, np.ndarray | None]:
    """A loss, X with copies, constants, zeros, far or small columns, a y that it can fit, weights."""
    loss = draw(st.sampled_from(losses))
    n, p = draw(st.integers(4, 30)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.standard_normal((n, p))
    what = draw(st.sampled_from(["plain", "copy", "constant", "far", "small", "large", "zeros"]))
    if what == "zeros":
        X[rng.random((n, p)) < 0.6] = 0.0
    k = int(rng.integers(p))
    X[:, k] = {"copy": X[:, 0], "constant": 3.0, "far": X[:, k] + 1e4, "small": 1e-3 * X[:, k],
               "large": 1e3 * X[:, k]}.get(what, X[:, k])  # fmt: skip
    spread = X.std(axis=0)
    z = (X - X.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0) @ (rng.standard_normal(p) * (rng.random(p) < 0.5))
    z = np.clip(z, -3, 3) + draw(st.sampled_from([0.1, 1.0])) * rng.standard_normal(n)
    weighted = draw(st.sampled_from(WEIGHTS))
    s = None if weighted is None else rng.choice([0.0, 1, 2], n) if weighted == "whole" else rng.uniform(0.1, 3, n)
    return loss, X, _target(loss, z, rng, draw(st.booleans())), s


def _target(loss: str, z: np.ndarray, rng: np.random.Generator, outlier: bool) -> np.ndarray:
    if loss in CLASSES:
        return np.where(z > np.median(z), 1.0, -1.0)
    if loss == "poisson":
        return rng.poisson(np.exp(z)).astype(float)
    if loss == "gamma":
        return np.exp(z) * rng.gamma(2.0, 0.5, len(z)) + 1e-3
    y = z.copy()
    y[0] += 1e3 if outlier else 0.0
    return y


def fitted(loss: str, penalty: Any, alpha: float, intercept: bool, way: str, X: Any, y: Any, s: Any) -> Any:
    """The model, and whether it says that it converged."""
    counted = y if s is None else y[s > 0]
    assume(len(counted) and (loss not in CLASSES or len(set(counted)) == 2) and (loss != "poisson" or counted.any()))
    Model = SparseClassifier if loss in CLASSES else SparseRegressor
    model = Model(datafit(loss), penalty, alpha, fit_intercept=intercept)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(stored(X, way), y, sample_weight=s)
    assert all(issubclass(w.category, ConvergenceWarning) for w in caught), [str(w.message) for w in caught]
    assert np.isfinite(model.coef_).all()
    return model, not caught


def objective_of(loss: str, y: np.ndarray, s: Any, X: np.ndarray, penalty: Any) -> Callable[..., np.ndarray]:
    """F(W, b) at the columns of W and the entries of b."""
    share = np.full(len(y), 1 / len(y)) if s is None else s / s.sum()
    more = () if loss != "quantile" else (Quantile(0.7).for_target(y, s).delta,)

    def F(W: np.ndarray, b: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return share @ LOSSES[loss](y[:, None], X @ W + b, *more) + penalty(W)

    return F


def lowest(F: Callable[..., np.ndarray], w: np.ndarray, b: float, intercept: bool, rounds: int = 4) -> float:
    """By line searches along coordinates, runs of columns, coefficients of one size, and the intercept."""
    p, best = len(w), float(F(w[:, None], np.array([b]))[0])
    along = [np.eye(p + 1)[j] for j in range(p + intercept)]
    along += [np.r_[np.zeros(i), np.ones(j - i), np.zeros(p + 1 - j)] for i in range(p) for j in range(i + 2, p + 1)]
    along += [np.r_[np.sign(w) * np.isclose(np.abs(w), size, rtol=1e-6), 0.0] for size in set(np.abs(w)) if size > 0]
    steps = np.geomspace(1e-12, 10, 80)
    steps = np.concatenate([-steps[::-1], steps])
    at = np.r_[w, b]
    for d in along * rounds:
        trials = at[:, None] + d[:, None] * steps * max(1.0, float(np.abs(at).max()))
        where_zero = -at[np.abs(d) > 0] / d[np.abs(d) > 0]
        trials = np.column_stack([trials, at[:, None] + d[:, None] * where_zero])
        values = F(trials[:p], trials[p])
        k = int(np.argmin(values))
        if values[k] < best:
            best, at = float(values[k]), trials[:, k]
    return best


def level(X: np.ndarray, y: np.ndarray, s: Any) -> float:
    share = np.full(len(y), 1 / len(y)) if s is None else s / s.sum()
    Z, t = X - share @ X, y - share @ y
    return float(np.abs((share * t) @ Z).max(initial=0.0)) or 1.0


@attack
@given(
    table=tables(tuple(LOSSES)),
    kind=st.sampled_from(["l1 weights", "bridge", "box", "slope", "fused"]),
    way=st.sampled_from(list(STORAGE)),
    share=st.sampled_from([0.01, 0.1, 0.5, 1.5]),
    intercept=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_nothing_near_is_lower_by_more_than_the_gap(table, kind, way, share, intercept, seed):
    loss, X, y, s = table
    assume(loss != "quantile" or kind == "l1 weights")
    assume(s is None or s.any())
    penalty, values = convex(kind, X.shape[1], np.random.default_rng(seed))
    alpha = share * min(level(X, y, s), 10.0)
    model, converged = fitted(loss, penalty, alpha, intercept, way, X, y, s)
    w, b = np.ravel(model.coef_).astype(float), float(np.ravel(model.intercept_)[0])
    F = objective_of(loss, y, s, X, lambda W: alpha * values(W))
    value, null = float(F(w[:, None], np.array([b]))[0]), float(abs(F(0 * w[:, None], np.zeros(1))[0]))
    gap, least = float(model.dual_gap_), lowest(F, w, b, intercept)
    size = 1 + float(np.abs(X).max(axis=0) @ np.abs(w)) + abs(b) + float(np.abs(y).max())
    rounding = 64 * EPS * (size**2 if loss in ("squared", "huber", "squared_hinge") else size + null)
    note(f"{loss}, {kind}: value {value:.17g}, least {least:.17g}, gap {gap:.3g}, null {null:.3g}; {model.strategy_}")
    assert value <= least + gap + rounding
    again = model.certificate_.verify(stored(X, way), y, sample_weight=s)
    assert value <= least + again.gap + rounding
    if converged:
        assert value <= least + 1e-6 * (null + abs(value)) + rounding


@attack
@given(
    table=tables(tuple(LOSSES)),
    kind=st.sampled_from(["mcp", "scad", "l0", "lq"]),
    way=st.sampled_from(list(STORAGE)),
    share=st.sampled_from([0.02, 0.1, 0.5]),
    intercept=st.booleans(),
)
def test_no_coordinate_of_a_stationary_point_has_a_slope(table, kind, way, share, intercept):
    loss, X, y, s = table
    assume(loss != "quantile")
    assume(s is None or s.any())
    penalty, values = concave(kind)
    alpha = share * min(level(X, y, s), 10.0)
    model, converged = fitted(loss, penalty, alpha, intercept, way, X, y, s)
    assert model.certificate_ is None
    w, b = np.ravel(model.coef_).astype(float), float(np.ravel(model.intercept_)[0])
    F = objective_of(loss, y, s, X, lambda W: values(W, alpha))
    value = float(F(w[:, None], np.array([b]))[0])
    share_of = np.full(len(y), 1 / len(y)) if s is None else s / s.sum()
    start = float(share_of @ y) if intercept and loss == "squared" else 0.0
    null = float(F(0 * w[:, None], np.array([start]))[0])
    size = 1 + float(np.abs(X).max(axis=0) @ np.abs(w)) + abs(b) + float(np.abs(y).max())
    note(f"{loss}, {kind}: value {value:.17g}, null {null:.17g}; {model.strategy_}")
    assert value <= null + 1e-7 * (1 + abs(null)) + 64 * EPS * size**2
    if not converged:
        return
    missed = _slopes(F, w, b, loss, kind, alpha, X, y, s)
    scale = np.sqrt(share_of @ X**2)
    assert (missed <= 1e-5 * (level(X, y, s) + alpha + scale * size)).all()


def _slopes(F: Any, w: np.ndarray, b: float, loss: str, kind: str, alpha: float, X: Any, y: Any, s: Any) -> np.ndarray:
    """How far each coordinate is from having no way down, by the derivative of the loss written out."""
    z, share = X @ w + b, np.full(len(y), 1 / len(y)) if s is None else s / s.sum()
    slope = {
        "squared": lambda: z - y,
        "huber": lambda: np.clip(z - y, -0.7, 0.7),
        "poisson": lambda: np.exp(z) - y,
        "gamma": lambda: 1 - y * np.exp(-z),
        "logistic": lambda: -y / (1 + np.exp(y * z)),
        "squared_hinge": lambda: -2 * y * np.maximum(0, 1 - y * z),
    }[loss]()
    g, t = (share * slope) @ X, np.abs(w)
    if kind in ("l0", "lq"):  # 0 is stationary whatever the slope
        pull = 0 * t if kind == "l0" else alpha / (2 * np.sqrt(np.where(t > 0, t, 1.0)))
        return np.where(t > 0, np.abs(g + np.sign(w) * pull), 0.0)
    pull = np.maximum(alpha - t / 3, 0) if kind == "mcp" else np.maximum(alpha - np.maximum(t - alpha, 0) / 2.7, 0)
    return np.where(t > 0, np.abs(g + np.sign(w) * pull), np.maximum(np.abs(g) - alpha, 0.0))


@attack
@given(
    table=tables(("squared", "huber", "poisson", "gamma")),
    kind=st.sampled_from(["mcp", "scad", "l0", "lq", "l0 3"]),
    share=st.sampled_from([0.02, 0.1, 0.5]),
)
def test_no_proximal_step_goes_up(table, kind, share):
    loss, X, y, s = table
    assume(s is None or (s.any() and (loss != "poisson" or y[s > 0].any())))
    assume(loss != "poisson" or y.any())
    fit: Any = {"squared": Squared(), "huber": Huber(0.7), "poisson": Poisson(), "gamma": Gamma()}[loss]
    penalty = L0(n_nonzero=3) if kind == "l0 3" else concave(kind)[0]
    problem = OperatorProblem(X, y, fit, penalty, share * min(level(X, y, s), 10.0), s, True)
    values, at = [problem.value(*problem.null()[:2])], None
    for _ in range(12):
        found = ProximalGradient(tol=0.0, max_iter=1).solve(problem, at)
        at = found.w, found.intercept
        values.append(problem.value(*at))
    size = 1 + float(np.abs(X).max(axis=0) @ np.abs(at[0])) + abs(at[1]) + float(np.abs(y).max())
    assert (np.diff(values) <= 1e-12 * np.abs(values[:-1]) + 256 * EPS * size**2).all()


@attack
@given(
    table=tables(("squared",)),
    K=st.integers(0, 7),
    ridge=st.sampled_from([0.0, 0.0, 1e-3, 0.1]),
    way=st.sampled_from(list(STORAGE)),
    intercept=st.booleans(),
    nearly=st.booleans(),
)
def test_no_subset_is_below_the_bound(table, K, ridge, way, intercept, nearly):
    _, X, y, s = table
    assume(s is None or s.any())
    if nearly and X.shape[1] > 1:  # products of columns do not tell these apart
        X[:, 0] = X[:, -1] * (1 + 1e-7 * np.cos(np.arange(len(X))))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BestSubset(K, ridge, fit_intercept=intercept).fit(stored(X, way), y, sample_weight=s)
    share = np.full(len(y), 1 / len(y)) if s is None else s / s.sum()
    Z, t = (X - share @ X, y - share @ y) if intercept else (X, y)
    best, null = _best_of_all(Z, t, share, K, ridge), float(share @ t**2) / 2
    w = model.coef_.astype(float)
    value = float(share @ (y - X @ w - model.intercept_) ** 2 + ridge * w @ w) / 2
    rounding = 1e-9 * null + 64 * EPS * (float(np.abs(X).max(axis=0) @ np.abs(w)) + float(np.abs(y).max())) ** 2
    note(f"value {value:.17g}, best {best:.17g}, gap {model.dual_gap_:.3g}, null {null:.3g}; {model.strategy_}")
    assert np.count_nonzero(w) <= K
    assert value <= best + model.dual_gap_ + rounding
    again = model.certificate_.verify(stored(X, way), y, sample_weight=s)
    assert value <= best + again.gap + rounding


def _best_of_all(Z: np.ndarray, t: np.ndarray, share: np.ndarray, K: int, ridge: float) -> float:
    root, p, best = np.sqrt(share), Z.shape[1], float(share @ t**2) / 2
    for S in itertools.chain.from_iterable(itertools.combinations(range(p), k) for k in range(1, min(K, p) + 1)):
        A = np.vstack([root[:, None] * Z[:, S], np.sqrt(ridge) * np.eye(len(S))])
        right = np.concatenate([root * t, np.zeros(len(S))])
        w = np.linalg.lstsq(A, right, rcond=1e-14)[0]
        best = min(best, float(np.sum((right - A @ w) ** 2)) / 2)
    return best
