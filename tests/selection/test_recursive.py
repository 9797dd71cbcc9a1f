"""Elimination by weights: scikit-learn's RFE, the best of all sizes, groups, and runs that go on."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tamis import SubsetSelector
from tamis.selection import CrossValidated, LinearFit, Recursive
from tamis.testing import check_search


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X)[:, :12], y


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("learner", [LogisticRegression(), RandomForestClassifier(20, random_state=0)])
def test_the_columns_of_scikit_learn(tumours, learner, step):
    X, y = tumours
    theirs = RFE(learner, n_features_to_select=4, step=step).fit(X, y).support_
    found = SubsetSelector(Recursive(step), CrossValidated(learner, cv=2), n_features=4).fit(X, y)
    assert found.support_.tolist() == theirs.tolist()


def test_a_share_goes_of_those_that_are_left(tumours):
    X, y = tumours
    found = SubsetSelector(Recursive(0.3), CrossValidated(LogisticRegression(), cv=2), n_features=3).fit(X, y)
    assert found.history_["size"].tolist() == [12, 9, 7, 5, 4, 3]


@pytest.mark.parametrize("model, learner", [("ols", LinearRegression()), ("ridge", Ridge())])
def test_least_squares_in_closed_form(diabetes, model, learner):
    X, y = diabetes
    theirs = RFE(learner, n_features_to_select=3).fit(X, y).support_
    assert SubsetSelector("recursive", LinearFit(model), n_features=3).fit(X, y).support_.tolist() == theirs.tolist()
    scaled = X * np.geomspace(1e-3, 1e3, 10)  # weights are per standard deviation
    if model == "ols":
        found = SubsetSelector("recursive", LinearFit(), n_features=3).fit(scaled, y)
        assert found.support_.tolist() == theirs.tolist()


def test_without_a_number_the_best_of_all_sizes(diabetes):
    X, y = diabetes
    found = SubsetSelector("recursive", "linear_fit").fit(X, y)
    history = found.history_
    assert history["size"].tolist() == list(range(10, 0, -1))
    assert found.score_ == history["score"].max()
    assert found.score_ == pytest.approx(cross_val_score(LinearRegression(), X[:, found.support_], y, cv=5).mean())
    ranged = SubsetSelector("recursive", "linear_fit", n_features=(2, 4)).fit(X, y)
    inside = (history["size"] >= 2) & (history["size"] <= 4)
    assert ranged.score_ == history["score"][inside].max()


def test_pipelines(tumours):
    X, y = tumours
    plain = SubsetSelector("recursive", CrossValidated(LogisticRegression(), cv=2), n_features=3).fit(X, y)
    piped = make_pipeline(StandardScaler(), LogisticRegression())
    found = SubsetSelector("recursive", CrossValidated(piped, cv=2), n_features=3).fit(X, y)
    assert found.support_.tolist() == plain.support_.tolist()


def test_groups_and_kept_columns_go_together(diabetes):
    X, y = diabetes
    groups = [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    found = SubsetSelector("recursive", "linear_fit", n_features=3, feature_groups=groups, keep=[0]).fit(X, y)
    assert {0, 1} <= set(found.selected_features_)
    chosen = {j // 2 for j in found.selected_features_}
    assert len(found.selected_features_) == 6
    coef = np.abs(LinearRegression().fit(X, y).coef_)
    worst = min(range(1, 5), key=lambda g: np.hypot(*coef[groups[g]]))
    assert worst not in chosen


def test_weights_are_remembered(diabetes, tmp_path, monkeypatch):
    X, y = diabetes
    path = tmp_path / "run.sqlite"
    first = SubsetSelector("recursive", "linear_fit", checkpoint=path).fit(X, y)

    def asked_again(self, state, subset):
        raise AssertionError("asked again")

    for method in ("weights", "score", "score_by_fold"):
        monkeypatch.setattr(LinearFit, method, asked_again)
    again = SubsetSelector("recursive", "linear_fit", checkpoint=path).fit(X, y)
    assert again.selected_features_ == first.selected_features_


def test_evaluations_and_learners_without_weights(tumours):
    X, y = tumours
    with pytest.raises(ValueError, match="Recursive asks a model for its weights, and InformationGain has none"):
        SubsetSelector("recursive").fit(X, y)
    with pytest.raises(ValueError, match="neither coef_ nor feature_importances_"):
        SubsetSelector("recursive", CrossValidated(KNeighborsClassifier(), cv=2), n_features=3).fit(X, y)
    with pytest.raises(ValueError, match="share below 1"):
        SubsetSelector(Recursive(1.5), CrossValidated(LogisticRegression(), cv=2), n_features=3).fit(X, y)


@pytest.mark.parametrize("seed", range(3))
def test_the_laws(seed):
    check_search(Recursive(), seed=seed)
