"""``transform`` keeps the dtype of the rows it is given, whatever the model was fitted on, in all families."""

import warnings

import numpy as np
import pytest

from estimators import public_estimators, shorter

TRANSFORMERS = [kind for kind in public_estimators() if hasattr(kind, "transform")]


def rows(seed=0):
    """Of rank 2 and above 0, as every family can use; y tells the sizes of the first column apart."""
    rng = np.random.default_rng(seed)
    X = rng.random((40, 2)) @ rng.random((2, 4)) + 0.05 * rng.random((40, 4))
    return X, (X[:, 0] > np.median(X[:, 0])).astype(int)


def test_every_family_has_transformers():
    families = {kind.__module__.split(".")[1] for kind in TRANSFORMERS}
    assert families >= {"components", "dictionary", "lowrank", "selection"}


@pytest.mark.parametrize("fitted", [np.float32, np.float64])
@pytest.mark.parametrize("kind", TRANSFORMERS, ids=lambda kind: kind.__name__)
def test_rows_keep_their_dtype(kind, fitted):
    X, y = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the few steps of the list do not converge
        model = shorter(kind).fit(X.astype(fitted), y)
    for given in (np.float32, np.float64):
        found = model.transform(X.astype(given))
        assert found.dtype == given
        assert found.shape[0] == len(X)
