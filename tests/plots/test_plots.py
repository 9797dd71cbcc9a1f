"""The plots draw what the arrays say."""

from __future__ import annotations

import copy

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import ShuffleSplit

from tamis import ElasticNetCV, InputError, Lasso, LassoCV, SparseClassifierCV, SparseRegressorCV, sparse_path
from tamis.plots import cv_curve, path
from tamis.plots.path import apart

mpl.use("agg")


@pytest.fixture(scope="module")
def model():
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    return LassoCV(rule="1se", standardize=True).fit(X, y)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return SparseClassifierCV(alphas=15, rule="1se").fit(X, load_iris().target_names[y])


def lines(ax):
    """{name: y values} of the lines that stand for a column."""
    return {line.get_label().lstrip("_"): line.get_ydata() for line in ax.lines if len(line.get_xdata()) > 2}


def words(ax):
    return [text.get_text() for text in ax.texts]


def test_path_draws_the_coefficients(model):
    ax = path(model, scaled=False)
    drawn = lines(ax)
    for j, name in enumerate(model.feature_names_in_):
        np.testing.assert_array_equal(drawn[name], model.coef_path_[:, j])
    np.testing.assert_array_equal(ax.lines[1].get_xdata(), model.alphas_)
    assert ax.get_xscale() == "log"
    assert ax.get_xlim() == (model.alphas_[0], model.alphas_[-1])


def test_path_scales_by_the_spread_of_the_columns(model):
    drawn = lines(path(model))
    np.testing.assert_array_equal(drawn["bmi"], model.coef_path_[:, 2] * model.scale_[2])


def test_path_names_what_is_in_the_model_and_marks_the_choice(model):
    ax = path(model)
    kept = set(model.feature_names_in_[model.coef_ != 0])
    assert set(words(ax)) - kept == {f"chosen by '1se': α = {model.alpha_:.3g}"}
    assert kept <= set(words(ax))
    assert any(list(line.get_xdata()) == [model.alpha_] * 2 for line in ax.lines)


def test_a_path_of_a_frame_keeps_its_names():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    assert sparse_path(X, y, alphas=5).names == list(X.columns)
    assert sparse_path(X.to_numpy(), y, alphas=5).names == [f"x{j}" for j in range(10)]
    assert sparse_path(X.assign(progression=y), "progression", alphas=5).names == list(X.columns)
    ax = path(sparse_path(X, y, alphas=30))
    assert set(lines(ax)) == set(X.columns)
    assert "bmi" in words(ax)


def test_path_names_only_the_largest(model):
    largest = np.argsort(-np.abs(model.coef_ * model.scale_))[:2]
    assert set(words(path(model, n_names=2))[1:]) == set(model.feature_names_in_[largest])


def test_path_of_arrays(model):
    X, y = load_diabetes(return_X_y=True)
    result = sparse_path(X, y, alphas=12)
    ax = path(result)
    assert set(lines(ax)) == {f"x{j}" for j in range(10)}
    assert ax.get_ylabel() == "coefficient"
    named = path(result, names=[f"column {j}" for j in range(10)])
    assert "column 3" in lines(named)
    with pytest.raises(InputError, match="one name for each of the 10 columns, got 2"):
        path(result, names=["a", "b"])


def test_path_of_one_class(iris):
    drawn = lines(path(iris, output="virginica", scaled=False))
    np.testing.assert_array_equal(drawn["petal width (cm)"], iris.coef_path_[:, 2, 3])
    with pytest.raises(InputError, match="output='setosa', 'versicolor', 'virginica'"):
        path(iris)
    with pytest.raises(InputError, match="got 'rose'"):
        path(iris, output="rose")


def test_names_do_not_touch():
    ends = np.sort(np.random.default_rng(0).normal(size=9))
    for gap in (0.0, 0.1, 1.0):
        heights = apart(ends, gap)
        assert np.all(np.diff(heights) >= gap - 1e-12)
        assert heights.mean() == pytest.approx(ends.mean())  # nobody is pushed to one side only
    np.testing.assert_allclose(apart(ends, 0.0), ends)


def test_path_draws_where_asked(model):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2)
    assert path(model, axes[0]) is axes[0]
    assert cv_curve(model, axes[1]) is axes[1]
    figure.canvas.draw()


def test_zero_has_no_place_on_a_logarithmic_axis():
    X, y = load_diabetes(return_X_y=True)
    model = SparseRegressorCV(alphas=[1.0, 0.1, 0.0]).fit(X, y)
    np.testing.assert_array_equal(path(model).lines[1].get_xdata(), [1.0, 0.1])
    np.testing.assert_array_equal(cv_curve(model).lines[0].get_xdata(), [1.0, 0.1])


