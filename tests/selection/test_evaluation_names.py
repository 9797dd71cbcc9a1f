"""``evaluation=`` and ``search=`` by what people type: names with hyphens, criteria, estimators, near misses."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tamis import InputError, SubsetSelector
from tamis.selection import CrossValidated, LinearFit


@pytest.fixture(scope="module")
def table():
    X = np.random.default_rng(0).normal(size=(80, 5))
    return X, X[:, 1] + 0.3 * X[:, 2]


@pytest.mark.parametrize("criterion", ["aic", "bic", "BIC"])
def test_a_criterion_is_least_squares_by_it(table, criterion):
    named = SubsetSelector(evaluation=criterion).fit(*table)
    meant = SubsetSelector(evaluation=LinearFit(criterion=criterion.lower())).fit(*table)
    assert named.selected_features_ == meant.selected_features_
    assert named.score_ == meant.score_


def test_an_estimator_is_cross_validated(table):
    X, y = table
    named = SubsetSelector(evaluation=LogisticRegression(), n_features=1).fit(X, y > 0)
    meant = SubsetSelector(evaluation=CrossValidated(LogisticRegression()), n_features=1).fit(X, y > 0)
    assert named.selected_features_ == meant.selected_features_
    assert named.score_ == meant.score_


def test_hyphens_are_underscores(table):
    assert SubsetSelector("best-first", "linear-fit", n_features=2).fit(*table).selected_features_ == [1, 2]


@pytest.mark.parametrize(
    "asked, meant",
    [({"search": "foward"}, "forward"), ({"evaluation": "mrrm"}, "mrmr"), ({"search": "best first"}, "best")],
)
def test_near_misses_get_a_suggestion(table, asked, meant):
    with pytest.raises(InputError, match=f"did you mean '{meant}"):
        SubsetSelector(**asked).fit(*table)
