"""``certificate_`` and its ``verify`` bound the same suboptimality from above, and rounding is not taken for a gap."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from tamis import SparseClassifier, SparseRegressor, sparse_path
from tamis.penalties import L1, L1L2
from tolerances import ROUNDING


def drawn(kind, seed):
    """Few rows, weights with zeros, unpenalised columns, rounded columns, any option: a model and its data."""
    rng = np.random.default_rng(seed)
    n, p, K = int(rng.integers(4, 25)), int(rng.integers(1, 6)), 2 if kind == "logistic" else int(rng.integers(3, 5))
    X = rng.standard_normal((n, p)) * 10 ** rng.uniform(-1, 1) + rng.uniform(-3, 3, p) * (rng.random() < 0.5)
    X = np.round(X) if rng.random() < 0.3 else X
    y = rng.standard_normal(n) + X[:, 0] if kind == "squared" else np.r_[0, 1, rng.integers(0, K, n - 2)]
    s = np.r_[1.0, 1.0, rng.integers(0, 3, n - 2) * rng.uniform(0.1, 2, n - 2)] if rng.random() < 0.5 else None
    if kind != "squared" and s is not None:
        s[np.unique(y, return_index=True)[1]] = 1.0  # every class counts
    penalty = L1L2(0.5) if rng.random() < 0.3 else L1(weights=1.0 * (np.arange(p) >= rng.integers(0, p + 1)))
    options = {"alpha": float(rng.choice([0.0, 1e-3, 0.01, 0.1, 1.0])), "fit_intercept": bool(rng.random() < 0.75)}
    options["standardize"] = bool(rng.random() < 0.3)
    if kind == "squared":
        solver = str(rng.choice(["gram", "working_set"]))
        return SparseRegressor(penalty=penalty, solver=solver, **options), X, y, s
    weight = "balanced" if rng.random() < 0.3 else None
    return SparseClassifier(penalty=penalty, class_weight=weight, **options), X, y, s


class Objective:
    """F of a model, by its definition, as a function of (u, v, b) with w = u − v, u, v ≥ 0."""

    def __init__(self, model, X, y, s):
        n, self.p = X.shape
        s = np.ones(n) if s is None else s
        self.classes, self.codes = np.unique(y, return_inverse=True)
        if getattr(model, "class_weight", None):
            s = s * (n / (len(self.classes) * np.bincount(self.codes)))[self.codes]
        self.s, self.y, self.squares = s / s.sum(), y, isinstance(model, SparseRegressor)
        spread = np.sqrt(self.s @ (X - self.s @ X) ** 2)
        self.scale = np.where(spread > 1e-12, spread, 1.0) if model.standardize else np.ones(self.p)
        self.X, self.intercept = X / self.scale, model.fit_intercept
        self.K = 1 if self.squares or len(self.classes) == 2 else len(self.classes)
        terms = model.penalty.terms(self.p)
        self.l1, self.l2 = (model.alpha * t[:, None] for t in (terms.l1, terms.l2))

    def __call__(self, theta):
        k = self.p * self.K
        U, V, b = theta[:k].reshape(self.p, -1), theta[k : 2 * k].reshape(self.p, -1), theta[2 * k :]
        W = U - V
        f, G = self._loss(self.X @ W + b * self.intercept)
        slope = self.X.T @ G + self.l2 * W
        value = f + float((self.l1 * (U + V) + 0.5 * self.l2 * W**2).sum())
        each = (slope + self.l1).ravel(), (self.l1 - slope).ravel(), G.sum(axis=0) * self.intercept
        return value, np.concatenate(each)

    def _loss(self, Z):
        s = self.s[:, None]
        if self.squares:
            r = Z - self.y[:, None]
            return 0.5 * float((s * r**2).sum()), s * r
        Z = np.column_stack([np.zeros(len(Z)), Z]) if self.K == 1 else Z
        away = Z - np.take_along_axis(Z, self.codes[:, None], axis=1)
        log = np.logaddexp.reduce(away, axis=1, keepdims=True)
        G = s * (np.exp(away - log) - np.eye(Z.shape[1])[self.codes])
        return float((s * log).sum()), G[:, 1:] if self.K == 1 else G

    def at(self, coef, intercept):
        W = (np.atleast_2d(coef) * self.scale).T
        return self(np.concatenate([np.maximum(W, 0).ravel(), np.maximum(-W, 0).ravel(), np.atleast_1d(intercept)]))[0]

    def lowest(self):
        """The least value that another method finds."""
        bounds = [(0, None)] * (2 * self.p * self.K) + [(None, None)] * self.K
        options = {"maxiter": 3000, "maxfun": 6000, "ftol": 1e-16, "gtol": 1e-12}
        start = np.zeros(len(bounds))
        return minimize(self, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).fun


@pytest.mark.parametrize("kind", ["squared", "logistic", "multinomial"])
@pytest.mark.parametrize("first", [0, 5, *(pytest.param(k, marks=pytest.mark.deep) for k in range(10, 40, 5))])
def test_both_are_true_bounds_and_agree(kind, first):
    for seed in range(first, first + 5):
        model, X, y, s = drawn(kind, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of separated classes
            model.fit(X, y, s)
        ours = model.certificate_
        theirs, objective = ours.verify(X, y, s), Objective(model, X, y, s)
        size = 1.0 if kind != "squared" else 1 + float(np.mean(y**2))
        assert ours.primal == pytest.approx(objective.at(ours.w, ours.intercept), rel=1e-9, abs=ROUNDING * size), seed
        assert ours.primal == pytest.approx(theirs.primal, rel=1e-9, abs=ROUNDING * size), seed
        lowest = min(objective.lowest(), ours.primal)
        for bound in (ours, theirs):
            assert bound.primal - bound.gap <= lowest + ROUNDING * size, seed
        assert abs(ours.gap - theirs.gap) <= 1e-9 * size, seed  # both project, by other arithmetic


@pytest.mark.parametrize("solver", ["gram", "working_set"])
@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, 1e8 / 3])
def test_a_constant_target_with_weights_is_the_null_model(solver, value):
    """Its gap was not a number, or 1e-32 where 1e-39 was asked for."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 25))
        X, s = rng.standard_normal((n, 3)), rng.integers(1, 3, n) * rng.uniform(0.1, 2, n)
        model = SparseRegressor(alpha=0.01, solver=solver).fit(X, np.full(n, value), s)
        assert np.abs(model.coef_).max() <= ROUNDING * abs(value)
        assert model.dual_gap_ <= (ROUNDING * value) ** 2