def test_cv_curve_draws_the_errors(model):
    ax = cv_curve(model)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), model.mse_path_.mean(axis=1))
    band = ax.collections[0].get_paths()[0].vertices
    spread = model.mse_path_.std(axis=1, ddof=1) / np.sqrt(5)
    at = np.isclose(band[:, 0], model.alphas_[10])
    assert np.ptp(band[at, 1]) == pytest.approx(2 * spread[10])
    marked = {float(line.get_xdata()[0]) for line in ax.lines[1:]}
    assert marked == {model.alpha_min_, model.alpha_1se_}
    assert ax.get_ylabel() == "mean squared error on held-out rows"


def test_cv_curve_counts_columns(model):
    ax = cv_curve(model)
    (top,) = ax.child_axes
    counts = {float(t): int(label.get_text()) for t, label in zip(top.get_xticks(), top.get_xticklabels(), strict=True)}
    assert len(counts) > 2
    for alpha, count in counts.items():
        assert count == np.count_nonzero(model.coef_path_[model.alphas_ == alpha])


def test_cv_curve_of_classes_counts_a_column_once(iris):
    ax = cv_curve(iris)
    assert ax.get_ylabel() == "log loss on held-out rows"
    (top,) = ax.child_axes
    counts = [int(label.get_text()) for label in top.get_xticklabels()]
    used = (iris.coef_path_ != 0).any(axis=1).sum(axis=1)
    assert counts == [used[np.flatnonzero(iris.alphas_ == alpha)[0]] for alpha in top.get_xticks()]
    assert (used < (iris.coef_path_ != 0).sum(axis=(1, 2))).any()


def test_cv_curve_of_a_scorer_is_the_score():
    X, y = load_diabetes(return_X_y=True)
    model = SparseRegressorCV(scoring="r2", alphas=10).fit(X, y)
    ax = cv_curve(model)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), model.scores_path_.mean(axis=1))
    assert ax.get_ylabel() == "r2 on held-out rows"
    assert "best score" in words(ax)[0]


def test_one_split_has_no_spread():
    X, y = load_diabetes(return_X_y=True)
    model = SparseRegressorCV(cv=ShuffleSplit(1, random_state=0), alphas=10).fit(X, y)
    ax = cv_curve(model)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), model.mse_path_[:, 0])
    (band,) = (shape.get_paths()[0].vertices for shape in ax.collections)
    heights = {alpha: np.ptp(band[band[:, 0] == alpha, 1]) for alpha in model.alphas_}
    assert set(heights.values()) == {0.0}


@pytest.mark.parametrize("within, least", [(0, 0), (0, 1), (0, 99), (50, 52), (98, 99), (30, 60)])
def test_words_of_the_marks_do_not_touch(model, within, least):
    moved = copy.copy(model)
    moved.alpha_1se_, moved.alpha_min_ = model.alphas_[within], model.alphas_[least]
    ax = cv_curve(moved)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) == 1 or not boxes[0].overlaps(boxes[1])
    assert all(ax.bbox.x0 - 1 <= box.x0 and box.x1 <= ax.bbox.x1 + 1 for box in boxes)


def test_several_ratios_show_the_chosen_one():
    X, y = load_diabetes(return_X_y=True)
    model = ElasticNetCV(l1_ratio=[0.5, 1.0], alphas=10).fit(X, y)
    which = [0.5, 1.0].index(model.l1_ratio_)
    np.testing.assert_array_equal(path(model).lines[1].get_xdata(), model.alphas_[which])
    np.testing.assert_allclose(cv_curve(model).lines[0].get_ydata(), model.mse_path_[which].mean(axis=1))


def test_models_without_a_path_are_told_so():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(InputError, match="Lasso has no path to draw: use"):
        path(Lasso().fit(X, y))
    with pytest.raises(InputError, match="or fit it first"):
        path(LassoCV())
    with pytest.raises(InputError, match="no cross-validated errors to draw"):
        cv_curve(Lasso().fit(X, y))


@pytest.mark.parametrize("rule", ["aic", "bic", "ebic"])
def test_the_curve_of_a_criterion(rule):
    X, y = load_diabetes(return_X_y=True)
    one = SparseRegressorCV(rule=rule, alphas=12).fit(X, y)
    ax = cv_curve(one)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), one.criterion_path_)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), one.alphas_)
    assert ax.get_ylabel() == rule.upper()
    assert words(ax) == [f"least {rule.upper()}"]
    assert ax.lines[1].get_xdata()[0] == one.alpha_
    two = ElasticNetCV(l1_ratio=[0.5, 1.0], rule=rule, alphas=12).fit(X, y)
    which = [0.5, 1.0].index(two.l1_ratio_)
    np.testing.assert_allclose(cv_curve(two).lines[0].get_ydata(), two.criterion_path_[which])
