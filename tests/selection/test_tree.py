"""Columns by the splits of trees: what the trees themselves say, the way back to the columns, and its edges."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text

from tamis import InputError, TreeSelector


def planted(seed, n=300, p=8):
    """y hangs on columns 1 and 4 alone, in steps that a small tree finds."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, 1] > 0) * 2.0 + (X[:, 4] > 0.3)


@pytest.mark.parametrize("seed", range(3))
def test_the_columns_of_the_splits_as_the_tree_prints_them(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(80, 12)), rng.integers(0, 3, 80)
    found = TreeSelector(DecisionTreeClassifier(max_depth=3, random_state=seed)).fit(X, y)
    lines = [line for line in export_text(found.estimator_).splitlines() if "feature_" in line and "<=" in line]
    columns = [int(line.partition("feature_")[2].split()[0]) for line in lines]
    depths = [line.count("|") - 1 for line in lines]
    assert found.n_splits_.tolist() == np.bincount(columns, minlength=12).tolist()
    assert set(found.selected_features_) == set(columns)
    first = {j: min(d for c, d in zip(columns, depths, strict=True) if c == j) for j in columns}
    assert found.first_depth_.tolist() == [first.get(j, -1) for j in range(12)]
    np.testing.assert_array_equal(found.importances_, found.estimator_.feature_importances_)


ENSEMBLES = [
    RandomForestRegressor(10, max_depth=3),
    ExtraTreesRegressor(10, max_depth=3),
    GradientBoostingRegressor(n_estimators=10),
    HistGradientBoostingRegressor(max_iter=10),
    BaggingRegressor(DecisionTreeRegressor(max_depth=2), n_estimators=10, max_features=0.8),
    AdaBoostRegressor(n_estimators=10),
]


@pytest.mark.parametrize("model", ENSEMBLES, ids=lambda model: type(model).__name__)
def test_a_column_no_split_uses_does_not_change_what_is_predicted(model):
    X, y = planted(0)
    X[:, 6] = 1.0  # never split on
    found = TreeSelector(model, random_state=0).fit(X, y)
    unused = np.flatnonzero(found.n_splits_ == 0)
    assert 6 in unused
    assert not set(unused) & set(found.selected_features_)
    other = X.copy()
    other[:, unused] = np.random.default_rng(1).normal(size=(len(X), len(unused)))
    np.testing.assert_array_equal(found.estimator_.predict(other), found.estimator_.predict(X))
    assert found.selected_features_[:2] == [1, 4]
    assert found.importances_.sum() == pytest.approx(1.0)


def test_categories_of_histogram_boosting_keep_their_columns():
    X, y = planted(1)
    X[:, 6] = np.random.default_rng(0).integers(0, 4, len(X))
    found = TreeSelector(HistGradientBoostingRegressor(max_iter=5, categorical_features=[6]), 2).fit(X, y)
    assert found.selected_features_ == [1, 4]
    y = np.array([0.0, 5.0, 1.0, 9.0])[X[:, 6].astype(int)]
    found = TreeSelector(HistGradientBoostingRegressor(max_iter=5, categorical_features=[6])).fit(X, y)
    assert found.selected_features_[0] == 6
    assert found.importances_[6] > 0.999


def test_labels_are_used_where_one_of_them_is():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", None], 200)
    frame = pd.DataFrame({"size": rng.normal(size=200), "colour": colour, "noise": rng.choice(["a", "b"], 200)})
    frame["size"] = frame["size"].where(rng.random(200) > 0.1)
    y = np.where(frame["colour"].isna(), "none", np.where(frame["colour"] == "red", "yes", "no"))
    for table in (frame, pl.from_pandas(frame)):
        found = TreeSelector().fit(table, y)
        assert found.selected_features_ == ["colour"]
        assert found.n_splits_[1] == found.n_splits_.sum() >= 2
        assert found.classes_.tolist() == ["no", "none", "yes"]
    assert list(found.set_output(transform="polars").transform(table).columns) == ["colour"]


def test_missing_numbers_tell_something():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 4))
    X[rng.random(200) < 0.4, 2] = np.nan
    assert TreeSelector(n_features=1).fit(X, np.isnan(X[:, 2])).selected_features_ == [2]
    with pytest.raises(InputError, match=r"missing values \(NaN\) in 'x2' \(\d+\)"):
        TreeSelector(GradientBoostingClassifier()).fit(X, np.isnan(X[:, 2]))


