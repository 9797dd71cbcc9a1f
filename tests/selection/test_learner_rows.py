"""What a learner is handed: labels it can use, or a clear refusal."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tamis import InputError, LasVegasWrapper
from tamis.selection import CrossValidated, Exhaustive, SubsetSelector
from tamis.sources import as_source
from tolerances import EPS

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

CITIES = np.array(["oslo", "paris", "rome", "bern", "wien", "lyon"])


def towns(n=240, seed=0):
    """A city that decides y wholly, in no order; and a hint that is right in four of five rows."""
    rng = np.random.default_rng(seed)
    at = rng.integers(0, len(CITIES), n)
    y = np.isin(at, [0, 2, 5])
    hint = np.where(rng.random(n) < 0.8, y, ~y) + 0.01 * rng.standard_normal(n)
    return {"hint": hint, "city": CITIES[at]}, np.where(y, "m", "f")


def encoder():
    chosen = make_column_selector(dtype_include=["object", "str", "category"])
    return make_column_transformer((OneHotEncoder(handle_unknown="ignore"), chosen), remainder="passthrough")


@pytest.mark.parametrize("learner", [LogisticRegression(), GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2)])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table, lambda d: np.array([*d.values()], object).T])
def test_a_column_of_labels_that_decides_y_wins(learner, frame):
    columns, y = towns()
    X = frame({name: list(values) for name, values in columns.items()})
    fitted = SubsetSelector("forward", CrossValidated(learner), n_features=1).fit(X, y)
    assert fitted.support_.tolist() == [False, True]
    assert fitted.score_ == 1.0
    assert LasVegasWrapper(learner, trials=3, random_state=0).fit(X, y).support_[1]


def test_labels_from_a_file_are_0_1_columns(tmp_path):
    columns, y = towns()
    pd.DataFrame({**columns, "y": y}).to_csv(tmp_path / "t.csv", index=False)
    fitted = SubsetSelector("forward", CrossValidated(LogisticRegression()), n_features=1).fit(tmp_path / "t.csv", "y")
    assert fitted.selected_features_ == ["city"]


def test_0_1_columns_are_scikit_learns():
    columns, y = towns()
    X = pd.DataFrame(columns)
    by_hand = pd.get_dummies(X, columns=["city"]).to_numpy(dtype=float)
    fitted = SubsetSelector(Exhaustive(), CrossValidated(KNeighborsClassifier(3), cv=4), n_features=2).fit(X, y)
    expected = cross_val_score(KNeighborsClassifier(3), by_hand, y, cv=4)
    assert fitted.score_ == pytest.approx(expected.mean(), rel=4 * EPS)


class Seen(ClassifierMixin, BaseEstimator):
    """Remembers the types it is handed."""

    handed: ClassVar[list] = []

    def fit(self, X, y):
        Seen.handed.append(X)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        Seen.handed.append(X)
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_pipeline_with_an_encoder_is_handed_the_users_frame(frame):
    columns, y = towns(60)
    X = frame({"spare": np.arange(60.0), **columns})
    Seen.handed.clear()
    pipeline = make_pipeline("passthrough", PassOn(), Seen())
    evaluation = CrossValidated(pipeline, cv=KFold(2))
    state = evaluation.prepare(as_source(X, y))
    evaluation.score(state, (2, 0))
    assert {type(handed) for handed in Seen.handed} == {type(X)}
    names = [list(getattr(handed, "column_names", getattr(handed, "columns", None))) for handed in Seen.handed]
    assert names == [["city", "spare"]] * 4


class PassOn(BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X


def test_a_pipeline_with_an_encoder_gives_what_cross_val_score_gives():
    columns, y = towns()
    X = pd.DataFrame(columns).astype({"city": "category"})
    pipeline = make_pipeline(encoder(), LogisticRegression())
    fitted = SubsetSelector(Exhaustive(), CrossValidated(pipeline, cv=3)).fit(X, y)
    assert "city" in fitted.selected_features_
    expected = cross_val_score(pipeline, X[fitted.selected_features_], y, cv=3)
    assert fitted.score_ == pytest.approx(expected.mean(), rel=4 * EPS)
    assert fitted.history_["folds"][fitted.history_["score"].argmax()] == pytest.approx(expected, rel=4 * EPS)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_pipeline_that_cannot_use_labels_is_refused_and_not_outvoted(n_jobs):
    columns, y = towns(60)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    selector = SubsetSelector("forward", CrossValidated(pipeline), n_features=1, n_jobs=n_jobs)
    with pytest.raises(InputError, match=r"Pipeline cannot use the labels of 'city'.*OneHotEncoder") as caught:
        selector.fit(pd.DataFrame(columns), y)
    assert "\n" not in str(caught.value)


def test_missing_labels_are_0_in_all_columns_and_missing_numbers_are_refused():
    columns, y = towns()
    X = pd.DataFrame(columns)
    X.loc[3, "city"] = None
    assert SubsetSelector("forward", CrossValidated(LogisticRegression()), n_features=1).fit(X, y).support_[1]
    X.loc[3, "hint"] = np.nan
    with pytest.raises(InputError, match=r"missing values \(NaN\) in 'hint'"):
        SubsetSelector("forward", CrossValidated(LogisticRegression())).fit(X, y)


def test_labels_of_y_reach_the_scorer_as_they_are():
    columns, y = towns()
    X = columns["hint"][:, None] * [1.0, 2.0]
    scoring = make_scorer(f1_score, pos_label="m")
    fitted = SubsetSelector("ranking", CrossValidated(LogisticRegression(), scoring=scoring), n_features=1).fit(X, y)
    expected = cross_val_score(LogisticRegression(), X[:, fitted.support_], y, cv=5, scoring=scoring)
    assert fitted.score_ == pytest.approx(expected.mean(), rel=4 * EPS)
    seen = set()

    def mine(model, rows, labels):
        seen.update(labels)
        return 0.0

    LasVegasWrapper(LogisticRegression(), scoring=mine, trials=1).fit(
        pd.DataFrame(columns), pd.Series(y, dtype="category")
    )
    assert seen == {"m", "f"}


def test_a_regressor_is_not_handed_labels():
    columns, y = towns(30)
    for selector in (SubsetSelector("forward", CrossValidated(Ridge())), LasVegasWrapper(Ridge(), trials=2)):
        with pytest.raises(InputError, match="estimator=Ridge predicts numbers, but the target 'y' holds labels"):
            selector.fit(pd.DataFrame(columns), y)


def test_weights_of_a_label_column_are_those_of_its_0_1_columns_together():
    columns, y = towns()
    tree = DecisionTreeClassifier(random_state=0)
    fitted = SubsetSelector("recursive", CrossValidated(tree), n_features=1).fit(pd.DataFrame(columns), y)
    assert fitted.selected_features_ == ["city"]


@pytest.mark.parametrize("learner", [LogisticRegression, KNeighborsClassifier])
def test_a_class_in_place_of_an_object_is_refused(learner):
    X, y = np.eye(6), [0, 1] * 3
    for selector in (SubsetSelector("forward", CrossValidated(learner)), LasVegasWrapper(learner)):
        with pytest.raises(InputError, match=rf"estimator must be an object, got the class {learner.__name__}"):
            selector.fit(X, y)
