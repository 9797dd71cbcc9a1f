"""LinearFit against scikit-learn's own fits, subset by subset."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import KFold, ShuffleSplit, cross_val_score

from tamis import InputError
from tamis.selection import Backward, CrossValidated, Exhaustive, Floating, Forward, FScore, LinearFit, SubsetSelector
from tamis.sources import as_source
from tamis.testing import check_evaluation

AGREE = 1e-10  # what the scores must agree to with scikit-learn's


def regression(seed, n=60, p=6, mean=3.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) @ (np.eye(p) + 0.4 * rng.standard_normal((p, p))) + mean
    return X, X[:, 0] - 2 * X[:, p // 2] + rng.standard_normal(n)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 999),
    subset=st.lists(st.integers(0, 5), min_size=1, max_size=6, unique=True),
    model=st.sampled_from(["ols", "ridge"]),
    cv=st.sampled_from([5, KFold(3, shuffle=True, random_state=0), ShuffleSplit(4, random_state=1)]),
    scoring=st.sampled_from(["r2", "neg_mean_squared_error"]),
)
def test_scores_are_those_of_cross_val_score(seed, subset, model, cv, scoring):
    X, y = regression(seed)
    evaluation = LinearFit(model, cv=cv, scoring=scoring, alpha=0.7)
    state = evaluation.prepare(as_source(X, y))
    theirs = {"ols": LinearRegression(), "ridge": Ridge(0.7)}[model]
    expected = cross_val_score(theirs, X[:, subset], y, cv=cv, scoring=scoring).mean()
    assert evaluation.score(state, tuple(subset)) == pytest.approx(expected, abs=AGREE)
    less = evaluation.losses(state, tuple(subset), subset) if len(subset) > 1 else []
    for j, score in zip(subset, less, strict=False):
        rest = [k for k in subset if k != j]
        assert score == pytest.approx(cross_val_score(theirs, X[:, rest], y, cv=cv, scoring=scoring).mean(), abs=AGREE)


SPLITS = {
    "repeated": [([*range(0, 40, 2), *range(0, 40, 2)], range(40, 60))],
    "bootstrap": [(np.random.default_rng(k).integers(0, 60, 60), np.arange(60)) for k in range(3)],
    "repeated test": [(range(40), [40, 40, 42, 43, 44, 45, 45])],
    "negative": [(range(-60, -20), [-1, -5, 41])],
}


@pytest.mark.parametrize("splits", SPLITS)
def test_splits_mean_the_rows_that_they_list(splits):
    X, y = regression(0)
    splits = [(np.array(train), np.array(test)) for train, test in SPLITS[splits]]
    expected = cross_val_score(LinearRegression(), X, y, cv=splits).mean()
    for evaluation in (LinearFit(cv=splits), CrossValidated(LinearRegression(), cv=splits)):
        state = evaluation.prepare(as_source(X, y))
        assert evaluation.score(state, tuple(range(6))) == pytest.approx(expected, abs=AGREE)


@pytest.mark.parametrize("evaluation", [LinearFit(), CrossValidated(LinearRegression())], ids=["closed", "learner"])
@pytest.mark.parametrize("cv", [[(0, 1)], [([0, 1, 2], [60])], [([], [1, 2])], [0, 1]])
def test_splits_that_are_no_row_numbers_are_refused(evaluation, cv):
    X, y = regression(0)
    with pytest.raises(InputError, match="cv"):
        evaluation.set_params(cv=cv).prepare(as_source(X, y))


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("seed", range(4))
def test_the_subset_is_scikit_learns(direction, seed):
    X, y = load_diabetes(return_X_y=True) if seed == 0 else regression(seed, n=80, p=9)
    theirs = SequentialFeatureSelector(LinearRegression(), n_features_to_select=4, direction=direction, cv=KFold(5))
    ours = SubsetSelector(direction, LinearFit(), n_features=4).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.fit(X, y).get_support())


@pytest.mark.parametrize("criterion", ["aic", "bic"])
def test_criteria(criterion):
    X, y = regression(0)
    evaluation = LinearFit(criterion=criterion)
    state = evaluation.prepare(as_source(X, y))
    for subset in [(), (2,), (0, 3), tuple(range(6))]:
        Z = np.column_stack([np.ones(len(y)), X[:, list(subset)]])
        rss = np.sum((y - Z @ np.linalg.lstsq(Z, y)[0]) ** 2)
        price = 2 if criterion == "aic" else np.log(len(y))
        expected = -(len(y) * np.log(rss / len(y)) + price * (len(subset) + 1))
        assert evaluation.score(state, subset) == pytest.approx(expected, rel=AGREE)


def test_laws():
    check_evaluation(LinearFit())
    check_evaluation(LinearFit("ridge", "bic"))


def test_a_column_that_depends_on_others_adds_nothing():
    X, y = regression(1)
    X = np.column_stack([X, 2 * X[:, 0] - 1, np.full(len(y), 7.0)])  # a copy and a constant
    evaluation = LinearFit()
    state = evaluation.prepare(as_source(X, y))
    base = evaluation.score(state, (0, 3))
    np.testing.assert_allclose(evaluation.gains(state, (0, 3), (6, 7)), base, rtol=0, atol=AGREE)
    assert evaluation.score(state, (6, 3)) == pytest.approx(base, abs=AGREE)
    assert evaluation.score(state, (0, 6, 7, 3)) == pytest.approx(base, abs=AGREE)
    np.testing.assert_allclose(evaluation.losses(state, (0, 6, 3), (0, 6)), base, rtol=0, atol=1e-8)
    fitted = SubsetSelector(Forward(), evaluation).fit(X, y)
    assert not fitted.support_[7]


def test_searches_of_every_kind_agree_on_the_score():
    X, y = regression(2)
    for search in (Forward(), Backward(), Floating(), Exhaustive()):
        fitted = SubsetSelector(search, LinearFit(), n_features=3).fit(X, y)
        expected = cross_val_score(LinearRegression(), X[:, fitted.support_], y, cv=KFold(5)).mean()
        assert fitted.score_ == pytest.approx(expected, abs=AGREE)


def test_a_constant_target_in_a_fold_scores_as_scikit_learns():
    X, y = regression(3, n=20)
    y[:4] = 1.0
    evaluation = LinearFit()
    expected = cross_val_score(LinearRegression(), X[:, :2], y, cv=KFold(5)).mean()
    assert evaluation.score(evaluation.prepare(as_source(X, y)), (0, 1)) == pytest.approx(expected, abs=AGREE)


def test_files_are_read_once(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    X, y = regression(4, n=500)
    pq.write_table(pa.table({**{f"c{j}": X[:, j] for j in range(6)}, "y": y}), tmp_path / "t.parquet")
    memory = SubsetSelector("forward", LinearFit(), n_features=3).fit(X, y)
    streamed = SubsetSelector("forward", LinearFit(), n_features=3).fit(tmp_path / "t.parquet", "y")
    np.testing.assert_array_equal(memory.support_, streamed.support_)
    assert streamed.score_ == pytest.approx(memory.score_, abs=AGREE)


@pytest.mark.parametrize(
    "evaluation, message",
    [
        (LinearFit("lasso"), "model must be one of"),
        (LinearFit(criterion="cp"), "criterion must be one of"),
        (LinearFit(scoring="accuracy"), "scoring must be one of"),
        (LinearFit("ridge", alpha=-1), "alpha must be ≥ 0"),
        (LinearFit(cv=60), "holds out single rows"),
        (LinearFit(cv=99), "cannot split"),
    ],
)
def test_complaints(evaluation, message):
    with pytest.raises(InputError, match=message):
        SubsetSelector("forward", evaluation).fit(*regression(0))


def test_labels_are_refused():
    with pytest.raises(InputError, match="LinearFit fits numbers, but the target 'y' holds labels"):
        SubsetSelector("forward", LinearFit()).fit(regression(0)[0], np.array(["a", "b"] * 30))


@pytest.mark.parametrize("seed", range(4))
def test_more_columns_than_training_rows_score_as_in_scikit_learn_in_any_order(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 6)) * rng.uniform(0.1, 9, 6)
    y = X[:, 0] + rng.normal(size=8)
    evaluation = LinearFit(cv=2)
    state = evaluation.prepare(as_source(X, y))
    for S in ((0, 1, 2, 3), (3, 1, 0, 2, 5), (5, 4, 3, 2, 1, 0)):
        expected = cross_val_score(LinearRegression(), X[:, list(S)], y, cv=KFold(2)).mean()
        assert evaluation.score(state, S) == pytest.approx(
            expected, rel=1e-8
        )  # sixteen digits less a condition of 1e3, twice
        assert evaluation.score(state, S[::-1]) == pytest.approx(expected, rel=1e-8)


def test_what_rounding_leaves_beside_a_nearly_dependent_subset_is_not_a_column():
    """Four training rows of a fold: columns 1, 2 and 4 nearly depend on each other, and column 0 on the three."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(9, 5)) * rng.uniform(0.1, 9, 5) + rng.uniform(-5, 5, 5)
    rng.random()
    y = X[:, 0] + rng.normal(size=9)
    cv = KFold(2)
    evaluation = LinearFit(cv=cv, scoring="neg_mean_squared_error")
    state = evaluation.prepare(as_source(X, y))
    expected = cross_val_score(LinearRegression(), X[:, [1, 2, 4, 0]], y, cv=cv, scoring="neg_mean_squared_error")
    for order in ((1, 2, 4, 0), (0, 1, 2, 4), (4, 0, 2, 1)):
        assert evaluation.score(state, order) == pytest.approx(expected.mean(), rel=1e-6)