@pytest.mark.parametrize("solver", ["gram", "working_set"])
def test_a_null_model_without_loss_is_proved_to_rounding(solver):
    """tol times nothing is nothing: what is asked for is the rounding of the objective."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, s = rng.standard_normal((int(rng.integers(6, 25)), 3)), None if seed % 2 else rng.uniform(0.1, 2)
        model = SparseRegressor(penalty=L1([0.0, 0.0, 1.0]), alpha=0.05, solver=solver)
        model.fit(X, 2 * X[:, 0] - X[:, 1] + 1, None if s is None else np.full(len(X), s))
        np.testing.assert_allclose(model.coef_, [2, -1, 0], rtol=0, atol=1e-6)
        assert model.dual_gap_ < ROUNDING * 100


def test_the_floor_does_not_hide_a_gap():
    """A fit that was cut short is as far from proved as before."""
    X, y = np.random.default_rng(0).standard_normal((40, 30)), np.arange(40.0)
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        SparseRegressor(alpha=1e-3, solver="proximal_gradient", max_iter=1, tol=1e-12).fit(X, y)


def test_paths_of_a_constant_target_converge():
    X = np.random.default_rng(0).standard_normal((20, 4))
    path = sparse_path(X, np.full(20, 0.1), alphas=[0.1, 0.01], sample_weight=np.linspace(0.1, 2, 20))
    assert path.statuses == ["converged", "converged"]


def test_a_class_that_is_all_but_nowhere_leaves_a_certificate_that_can_be_verified():
    """Its slopes are rounding errors, so what is left of their correlations is as large as they are."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((22, 3)))
    y = rng.integers(0, 2, 22)
    X[4] = X[5] = [9.0, 9.0, 9.0]  # the one row of its class has a twin elsewhere
    y[4], y[5] = 2, 0
    with pytest.warns(ConvergenceWarning, match="separate some classes"):
        model = SparseClassifier(penalty=L1([0.0, 0.0, 0.0]), alpha=0.1).fit(X, y)
    assert model.dual_gap_ < 1e-7
    assert model.certificate_.verify(X, y).gap < 1e-7
