"""Tables for the tests of linear models."""

import warnings

import numpy as np


def table(seed=0, n=150, p=8):
    """Columns of different spread and mean, with zeros, three of them behind y."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * rng.uniform(0.5, 3, p) + rng.uniform(-3, 3, p)
    X[np.abs(X) < 0.4] = 0
    return X, X[:, :3] @ [1.0, -2.0, 0.5] + rng.standard_normal(n) + 7


def targets(seed=0, n=150, p=8, k=3):
    """A table with k targets that share columns."""
    X, y = table(seed, n, p)
    rng = np.random.default_rng(seed + 100)
    return X, np.column_stack([y, *(y * 0.3 + X[:, j % p] + rng.standard_normal(n) for j in range(1, k))])


def classes(seed=0, n=200, p=8, k=2):
    """A table with k classes that overlap."""
    X, _ = table(seed, n, p)
    rng = np.random.default_rng(seed + 200)
    Z = (X - X.mean(axis=0)) @ rng.standard_normal((p, k)) * 0.4 + rng.gumbel(size=(n, k))
    return X, Z.argmax(axis=1)


def quietly(model, *args, **kwargs):
    """A fit that is asked for more than rounding lets be certified."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*args, **kwargs)
