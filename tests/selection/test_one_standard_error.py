"""The smallest subset within one standard error of the best."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from tamis import InputError, SubsetSelector
from tamis.selection import CrossValidated, InformationGain, LinearFit
from tolerances import ROUNDING

SEARCHES = ["forward", "backward", "floating", "beam", "best_first", "exhaustive", "las_vegas", "bidirectional"]


def by_hand(fitted, X, y, learner, cv, low, high):
    """From the history's subsets and scikit-learn's scores of their folds."""
    history = fitted.history_
    subsets = {frozenset(history.subset(i)) for i in range(len(history))}
    folds = {S: cross_val_score(learner, X[:, sorted(S)], y, cv=cv) for S in subsets if low <= len(S) <= high}
    top = max(scores.mean() for scores in folds.values())
    tied = [S for S in folds if folds[S].mean() >= top - ROUNDING]
    best = min(tied, key=lambda S: (len(S), sorted(S)))
    error = folds[best].std(ddof=1) / np.sqrt(len(folds[best]))
    near = [S for S in folds if folds[S].mean() >= folds[best].mean() - error - ROUNDING]
    size = min(len(S) for S in near)
    return size, max(folds[S].mean() for S in near if len(S) == size)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("n_features", [None, (1, 4), (2, 3)])
def test_it_is_the_rule_by_hand_with_a_learner(search, n_features):
    X, y = load_iris(return_X_y=True)
    learner = KNeighborsClassifier(4)
    fitted = SubsetSelector(
        search, CrossValidated(learner, cv=6), n_features=n_features, rule="1se", random_state=0
    ).fit(X, y)
    low, high = n_features or (1, 4)
    size, score = by_hand(fitted, X, y, learner, 6, low, high)
    assert fitted.support_.sum() == size
    assert fitted.score_ == pytest.approx(score, rel=ROUNDING)


@pytest.mark.parametrize("search", ["forward", "backward", "recursive", "floating"])
@pytest.mark.parametrize("model", ["ols", "ridge"])
def test_it_is_the_rule_by_hand_with_least_squares(search, model):
    X, y = load_diabetes(return_X_y=True)
    fitted = SubsetSelector(search, LinearFit(model, cv=8), n_features=(1, 10), rule="1se").fit(X, y)
    learner = {"ols": LinearRegression(), "ridge": Ridge()}[model]
    size, score = by_hand(fitted, X, y, learner, 8, 1, 10)
    assert fitted.support_.sum() == size
    assert fitted.score_ == pytest.approx(score, rel=1e-9)  # scikit-learn solves each fold from its rows
    plain = SubsetSelector(search, LinearFit(model, cv=8), n_features=(1, 10)).fit(X, y)
    assert size < plain.support_.sum()
    assert len(plain.history_) == len(fitted.history_)


def test_the_history_says_what_was_taken_and_why():
    X, y = load_diabetes(return_X_y=True)
    fitted = SubsetSelector("forward", LinearFit(), n_features=(1, 10), rule="1se").fit(X, y)
    (row,) = [i for i, why in enumerate(fitted.history_["reason"]) if "within one standard error" in why]
    assert fitted.history_["kept"][row]
    assert fitted.history_.subset(row) == tuple(fitted.selected_features_)
    assert fitted.history_["score"][row] == fitted.score_


def test_kept_columns_and_groups_count_as_in_n_features():
    X, y = load_diabetes(return_X_y=True)
    fitted = SubsetSelector(
        "forward", LinearFit(), n_features=(2, 6), rule="1se", keep=[1], feature_groups=[[2, 8], [3, 4]]
    ).fit(X, y)
    assert fitted.support_[1]
    assert fitted.support_[2] == fitted.support_[8]
    assert len(fitted.selected_features_) < 7


def test_a_run_that_goes_on_takes_the_same(tmp_path):
    X, y = load_iris(return_X_y=True)
    selector = SubsetSelector(
        "forward",
        CrossValidated(KNeighborsClassifier()),
        n_features=(1, 4),
        rule="1se",
        checkpoint=tmp_path / "r.sqlite",
    )
    first = selector.fit(X, y).selected_features_, selector.score_
    again = selector.fit(X, y)
    assert (again.selected_features_, again.score_) == first
    assert again.n_recalled_ == len(again.history_)


@pytest.mark.parametrize(
    "evaluation, options, words",
    [
        (InformationGain(), {}, "InformationGain are none here"),
        (LinearFit(criterion="aic"), {}, "LinearFit are none here"),
        (CrossValidated(LinearRegression(), cv=[(np.arange(50), np.arange(50, 80))]), {}, "CrossValidated are none"),
        (LinearFit(), {"n_features": 3}, "leaves none to choose"),
        (LinearFit(), {"n_features": (3, 3)}, "leaves none to choose"),
    ],
)
def test_what_it_cannot_be_used_with(evaluation, options, words):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(InputError, match=words):
        SubsetSelector("forward", evaluation, rule="1se", **options).fit(X, y)


def test_an_unknown_rule_is_named():
    with pytest.raises(InputError, match="rule"):
        SubsetSelector(rule="2se").fit(np.eye(4), [0, 1, 0, 1])