@pytest.mark.parametrize("seed", range(5))
def test_order_scale_weights_and_sparse_tables_change_nothing(seed):
    X, y = planted(seed)
    rng = np.random.default_rng(seed)
    whole = TreeSelector().fit(X, y)
    order = rng.permutation(X.shape[1])
    assert sorted(order[TreeSelector().fit(X[:, order], y).selected_features_]) == sorted(whole.selected_features_)
    assert TreeSelector().fit(X * 2.0 ** rng.integers(-5, 5, 8), y).selected_features_ == whole.selected_features_
    weight = rng.integers(0, 3, len(X))
    a = TreeSelector().fit(X, y, sample_weight=weight)
    b = TreeSelector().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert a.n_splits_.tolist() == b.n_splits_.tolist()
    np.testing.assert_allclose(a.importances_, b.importances_, atol=1e-12)
    X[np.abs(X) < 0.5] = 0
    dense, sparse = TreeSelector().fit(X, y), TreeSelector().fit(sp.csr_array(X), y)
    assert dense.selected_features_ == sparse.selected_features_
    assert sp.issparse(sparse.transform(sp.csr_array(X)))


def test_how_many_which_always_which_together():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = RandomForestRegressor(20, max_depth=2, random_state=0)
    assert TreeSelector(model, 2).fit(X, y).selected_features_ == ["bmi", "s5"]
    assert TreeSelector(model, 2, keep="sex").fit(X, y).selected_features_ == ["sex", "bmi"]
    together = TreeSelector(model, 1, feature_groups={"body": ["sex", "bmi"]}).fit(X, y)
    assert together.selected_features_ == ["sex", "bmi"]
    important = TreeSelector(model, threshold=0.2).fit(X, y)
    assert set(important.selected_features_) == set(X.columns[important.importances_ > 0.2])
    splits = TreeSelector(model, importance="splits").fit(X, y)
    np.testing.assert_allclose(splits.importances_, splits.n_splits_ / splits.n_splits_.sum())


def test_pipelines_and_searches_are_seen_through():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    steps = make_pipeline(StandardScaler(), SelectKBest(f_regression, k=4), DecisionTreeRegressor(max_depth=3))
    search = GridSearchCV(steps, {"decisiontreeregressor__max_depth": [2, 3]})
    best = {X.columns[j] for j in np.argsort(-f_regression(X, y)[0])[:4]}
    found = TreeSelector(search).fit(X, y, sample_weight=np.ones(len(y)))
    assert set(found.selected_features_) <= best
    assert "bmi" in found.selected_features_
    with pytest.raises(InputError, match="makes columns such as"):
        TreeSelector(make_pipeline(PolynomialFeatures(), DecisionTreeRegressor())).fit(X, y)


def test_files_copies_and_seeds(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.assign(y=y.map({0: "a", 1: "b", 2: "c"})).to_csv(tmp_path / "t.csv", index=False)
    here, there = TreeSelector().fit(X, y), TreeSelector().fit(tmp_path / "t.csv", "y")
    assert here.selected_features_ == there.selected_features_
    copy = pickle.loads(pickle.dumps(here))
    np.testing.assert_array_equal(copy.transform(X), clone(here).fit(X, y).transform(X))
    forests = [TreeSelector(RandomForestClassifier(5), random_state=s).fit(X, y).importances_ for s in (1, 1, 2)]
    np.testing.assert_array_equal(forests[0], forests[1])
    assert not np.array_equal(forests[0], forests[2])


@pytest.mark.parametrize(
    "given, message",
    [
        ({"estimator": "tree"}, "estimator must be a scikit-learn estimator"),
        ({"estimator": DecisionTreeClassifier}, "estimator must be an object, got the class DecisionTreeClassifier"),
        ({"estimator": LinearRegression()}, "LinearRegression has no trees"),
        ({"estimator": DecisionTreeClassifier(max_depth=-1)}, "cannot be fitted"),
        ({"n_features": 0}, "n_features must be ≥ 1"),
        ({"n_features": 9}, "n_features must be ≥ 1 and ≤ 4"),
        ({"n_features": 1, "keep": [0, 1]}, "less than the 2 that keep asks for"),
        ({"threshold": -0.1}, "threshold must be ≥ 0"),
        ({"importance": "gini"}, "importance must be one of"),
        ({"random_state": "x"}, "random_state must be"),
    ],
)
def test_bad_arguments_are_named(given, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=message):
        TreeSelector(**given).fit(X, y)


def test_targets_that_do_not_fit_are_named():
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(InputError, match="predicts numbers, but the target holds labels"):
        TreeSelector(DecisionTreeRegressor()).fit(X, np.repeat(["a", "b"], 10))
    with pytest.raises(InputError, match="nothing to learn"):
        TreeSelector(DecisionTreeRegressor()).fit(X, np.ones(20))
    with pytest.raises(InputError, match="sample_weight: estimator=Unweighted fits all rows alike"):
        TreeSelector(Unweighted()).fit(X, np.arange(20.0), sample_weight=np.ones(20))


class Unweighted(DecisionTreeRegressor):
    def fit(self, X, y):
        return super().fit(X, y)
