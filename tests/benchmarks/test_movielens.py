"""The script that measures held-out ratings: on a planted file of the same format."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import movielens


@pytest.fixture
def ratings(tmp_path):
    """Two tastes, which biases do not know, in a file like u.data."""
    rng = np.random.default_rng(0)
    m, n = 120, 60
    M = 3.0 + 1.5 * np.outer(rng.choice([-1, 1], m), rng.choice([-1, 1], n))
    users, items = np.nonzero(rng.random((m, n)) < 0.4)
    values = np.clip(np.round(M[users, items] + 0.3 * rng.standard_normal(len(users))), 1, 5).astype(int)
    table = pd.DataFrame({"user": users + 1, "item": items + 1, "rating": values, "time": 0})
    path = tmp_path / "u.data"
    table.to_csv(path, sep="\t", header=False, index=False)
    return path


def test_factors_find_the_tastes_that_biases_cannot(ratings, capsys):
    table = movielens.read(ratings)
    found = movielens.held_out_errors(table, {"tamis": movielens.tamis, "biases alone": movielens.biases_alone})
    assert found.overall["tamis"] < 0.5 * found.overall["biases alone"]  # noise and rounding leave 0.55
    assert len(found.folds["tamis"]) == movielens.FOLDS
    assert capsys.readouterr().out.count("fold ") == movielens.FOLDS


def test_every_rating_is_predicted_once_from_others(ratings):
    table = movielens.read(ratings)
    seen = []

    def remember(train, test):
        assert not set(train.index) & set(test.index)
        seen.extend(test.index)
        return np.full(len(test), 3.0)

    movielens.held_out_errors(table, {"tamis": remember})
    assert sorted(seen) == list(table.index)
