"""Gram matrices of folds are those of their rows, however the total was taken apart."""

import numpy as np
import pytest
import scipy.sparse as sp

from tamis import InputError, as_source
from tamis._core.progress import silent
from tamis.stats import collect
from tamis.stats.fold_grams import fold_grams
from tamis.stats.gram import Gram
from tolerances import ROUNDING

N = 30
rng = np.random.default_rng(0)
X = rng.normal(size=(N, 4))
Y = X[:, 0] + rng.normal(size=N)
ROWS = np.arange(N)

SPLITS = {
    "tiled": [(np.delete(ROWS, ROWS[k::3]), ROWS[k::3]) for k in range(3)],
    "one": [(ROWS[:20], ROWS[20:])],
    "overlapping": [(ROWS[:20], ROWS[10:]), (ROWS[5:], ROWS[:15])],
    "repeated": [(rng.integers(0, N, N), ROWS[:7])],
}


def gram_of(rows, make, weight):
    s = None if weight is None else weight[rows]
    (gram,) = collect(as_source(make(X[rows]), Y[rows], sample_weight=s), Gram())
    return gram


@pytest.mark.parametrize("weight", [None, rng.integers(1, 4, N).astype(float)], ids=["plain", "weighted"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("splits", SPLITS.values(), ids=SPLITS)
def test_folds_have_the_statistics_of_their_rows(splits, make, weight):
    total, folds = fold_grams(as_source(make(X), Y, sample_weight=weight), splits, N, n_jobs=1, steps=silent)
    pairs = [(total, ROWS)]
    for fold, (train, test) in zip(folds, splits, strict=True):
        np.testing.assert_array_equal(fold.test, test)
        pairs += [(fold.training(), train), (fold.held_out, test)]
    for found, rows in pairs:
        expected = gram_of(rows, make, weight)
        size = np.abs(expected.scatter).max()
        assert found.weight == expected.weight
        np.testing.assert_allclose(found.scatter, expected.scatter, rtol=0, atol=ROUNDING * size)
        np.testing.assert_allclose(found.mean, expected.mean, rtol=0, atol=ROUNDING)


def test_a_fold_whose_rows_weigh_nothing_is_refused():
    weight = np.where(ROWS < 20, 1.0, 0.0)
    _, (fold,) = fold_grams(as_source(X, Y, sample_weight=weight), SPLITS["one"], N, n_jobs=1, steps=silent)
    with pytest.raises(InputError, match="no held-out rows with positive sample_weight"):
        fold.training()
