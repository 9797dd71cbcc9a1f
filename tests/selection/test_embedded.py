"""Columns by the support of sparse models: agreement with the models, the way back to the columns, and its edges."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.linear_model as sk
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_selection import SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler

from tamis import (
    EmbeddedSelector,
    GroupLasso,
    InputError,
    Lasso,
    LassoCV,
    SparseClassifier,
    SparseLogisticRegression,
    SparseRegressor,
)
from tamis.datasets import make_sparse_regression


@pytest.mark.parametrize("alpha", [0.1, 1.0, 2.0])
@pytest.mark.parametrize("model", [Lasso, sk.Lasso, SparseRegressor])
def test_the_support_of_the_model_and_of_scikit_learn(alpha, model):
    X, y = load_diabetes(return_X_y=True)
    model = model(alpha=alpha)
    found = EmbeddedSelector(model).fit(X, y)
    assert found.support_.tolist() == (clone(model).fit(X, y).coef_ != 0).tolist()
    theirs = SelectFromModel(model, threshold=1e-10).fit(X, y)
    np.testing.assert_array_equal(found.transform(X), theirs.transform(X))


def test_several_outputs_take_in_what_any_of_them_uses():
    X, y = load_iris(return_X_y=True, as_frame=True)
    found = EmbeddedSelector(SparseClassifier(alpha=0.02)).fit(X, y)
    coef = found.model_.coef_
    assert coef.shape == (3, 4)
    assert found.support_.tolist() == (coef != 0).any(axis=0).tolist()
    np.testing.assert_allclose(found.weights_, np.linalg.norm(coef * X.std(ddof=0).to_numpy(), axis=0), rtol=1e-9)
    frame = found.coef_frame()
    assert frame["output"].tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert frame["coefficient"].tolist() == coef.ravel().tolist()
    each = OneVsRestClassifier(SparseLogisticRegression(alpha=0.02))
    assert set(EmbeddedSelector(each).fit(X, y).selected_features_) <= set(X)


@pytest.mark.parametrize("seed", range(3))
def test_planted_columns_are_found_by_default(seed):
    problem = make_sparse_regression(300, 40, 4, snr=10, random_state=seed)
    found = EmbeddedSelector().fit(problem.data, problem.target)
    assert set(problem.support) <= set(found.selected_features_)
    assert sorted(EmbeddedSelector(n_features=4).fit(problem.data, problem.target).selected_features_) == sorted(
        problem.support.tolist()
    )
    classes = np.where(problem.target > 0, "up", "down")
    found = EmbeddedSelector(n_features=4).fit(problem.data, classes)
    assert sorted(found.selected_features_) == sorted(problem.support.tolist())
    assert found.classes_.tolist() == ["down", "up"]


def test_pipelines_searches_and_frozen_models_are_seen_through():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    gaps = X.where(np.random.default_rng(0).random(X.shape) > 0.02)
    steps = make_pipeline(SimpleImputer(), StandardScaler(), sk.Lasso(alpha=5.0))
    found = EmbeddedSelector(steps).fit(gaps, y)
    fitted = clone(steps).fit(gaps.to_numpy(), y)
    assert found.support_.tolist() == (fitted[-1].coef_ != 0).tolist()
    np.testing.assert_allclose(found.weights_, np.abs(fitted[-1].coef_), rtol=1e-9)  # scaled columns have spread 1
    search = GridSearchCV(steps, {"lasso__alpha": [5.0]})
    assert EmbeddedSelector(search).fit(gaps, y).selected_features_ == found.selected_features_
    narrow = make_pipeline(SelectFromModel(sk.Lasso(alpha=1.0)), sk.Lasso(alpha=0.1))
    assert set(EmbeddedSelector(narrow).fit(X, y).selected_features_) <= {"bmi", "bp", "s5"}
    logged = TransformedTargetRegressor(sk.Lasso(alpha=0.01), func=np.log, inverse_func=np.exp)
    assert "bmi" in EmbeddedSelector(logged).fit(X, y).selected_features_
    frozen = FrozenEstimator(sk.Lasso(alpha=1.0).fit(X.to_numpy(), y))
    assert EmbeddedSelector(frozen).fit(X, -y).selected_features_ == ["bmi", "s5", "bp"]


def test_labels_become_indicators_and_the_frame_names_them():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=300), "colour": rng.choice(["red", "green", "blue"], 300)})
    frame["shape"] = rng.choice(["round", "flat"], 300)
    y = 3.0 * (frame["colour"] == "red") + frame["size"] + 0.1 * rng.normal(size=300)
    found = EmbeddedSelector().fit(frame, y)
    assert found.selected_features_ == ["colour", "size"]
    coef = found.coef_frame()
    assert coef["feature"].tolist() == ["size", *["colour"] * 3, "shape", "shape"]
    assert coef["column"].tolist()[1:4] == ["colour=blue", "colour=green", "colour=red"]
    largest = coef.loc[(coef["coefficient"] * coef["scale"]).abs().idxmax(), "column"]
    assert largest == "colour=red"


@pytest.mark.parametrize("model", [sk.Lasso(alpha=0.02, tol=1e-10), Lasso(alpha=0.02)])
def test_sparse_tables_stay_sparse(model):
    problem = make_sparse_regression(200, 50, 3, random_state=0)
    X = np.where(np.abs(problem.data) > 1, problem.data, 0.0)
    dense, sparse = (EmbeddedSelector(model).fit(table, problem.target) for table in (X, sp.csr_array(X)))
    assert sparse.selected_features_ == dense.selected_features_
    np.testing.assert_allclose(sparse.weights_, dense.weights_, atol=1e-6)
    rng = np.random.default_rng(0)
    rows, columns = np.arange(20_000, dtype=np.int32), rng.integers(0, 3, 20_000, dtype=np.int32)
    shape = 20_000, 200_000  # 32 GB if it were dense
    wide = sp.csr_array((np.ones(20_000), (rows, columns)), shape)
    wide = (
        wide + sp.csr_array((rng.normal(size=20_000), (rows, rng.integers(3, shape[1], 20_000, dtype=np.int32))), shape)
    ).tocsr()
    found = EmbeddedSelector(model).fit(wide, wide[:, [2]].toarray().ravel())
    assert found.selected_features_ == [2]
    assert sp.issparse(found.transform(wide))


@pytest.mark.parametrize("seed", range(3))
def test_order_scale_and_weights_change_nothing(seed):
    problem = make_sparse_regression(120, 10, 4, snr=3, random_state=seed)
    X, y = problem.data, problem.target
    rng = np.random.default_rng(seed)
    whole = EmbeddedSelector().fit(X, y)
    order = rng.permutation(10)
    assert order[EmbeddedSelector().fit(X[:, order], y).selected_features_].tolist() == whole.selected_features_
    scaled = EmbeddedSelector().fit(X * rng.uniform(0.01, 100, 10), y)
    assert scaled.selected_features_ == whole.selected_features_
    np.testing.assert_allclose(scaled.weights_, whole.weights_, atol=1e-6)
    weight = rng.integers(0, 3, len(X))
    a = EmbeddedSelector(Lasso(alpha=0.1)).fit(X, y, sample_weight=weight)
    b = EmbeddedSelector(Lasso(alpha=0.1)).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(a.weights_, b.weights_, atol=1e-8)
    c = EmbeddedSelector(sk.Lasso(alpha=0.1, tol=1e-10)).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(a.weights_, c.weights_, atol=1e-5)


def test_how_many_how_large_which_always_which_together():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = Lasso(alpha=0.5)
    weights = dict(zip(X, EmbeddedSelector(model).fit(X, y).weights_, strict=True))
    assert EmbeddedSelector(model, 2).fit(X, y).selected_features_ == ["bmi", "s5"]
    assert EmbeddedSelector(model, 2, keep=["age"]).fit(X, y).selected_features_ == ["age", "bmi"]
    large = EmbeddedSelector(model, threshold=5.0).fit(X, y).selected_features_
    assert set(large) == {name for name, weight in weights.items() if weight > 5.0}
    groups = {"body": ["sex", "bmi"]}
    assert EmbeddedSelector(model, 1, feature_groups=groups).fit(X, y).selected_features_ == ["sex", "bmi"]
    grouped = EmbeddedSelector(GroupLasso(alpha=1.0, feature_groups=[[0, 1], [2, 3]])).fit(X, y)
    assert {"bmi", "bp"} <= set(grouped.selected_features_)


def test_files_are_read_in_passes_and_copies_are_alike(tmp_path):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X.assign(y=np.where(y, "good", "bad")).to_parquet(tmp_path / "t.parquet")
    model = SparseClassifier(alpha=0.05, standardize=True)
    here, there = EmbeddedSelector(model).fit(X, y), EmbeddedSelector(model).fit(tmp_path / "t.parquet", "y")
    assert here.selected_features_ == there.selected_features_
    copy = pickle.loads(pickle.dumps(here))
    np.testing.assert_array_equal(copy.transform(X), clone(here).fit(X, y).transform(X))
    assert list(here.set_output(transform="pandas").transform(X)) == list(here.get_feature_names_out())


@pytest.mark.parametrize(
    "given, message",
    [
        ({"model": "lasso"}, "model must be a scikit-learn estimator"),
        ({"model": RandomForestRegressor(2)}, "RandomForestRegressor has no coef_ to select by"),
        ({"model": make_pipeline(PolynomialFeatures(), Lasso())}, "makes columns such as"),
        ({"model": make_pipeline(FunctionTransformer(np.abs), Lasso())}, "FunctionTransformer, which does not name"),
        ({"model": SparseClassifier()}, "numbers with fractions|class"),
        ({"n_features": 0}, "n_features must be ≥ 1"),
        ({"n_features": 11}, "n_features must be ≥ 1 and ≤ 10"),
        ({"threshold": -1.0}, "threshold must be ≥ 0"),
        ({"keep": ["bim"]}, "did you mean 'bmi'"),
    ],
)
def test_bad_arguments_are_named(given, message):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    with pytest.raises(InputError, match=message):
        EmbeddedSelector(**given).fit(X, y + 0.5)


def test_gaps_are_named():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X.loc[3, "bp"] = np.nan
    for model in (None, LassoCV(), sk.Lasso()):
        with pytest.raises(InputError, match=r"missing values \(NaN\) in 'bp' \(1\)"):
            EmbeddedSelector(model).fit(X, y)


def test_a_class_with_one_row_is_always_trained_on():
    """Held out, its loss would be that of a class nobody has seen, and no column would seem to be of use."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((31, 4)), np.r_[np.arange(30) % 2, 2]
    X[:, 0] += 3 * y
    selector = EmbeddedSelector().fit(X, y)
    assert selector.classes_.tolist() == [0, 1, 2]
    assert 0 in selector.selected_features_
    with pytest.raises(InputError, match="classes with one row only"):
        EmbeddedSelector().fit(X[:4], ["a", "b", "c", "d"])
