"""What a source knows reaches the fit through every view of it."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from tamis import Lasso, as_source
from tamis.sources import Columns, Encoded, InMemory


def weighted_table(seed=0, n=120):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = X[:, 0] + rng.normal(size=n)
    return X, y, rng.integers(0, 5, n).astype(float)


VIEWS = {
    "encoded": Encoded,
    "columns": lambda source: Columns(source, range(4)),
    "memory": InMemory,
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("solver", ["gram", "working_set"])
def test_weights_count_through_every_view(view, solver):
    X, y, weight = weighted_table()
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y, w=weight)
    expected = Lasso(alpha=0.05, solver=solver).fit(X, y, sample_weight=weight)
    fitted = Lasso(alpha=0.05, solver=solver).fit(VIEWS[view](as_source(frame, target="y", weight="w")))
    np.testing.assert_allclose(fitted.coef_, expected.coef_, rtol=1e-10)  # the same sums, perhaps in other blocks
    assert abs(expected.coef_ - Lasso(alpha=0.05, solver=solver).fit(X, y).coef_).max() > 1e-3


def test_a_sparse_array_is_sparse_inside_a_source():
    X = sp.random_array((300, 40), density=0.05, rng=np.random.default_rng(0), format="csc")
    y = X @ np.ones(40)
    model = Lasso(alpha=0.01, solver="working_set")
    direct, wrapped = clone(model).fit(X, y), clone(model).fit(as_source(X, y))
    assert wrapped.strategy_ == direct.strategy_
    assert "of the entries stored" in wrapped.strategy_
    np.testing.assert_array_equal(wrapped.coef_, direct.coef_)