@pytest.mark.parametrize("evaluation", [LinearFit(), LinearFit(criterion="bic"), FScore()])
@pytest.mark.parametrize("stored", ["array", "file"])
def test_a_target_whose_squares_vanish_is_refused_not_explained_by_every_column(tmp_path, evaluation, stored):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    y = X[:, 0] + X[:, 1]
    selector = SubsetSelector("forward", evaluation, n_features=2)
    for unit in (1e-320, 1e-200, 1e-151):
        given = X, y * unit
        if stored == "file":
            given = tmp_path / "table.csv", "y"
            rows = [",".join(map(repr, row)) for row in np.column_stack([X, y * unit]).tolist()]
            given[0].write_text("\n".join(["a,b,c,d,y", *rows]))
        with pytest.raises(InputError, match="whose square is no floating point number: give y in another unit"):
            selector.fit(*given)
    assert sorted(selector.fit(X, y * 1e-140).selected_features_) == [0, 1]


@pytest.mark.parametrize("value", [0.3, 0.1, 1e8 / 3, -7.7])
@pytest.mark.parametrize(
    "evaluation", [LinearFit(), LinearFit("ridge", alpha=1e-20), LinearFit(criterion="bic")], ids=str
)
def test_what_rounding_left_of_a_constant_column_is_no_spread(value, evaluation):
    """The mean of 3,000 times 0.3 is not 0.3; what is left of the column may go with y by chance."""
    for seed in (136, 0, 1):
        rng = np.random.default_rng(seed)
        y = rng.standard_normal(3000)
        X = np.column_stack([rng.standard_normal(3000), np.full(3000, value)])
        X[:, 0] += 0.1 * y
        found = SubsetSelector("forward", evaluation, n_features=1).fit(X, y)
        assert found.selected_features_ == [0]
        state = evaluation.prepare(as_source(X, y))
        alone, beside = evaluation.score(state, (0,)), evaluation.score(state, (0, 1))
        assert beside == pytest.approx(alone - (np.log(3000) if evaluation.criterion == "bic" else 0), rel=1e-12)
        assert evaluation.losses(state, (0, 1), [1])[0] == pytest.approx(alone, rel=1e-12)
        assert evaluation.weights(state, (0, 1))[1] == 0
