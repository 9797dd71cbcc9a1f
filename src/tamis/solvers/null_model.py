"""The null model: intercept and unpenalised columns only, which are few."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import lsq_linear, minimize

from tamis._kernels.interruption import check_interrupted
from tamis.datafits import HasCurvature, HasNull, HasSmoothing, LeastSquares
from tamis.solvers.dual_projection import curved, factor_of
from tamis.solvers.duality import unpenalised

if TYPE_CHECKING:
    from tamis.solvers.problem import OperatorProblem

NEWTON_STEPS = 100
STOP = 1e-14  # of the objective: what another Newton step would gain
SMOOTHINGS = np.geomspace(1e4, 1.0, 10)  # times what is asked for, of losses that bend sharply


def fit_null(problem: OperatorProblem) -> tuple[np.ndarray, Any]:
    """argmin over b and w_U of the datafit, the other coefficients at 0; w_U ≥ 0 where the penalty asks for it."""
    U = unpenalised(problem.omega)
    w, b = problem.zero()
    if not len(U) and not problem.fit_intercept:
        return w, b
    if not len(U) and isinstance(problem.datafit, HasNull):
        best = problem.datafit.null_prediction(problem.y, problem.s)
        return w, best if problem.y.ndim == 2 else float(best)
    along = problem.along(U)
    size = np.sqrt(np.einsum("ij,ij->j", along, along) / len(along))
    size[size == 0] = 1.0  # far from 1, products of columns would tell rows apart no more
    beta = _fit_along(problem, along / size, len(U) if getattr(problem.omega, "positive", False) else 0)
    beta = (beta.T / size).T
    w[U] = beta[along.shape[1] - len(U) :]
    if problem.fit_intercept:
        b = beta[0] - problem.means()[U] @ w[U]
    return w, b if problem.y.ndim == 2 else float(b)


def _fit_along(problem: OperatorProblem, along: np.ndarray, n_positive: int) -> np.ndarray:
    datafit, y, s = problem.datafit, problem.y, problem.s
    if isinstance(datafit, LeastSquares):
        root = np.ones(len(y)) if s is None else np.sqrt(s)
        return _least_squares(root[:, None] * along, (root * y.T).T, n_positive)
    if n_positive or not isinstance(datafit, HasCurvature):
        return _bounded(datafit, y, s, along, n_positive)
    if isinstance(datafit, HasSmoothing):
        return _sharpened(datafit, y, s, along)
    return _newton(datafit, y, s, along)


def _least_squares(along: np.ndarray, y: np.ndarray, n_positive: int) -> np.ndarray:
    if not n_positive:
        return np.linalg.lstsq(along, y, rcond=None)[0]
    low = np.full(along.shape[1], -np.inf)
    low[along.shape[1] - n_positive :] = 0.0
    found = [lsq_linear(along, column, (low, np.inf), method="bvls").x for column in y.reshape(len(y), -1).T]
    return np.column_stack(found).reshape(along.shape[1], *y.shape[1:])


def _bounded(datafit: Any, y: np.ndarray, s: Any, along: np.ndarray, n_positive: int) -> np.ndarray:
    shape = (along.shape[1], *y.shape[1:])

    def value_and_gradient(beta: np.ndarray) -> tuple[float, np.ndarray]:
        Z = along @ beta.reshape(shape)
        return datafit.value(y, Z, s), (along.T @ datafit.gradient(y, Z, s)).ravel()

    free = (shape[0] - n_positive) * int(np.prod(shape[1:]))
    bounds = [(None, None)] * free + [(0.0, None)] * (int(np.prod(shape)) - free)
    options = {"ftol": 1e-15, "gtol": 1e-12, "maxiter": 1000}
    start = np.zeros(int(np.prod(shape)))
    return minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x.reshape(
        shape
    )


def _newton(datafit: Any, y: np.ndarray, s: Any, along: np.ndarray) -> np.ndarray:
    """Newton's method, halving steps that do not go down. Where y is separable it stops at a small objective."""
    beta = np.zeros((along.shape[1], *y.shape[1:]))
    Z = along @ beta
    value = datafit.value(y, Z, s)
    for _ in range(NEWTON_STEPS):
        check_interrupted()
        theta = -datafit.gradient(y, Z, s)
        step, change = newton_direction(datafit, y, Z, s, along, theta)
        gain = float(np.vdot(along @ step, theta))
        if gain <= STOP * value or not np.isfinite(change).all():
            break
        beta, Z, value = _backtrack(datafit, y, s, along, beta, step, value)
    return beta


def _sharpened(datafit: Any, y: np.ndarray, s: Any, along: np.ndarray) -> np.ndarray:
    """The smoothest problem first, then less and less smooth ones, each from the one before."""
    if y.ndim == 2:
        return np.column_stack([_sharpened(datafit, column, s, along) for column in y.T])
    beta = np.zeros(along.shape[1])
    for factor in SMOOTHINGS:
        beta = _newton_within(datafit.smoother(factor), y, s, along, beta)
    return beta


def _newton_within(datafit: Any, y: np.ndarray, s: Any, along: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Newton steps with the curvature of ``local``, which no row is without."""
    Z = along @ beta
    value, g, h = datafit.local(y, Z, s)
    for _ in range(NEWTON_STEPS):
        check_interrupted()
        root = np.sqrt(h)[:, None]
        slope = np.divide(-g, root[:, 0], out=np.zeros(len(g)), where=h > 0)
        step = np.linalg.lstsq(root * along, slope, rcond=None)[0]
        gain = -float(g @ (along @ step))
        if gain <= STOP * value:
            break
        beta, Z, reached = _backtrack(datafit, y, s, along, beta, step, value)
        if reached >= value:
            break
        value, g, h = datafit.local(y, Z, s)
    return beta


def _backtrack(
    datafit: Any, y: np.ndarray, s: Any, along: np.ndarray, beta: np.ndarray, step: np.ndarray, value: float
) -> tuple[np.ndarray, np.ndarray, float]:
    for halving in range(40):
        new = beta + 0.5**halving * step
        Z = along @ new
        reached = datafit.value(y, Z, s)
        if reached < value:
            return new, Z, reached
    return beta, along @ beta, value


def newton_direction(
    datafit: Any, y: np.ndarray, Z: np.ndarray, s: Any, along: np.ndarray, theta: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """β with alongᵀ D''(Z) along β = alongᵀ θ, and D''(Z) along β."""
    right = along.T @ theta
    beta = factor_of(datafit, y, Z, s, along, np.ones(right.shape, bool)).solve(right)
    return beta, curved(datafit, y, Z, s, along @ beta)
