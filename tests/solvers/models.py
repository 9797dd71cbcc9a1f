"""Small problems with every datafit and every penalty, and their objective written out."""

import numpy as np

from tamis.datafits import Gamma, Huber, Logistic, Multinomial, Poisson, Squared, SquaredHinge
from tamis.operators import as_operator
from tamis.penalties import L1, L1L2, L2, Group, SparseGroup
from tamis.solvers.problem import OperatorProblem

LABELS = [0, 0, 1, 1, 1, 2]
WEIGHTS = [1.0, 0.0, 2.0, 0.5, 0.0, 1.0]
PENALTIES = {
    "l1": L1(),
    "l1 weights": L1(WEIGHTS),
    "l1 positive": L1(positive=True),
    "l1 weights positive": L1(WEIGHTS, positive=True),
    "l2": L2(),
    "l1l2": L1L2(0.4),
    "l1l2 weights": L1L2(0.4, WEIGHTS),
    "l1l2 positive": L1L2(0.7, positive=True),
    "group": Group(LABELS),
    "group weights": Group(LABELS, [1.0, 0.0, 2.0]),
    "rows": Group(),
    "sparse group": SparseGroup(LABELS, 0.3),
    "sparse group weights": SparseGroup(LABELS, 0.3, [0.0, 1.0, 1.0]),
}
DATAFITS = {"squared": Squared(), "squares": Squared(), "logistic": Logistic(), "multinomial": Multinomial()}
OTHERS = {"hinge": SquaredHinge(), "poisson": Poisson(), "gamma": Gamma(), "huber": Huber(0.7)}
DATAFITS |= OTHERS


def data(kind, seed=0, n=50, p=6):
    """X with means far from 0, coded y, labels or target as a user has them, and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + np.array([0.0, 2.0, -1.0, 0.0, 5.0, 0.0])
    X[:, 1] += 0.8 * X[:, 0]
    noise = rng.standard_normal((n, 3))
    Z = np.column_stack([X[:, 0] - X[:, 3], X[:, 2] + 1, 0.5 * X[:, 5]]) + noise
    s = rng.uniform(0.5, 2.0, n) * (rng.random(n) < 0.9)
    if kind == "squared":
        return X, Z[:, 0], Z[:, 0], s
    if kind == "squares":
        return X, Z, Z, s
    if kind in ("poisson", "gamma"):
        mean = np.exp(0.5 * Z[:, 0])
        y = rng.poisson(mean).astype(float) if kind == "poisson" else mean * rng.gamma(2.0, size=n)
        return X, y, y, s
    if kind == "huber":
        y = Z[:, 0] + 50.0 * (rng.random(n) < 0.1)
        return X, y, y, s
    if kind in ("logistic", "hinge"):
        return X, np.where(Z[:, 0] > 0, 1.0, -1.0), np.where(Z[:, 0] > 0, "yes", "no"), s
    k = Z.argmax(axis=1)
    return X, np.eye(3)[k], np.array(["c", "a", "b"])[k], s


def classes(kind):
    return {
        "logistic": np.array(["no", "yes"]),
        "hinge": np.array(["no", "yes"]),
        "multinomial": np.array(["c", "a", "b"]),
    }.get(kind)


def problem(kind, penalty, seed=0, weighted=True, fit_intercept=True, alpha=0.0, **size):
    X, y, given, s = data(kind, seed, **size)
    s = s if weighted else None
    made = OperatorProblem(as_operator(X), y, DATAFITS[kind], PENALTIES[penalty], alpha, s, fit_intercept)
    return made, X, given, s
