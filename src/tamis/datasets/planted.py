"""Planted problems: made from a truth that comes with the data. The same seed gives the same problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.errors import InputError
from tamis._core.random import as_rng


def make_sparse_regression(
    n_samples: int = 100,
    n_features: int = 50,
    n_informative: int = 5,
    *,
    correlation: float = 0.5,
    snr: float = 5.0,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """A regression problem with a known sparse answer.

    y = Xw + ε with few non-zero w, Gaussian columns of correlation ρ^|i−j|, and wᵀΣw / Var ε = snr.

    Parameters
    ----------
    n_samples, n_features, n_informative : int
        Rows, columns, non-zero coefficients. These are spread at random, each of size 1 to 2 and of random sign.
    correlation : float
        ρ of the AR(1) columns x_j = ρ x_{j−1} + √(1 − ρ²) z_j, in (−1, 1).
    snr : float
        Signal-to-noise ratio, ``inf`` for no noise.
    random_state : None, int, Generator or RandomState
    return_X_y : bool
        Only ``(data, target)``.

    Returns
    -------
    Bunch
        ``data`` (n, p), ``target`` (n,), ``coef`` (p,), ``support`` (indices, ascending), ``noise_variance``,
        ``feature_names``.

    Examples
    --------
    >>> from tamis.datasets import make_sparse_regression
    >>> problem = make_sparse_regression(100, 20, 3, random_state=0)
    >>> problem.data.shape, len(problem.support)
    ((100, 20), 3)
    """
    n, p = check_count("n_samples", n_samples), check_count("n_features", n_features)
    k = check_count("n_informative", n_informative, at_least=0, at_most=p)
    rho = _check_correlation(correlation)
    noise_to_signal = 0.0 if snr == np.inf else 1 / check_number("snr", snr, above=0)
    rng = as_rng(random_state)

    support = np.sort(rng.choice(p, size=k, replace=False))
    w = np.zeros(p)
    w[support] = rng.uniform(1, 2, size=k) * rng.choice([-1.0, 1.0], size=k)
    Sigma = rho ** np.abs(support[:, None] - support)  # of the informative columns; 0 ** 0 = 1
    noise_variance = float(w[support] @ Sigma @ w[support]) * noise_to_signal
    X = _autoregressive(rng.standard_normal((n, p)), rho)
    y = X @ w + np.sqrt(noise_variance) * rng.standard_normal(n)
    if return_X_y:
        return X, y
    names = [f"x{j}" for j in range(p)]
    return Bunch(data=X, target=y, coef=w, support=support, noise_variance=noise_variance, feature_names=names)


def make_discrete_classification(
    n_samples: int = 500,
    n_features: int = 20,
    n_relevant: int = 3,
    n_redundant: int = 2,
    *,
    n_values: int = 4,
    n_classes: int = 2,
    rule: str = "sum",
    label_noise: float = 0.0,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Discrete columns of which a known few decide the class; the rest repeat those or mean nothing.

    Relevant and irrelevant columns are independent and uniform on {0, …, v − 1}; s is the sum of the k relevant ones.

    * ``rule="sum"``: class ⌊s · n_classes / (k(v − 1) + 1)⌋; each relevant column tells something by itself.
    * ``rule="xor"``: class s mod n_classes; the relevant columns together decide it, any fewer of them tell nothing.
      With two values, two classes and two relevant columns this is the XOR pair.

    Parameters
    ----------
    n_samples, n_features : int
    n_relevant, n_redundant : int
        Columns that decide the class, and columns that are one of those with its values renamed.
    n_values, n_classes : int
        v and the number of classes. The rule "xor" needs v to be a multiple of n_classes.
    rule : {"sum", "xor"}
    label_noise : float
        Probability that a label is drawn anew from all classes.
    random_state : None, int, Generator or RandomState
    return_X_y : bool
        Only ``(data, target)``.

    Returns
    -------
    Bunch
        ``data`` (n, p) integers, ``target`` (n,) integers, ``relevant`` and ``redundant`` (indices, ascending),
        ``copies`` (redundant index → relevant index), ``feature_names``.

    Examples
    --------
    >>> from tamis.datasets import make_discrete_classification
    >>> xor = make_discrete_classification(200, 6, 2, 0, n_values=2, rule="xor", random_state=0)
    >>> a, b = xor.relevant
    >>> bool((xor.target == xor.data[:, a] ^ xor.data[:, b]).all())
    True
    """
    n, p = check_count("n_samples", n_samples), check_count("n_features", n_features)
    k = check_count("n_relevant", n_relevant, at_most=p)
    n_copies = check_count("n_redundant", n_redundant, at_least=0, at_most=p - k)
    v, c = check_count("n_values", n_values, at_least=2), check_count("n_classes", n_classes, at_least=2)
    decide = _rule(check_choice("rule", rule, ["sum", "xor"]), k, v, c)
    noise = check_number("label_noise", label_noise, at_least=0, at_most=1)
    rng = as_rng(random_state)

    X = rng.integers(v, size=(n, p))
    place = rng.permutation(p)
    relevant, redundant = np.sort(place[:k]), np.sort(place[k : k + n_copies])
    copies = {int(j): int(i) for j, i in zip(redundant, rng.choice(relevant, size=n_copies), strict=True)}
    for j, i in copies.items():
        X[:, j] = rng.permutation(v)[X[:, i]]
    y = decide(X[:, relevant].sum(axis=1))
    y = np.where(rng.random(n) < noise, rng.integers(c, size=n), y)
    if return_X_y:
        return X, y
    names = [f"x{j}" for j in range(p)]
    return Bunch(data=X, target=y, relevant=relevant, redundant=redundant, copies=copies, feature_names=names)


def _check_correlation(correlation: Any) -> float:
    rho = check_number("correlation", correlation, above=-1)
    if rho >= 1:
        raise InputError(f"correlation must be > -1 and < 1, got {correlation!r}")
    return rho


def _autoregressive(Z: np.ndarray, rho: float) -> np.ndarray:
    """x_0 = z_0, x_j = ρ x_{j−1} + √(1 − ρ²) z_j, in place: unit variances, correlations ρ^|i−j|."""
    Z[:, 1:] *= np.sqrt(1 - rho**2)
    for j in range(1, Z.shape[1]):
        Z[:, j] += rho * Z[:, j - 1]
    return Z


def _rule(rule: str, k: int, v: int, c: int) -> Any:
    """The function from s, the sum of the relevant columns, to the class."""
    n_sums = k * (v - 1) + 1
    if rule == "xor":
        if v % c:
            raise InputError(f"n_values must be a multiple of n_classes for rule='xor', got {v} and {c}")
        return lambda s: s % c
    if n_sums < c:
        raise InputError(f"n_classes must be ≤ {n_sums} for {k} relevant columns of {v} values, got {c}")
    return lambda s: s * c // n_sums
