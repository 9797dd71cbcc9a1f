"""Tables of float32: what is proved is proved of the coefficients that the user gets."""

import numpy as np
import pytest

from tamis import SparseClassifier, SparseRegressor

RNG = np.random.default_rng(0)
Z = RNG.standard_normal((200, 5))
TARGET = Z @ [3, -2, 1, 0, 0.5] + 0.1 * RNG.standard_normal(200)


def objective(model, X, y):
    """In long double, where z = Xw + b loses no digit by columns far from zero."""
    w = model.coef_.ravel().astype(np.longdouble)
    z = X.astype(np.longdouble) @ w + np.longdouble(1) * model.intercept_
    loss = 0.5 * (y - z) ** 2 if isinstance(model, SparseRegressor) else np.logaddexp(0, -np.where(y, z, -z))
    return loss.mean() + model.alpha * np.abs(w).sum()


@pytest.mark.parametrize("mean", [0.0, 1e4, 1e6])
@pytest.mark.parametrize(
    "model, y",
    [
        (SparseRegressor(alpha=0.01, solver="gram"), TARGET),
        (SparseRegressor(alpha=0.01, solver="working_set"), TARGET),
        (SparseRegressor(alpha=0.01, standardize=True), TARGET),
        (SparseClassifier(alpha=0.01), TARGET > 0),
    ],
)
def test_the_gap_is_that_of_rounded_coefficients(model, y, mean):
    X = (Z + mean).astype(np.float32)
    model.fit(X, y)
    assert model.coef_.dtype == np.float32
    np.testing.assert_array_equal(np.ravel(model.certificate_.w), model.coef_.ravel())
    if not model.standardize:
        best = type(model)(alpha=0.01, tol=1e-12).fit(X.astype(float), y)
        assert objective(model, X, y) - objective(best, X, y) <= model.dual_gap_
    assert model.dual_gap_ <= 1e-7 * np.var(y)
    assert model.certificate_.verify(X, y).gap == pytest.approx(model.dual_gap_, abs=1e-9 * np.var(y))
