"""Who reaches a multinomial path of certified quality first?

Ten classes that correlated Gaussian columns tell apart, with noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.special import softmax

from benchmarks.judging import duality
from benchmarks.judging.duality import L1, Rows
from benchmarks.judging.path import JUDGED, Path, PathObjective
from benchmarks.objective import Dataset
from benchmarks.questions.lasso import design

STEPS, CHECK = 100_000, 25
SETTLED = 1e-10  # of the null value


class Objective(PathObjective):
    title = "Multinomial path"
    text = (
        "P(W, b) = 1/n Σ (log Σ_k exp(z_ik) − z_i,yᵢ) + α Ω(W), Z = XW + b, at 30 alphas from α_max to α_max / 20, "
        f"with Ω = Σ |w_jk|, and with Ω = Σ_j ‖w_j‖ over the classes of a column. {JUDGED} Corr(x_i, x_j) = 0.5^|i − "
        "j|, p / 20 planted columns per class. The first: python-glmnet's `LogitNet(lambda_path)` and scikit-learn's"
        " `LogisticRegression` with saga from alpha to alpha, warm. The second is the only one that adelie's "
        "`grpnet` with `glm.multinomial` (weights 1) and skein-glm's `MultinomialLassoPathClassifier` solve, both "
        "with alphas divided by the number of classes, as their losses are. celer, skglm and glum have no "
        "multinomial model."
    )
    repeats = 4
    cap = 40.0
    loss = duality.Multinomial()

    def penalty(self, data: ManyClasses) -> duality.Penalty:
        return data.penalty

    def precise(self, data: ManyClasses) -> Path:
        return precise_path(data.X, data.y, data.alphas, data.penalty)


@dataclass
class ManyClasses:
    """Rows, classes one-hot (n, K), the alphas of the path, α_max to α_max / 20, and the penalty."""

    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray
    penalty: L1 | Rows

    @property
    def labels(self) -> np.ndarray:
        return self.y.argmax(axis=1)

    @property
    def rows(self) -> bool:
        return isinstance(self.penalty, Rows)


def datasets(quick: bool) -> list[Dataset]:
    n, p, K, m = (200, 10, 3, 6) if quick else (5_000, 500, 10, 30)
    penalties = {"ℓ₁ on every coefficient": L1(), "ℓ₂ on the coefficients of a column": Rows()}
    return [
        Dataset(f"{n:,} × {p:,}, {K} classes, {m} alphas, {name}", partial(many_classes, n, p, K, m, penalty))
        for name, penalty in penalties.items()
    ]


def many_classes(n: int, p: int, K: int, n_alphas: int, penalty: L1 | Rows) -> ManyClasses:
    """P(y = k | x) ∝ exp(z_k), z = X_c W with Gaussian W on p / 20 columns of each class, scaled to Var(z_k) = 4."""
    rng = np.random.default_rng(0)
    X = design(rng, n, p, 0.5)
    W = np.zeros((p, K))
    for k in range(K):
        W[rng.choice(p, max(3, p // 20), replace=False), k] = rng.standard_normal(max(3, p // 20))
    Z = (X - X.mean(axis=0)) @ W
    Z *= 2 / Z.std(axis=0)
    y = np.eye(K)[(Z + rng.gumbel(size=Z.shape)).argmax(axis=1)]
    C = (X - X.mean(axis=0)).T @ (y - y.mean(axis=0)) / n
    steepest = np.linalg.norm(C, axis=1).max() if isinstance(penalty, Rows) else np.abs(C).max()
    return ManyClasses(X, y, steepest * np.geomspace(1, 0.05, n_alphas), penalty)


@dataclass
class Centred:
    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray


def precise_path(
    X: np.ndarray, y: np.ndarray, alphas: np.ndarray, penalty: duality.L1 | duality.Rows
) -> tuple[np.ndarray, np.ndarray]:
    """FISTA with restarts on centred columns."""
    m = X.mean(axis=0)
    data = Centred(X - m, y, alphas)
    step = 2 * len(X) / np.linalg.norm(data.X, 2) ** 2  # the Hessian of a row is at most ½
    V = np.zeros((X.shape[1] + 1, y.shape[1]))  # the intercepts in the last row
    coefs, intercepts = [], []
    for alpha in alphas:
        V = _fista(replace(data, alphas=np.array([alpha])), penalty, V, step)
        coefs.append(V[:-1].T)
        intercepts.append(V[-1] - m @ V[:-1])
    return np.array(coefs), np.array(intercepts)


def _fista(data: Centred, penalty: duality.L1 | duality.Rows, W: np.ndarray, step: float) -> np.ndarray:
    """Accelerated proximal gradient, its momentum dropped when it points uphill (O'Donoghue and Candès 2015)."""
    V, t, n = W, 1.0, len(data.y)
    enough = SETTLED * duality.Multinomial().null_value(data.y)
    for k in range(STEPS):
        T = (data.y - softmax(data.X @ V[:-1] + V[-1], axis=1)) / n
        to = np.vstack([_prox(penalty, V[:-1] + step * data.X.T @ T, step * data.alphas[0]), V[-1] + 2 * T.sum(axis=0)])
        if np.sum((V - to) * (to - W)) > 0:
            t = 1.0
        s = (1 + np.sqrt(1 + 4 * t**2)) / 2
        V, W, t = to + (t - 1) / s * (to - W), to, s
        if k % CHECK == 0 and _gap(data, penalty, W) <= enough:
            break
    return W


def _prox(penalty: duality.L1 | duality.Rows, V: np.ndarray, threshold: float) -> np.ndarray:
    size = np.linalg.norm(V, axis=1, keepdims=True) if isinstance(penalty, duality.Rows) else np.abs(V)
    return V * np.maximum(1 - threshold / np.maximum(size, np.finfo(float).tiny), 0)


def _gap(data: Centred, penalty: duality.L1 | duality.Rows, W: np.ndarray) -> float:
    path = W[:-1].T[None], W[-1][None]
    loss = duality.Multinomial()
    return float(
        (duality.primal_values(loss, penalty, data, *path) - duality.dual_values(loss, penalty, data, *path))[0]
    )
