"""The comparison end to end, on small tables with cheap learners."""

from __future__ import annotations

import pickle
import threading
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.dummy import DummyRegressor
from sklearn.feature_selection import RFE, SelectKBest, SelectorMixin, SequentialFeatureSelector, f_regression
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GroupKFold,
    LeaveOneOut,
    RepeatedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import ThreadpoolController

from tamis import InputError, ReliefF, SubsetSelector, compare_selectors
from tamis.selection import Estimate, InformationGain, column_noise_floor
from tamis.selection.comparison import MethodSelector
from tamis.selection.comparison import compare as compare_module
from tamis.selection.comparison import frequencies as frequencies_module
from tamis.selection.comparison import methods as methods_module
from tamis.selection.comparison import scored_configurations as scored_module
from tamis.selection.comparison.executor import run_piece

CHEAP = {"estimator": "linear", "methods": ["lasso", "mrmr"], "sizes": [1, 2, 3, 5], "n_jobs": 1}


@pytest.fixture(autouse=True)
def fewer_half_samples_and_trees(monkeypatch):
    monkeypatch.setattr(frequencies_module, "PAIRS", 4)
    monkeypatch.setattr(scored_module, "SLOW_RESAMPLES", 20)
    monkeypatch.setattr(methods_module, "TREES", 30)


def planted(n=120, p=12, seed=0, classes=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X[:, 1] + X[:, 4] - X[:, 7] + 0.5 * rng.normal(size=n)
    return X, (y > 0).astype(int) if classes else y


@pytest.mark.parametrize("classes", [False, True])
def test_finds_the_planted_columns(classes):
    X, y = planted(classes=classes)
    found = compare_selectors(X, y, **CHEAP)
    best = found.recommended_
    assert set(best.features) == {1, 4, 7}
    assert best.better_than_none
    assert best.interval[0] <= best.score <= best.interval[1]
    assert best.against_none.value == pytest.approx(best.score - (0.5 if classes else 0.0))
    assert found.status_ == "finished"
    assert found.unfinished_ == found.failures_ == []
    assert found.pvalue_ is None


@pytest.mark.parametrize("classes", [False, True])
def test_the_order_of_the_rows_does_not_matter(classes):
    """A table sorted by its target: folds inside a method are drawn, not cut."""
    X, y = planted(n=150, p=20)
    order = np.argsort(y)
    X, y = X[order], y[order]
    options = {**CHEAP, "methods": ["linear"], "sizes": [1, 2, 3]}
    found = compare_selectors(X, (y > 0).astype(int) if classes else y, **options)
    assert set(found.recommended_.features) == {1, 4, 7}
    assert set(found.columns_["folds"][:3]) == {"5 of 5"}


@pytest.mark.parametrize("n", [4, 6, 10])
def test_few_rows_are_no_failure(n):
    X, y = planted(n=n)
    assert compare_selectors(X, X[:, 0] + 0.1 * y, estimator="linear", methods=["linear"], n_jobs=1).failures_ == []


def test_noise_is_no_better_than_none():
    X, _ = planted()
    y = np.random.default_rng(9).normal(size=len(X))
    best = compare_selectors(X, y, **CHEAP).recommended_
    assert not best.better_than_none


def test_every_automatic_method_and_learner_on_numbers_and_classes():
    for classes in (False, True):
        X, y = planted(n=80, p=9, classes=classes)
        found = compare_selectors(X, y, sizes=[3], n_jobs=1)
        assert found.failures_ == []
        assert list(found.methods_) == ["lasso", "mrmr", "linear", "relief", "forest"]
        assert set(found.recommended_.features) == {1, 4, 7}


def test_nothing_of_the_test_rows_reaches_a_training_fold():
    """What is predicted of a row must not change when the target and the columns of its fold change."""
    X, y = planted(n=60)
    splits = [(np.arange(30, 60), np.arange(30)), (np.arange(30), np.arange(30, 60))]
    other, shown = X.copy(), y.copy()
    other[:30], shown[:30] = np.nan, 1e3
    other[0, 0] = 5.0
    options = {**CHEAP, "methods": ["lasso", "mrmr", "relief", "forest", "linear"], "cv": splits}
    before, after = _outcomes(X, y, options), _outcomes(other, shown, options)
    keys = [key for key in before if key.startswith("sequence split 0")]
    assert len(keys) == 5
    for key in keys:
        np.testing.assert_array_equal(before[key].arrays[0], after[key].arrays[0])


def _outcomes(X, y, options, **more):
    kept = {}
    original = compare_module.Executor

    class Watched(original):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            kept["outcomes"] = self.outcomes

    compare_module.Executor = Watched
    try:
        with warnings.catch_warnings():
            compare_selectors(X, y, **options, **more)
    finally:
        compare_module.Executor = original
    return kept["outcomes"]


def test_frame_curve_frequencies_and_reprs():
    pd = pytest.importorskip("pandas")
    X, y = planted()
    found = compare_selectors(pd.DataFrame(X, columns=[f"c{j}" for j in range(12)]), y, **CHEAP)
    frame = found.frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 1 + 2 * 4 + 1
    assert frame["chosen"].sum() == 1
    assert frame["chosen_in_resamples"].sum() == found.n_resamples_ == 1000
    assert frame.loc[frame.method == "none", "score"].item() == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(frame["score"], frame["r2"])
    curve = found.curve("mrmr")
    assert curve.sizes.tolist() == [0, 1, 2, 3, 5, 12]
    assert curve.scores[0] == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(InputError, match="there is no method 'lars'"):
        found.curve("lars")
    assert found.baseline("all")[0] == frame.loc[frame.method == "all", "score"].item()
    often = found.frequencies()
    assert set(often["column"][:3]) == {"c1", "c4", "c7"}
    assert set(often["folds"][:3]) == {"5 of 5"}
    assert found.n_half_samples_ == 8
    assert "in rows never used to choose" in str(found)
    assert "<table>" in found._repr_html_()
    assert pickle.loads(pickle.dumps(found)).recommended_ == found.recommended_


def test_the_selector_goes_into_a_pipeline_and_chooses_the_same_again():
    X, y = planted()
    for method in ("lasso", "forest", "relief"):
        found = compare_selectors(X, y, **{**CHEAP, "methods": [method]})
        selector = found.selector_
        assert selector.transform(X).shape == (120, found.recommended_.size)
        again = clone(selector).fit(X, y)
        np.testing.assert_array_equal(again.support_, selector.support_)
        assert again.selected_features_ == found.recommended_.features
        assert make_pipeline(clone(selector), LinearRegression()).fit(X, y).score(X, y) > 0.8


def test_size_0_says_so_in_a_pipeline():
    X, _ = planted(n=60)
    found = compare_selectors(X, np.random.default_rng(1).normal(size=60), **CHEAP)
    assert found.recommended_.method == "none"
    assert found.recommended_.features == []
    assert np.isnan(found.stability_.value)
    with pytest.raises(InputError, match="no column was selected"):
        make_pipeline(found.selector_, DummyRegressor()).fit(X, np.zeros(60) + np.arange(60))
    with pytest.raises(InputError, match="no column was selected"):
        found.selector_.transform(X)


def test_the_answer_depends_on_the_seed_alone():
    X, y = planted(n=60)
    runs = [compare_selectors(X, y, **{**CHEAP, "n_jobs": n_jobs}) for n_jobs in (1, 2)]
    for run in runs[1:]:
        assert run.recommended_ == runs[0].recommended_
        assert run.table_ == runs[0].table_
        assert run.columns_ == runs[0].columns_
        assert run.stability_ == runs[0].stability_


# ---- what must not happen --------------------------------------------------------------------------------------------


def test_a_class_missing_from_a_training_fold():
    rng = np.random.default_rng(0)
    y = np.array(["a", "b", "c"])[np.r_[np.zeros(20, int), np.ones(20, int), [2]]]
    X = np.c_[rng.normal(size=(41, 2)), y == "a"]
    found = compare_selectors(X, y, **{**CHEAP, "sizes": [1, 2]}, cv=3)
    assert found.failures_ == []
    assert any("fewer than 3 rows" in note for note in found.notes_)
    assert np.isfinite(found.recommended_.score)


def test_a_constant_target_in_a_training_or_test_fold():
    X, y = planted(n=40)
    y[:20] = 3.0
    splits = [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))]
    found = compare_selectors(X, y, **CHEAP, cv=splits)
    assert found.failures_ == []
    assert np.isfinite(found.recommended_.score)
    classes = np.r_[np.zeros(20), y[20:] > 0].astype(int)
    with pytest.raises(InputError, match="no fold has rows to score"):  # one test fold is of one class, one untrained
        compare_selectors(X, classes, **CHEAP, cv=splits[1:])
    assert np.isfinite(compare_selectors(X, classes, **CHEAP, cv=splits).recommended_.score)


def test_groups_that_leave_one_fold_and_fewer_groups_than_folds():
    X, y = planted(n=60)
    with pytest.raises(InputError, match="one label for all rows"):
        compare_selectors(X, y, **CHEAP, groups=np.zeros(60))
    found = compare_selectors(X, y, **CHEAP, groups=np.repeat([0, 1, 2], 20))
    assert found.n_splits_ == 3
    assert any("3 groups" in note for note in found.notes_)
    with pytest.raises(InputError, match="splits rows whatever their group"):
        compare_selectors(X, y, **CHEAP, groups=np.repeat([0, 1, 2], 20), cv=RepeatedKFold(n_splits=2))
    assert compare_selectors(X, y, **CHEAP, groups=np.repeat([0, 1, 2], 20), cv=GroupKFold(2)).n_splits_ == 2


def test_groups_that_the_splits_keep_together_are_fine_whoever_made_them():
    """With time order they are for the resamples."""
    X, y = planted(n=60)
    blocks = np.arange(60) // 4
    by_row = compare_selectors(X, y, **CHEAP, cv=TimeSeriesSplit(4))
    by_block = compare_selectors(X, y, **CHEAP, cv=TimeSeriesSplit(4), groups=blocks)
    assert by_block.recommended_.features == by_row.recommended_.features
    assert by_block.recommended_.interval != by_row.recommended_.interval
    listed = list(GroupKFold(3).split(X, y, blocks))
    assert compare_selectors(X, y, **CHEAP, cv=listed, groups=blocks).n_splits_ == 3
    with pytest.raises(InputError, match=r"cv=the list given splits rows whatever their group \(7 is in both parts"):
        compare_selectors(X, y, **CHEAP, cv=[(np.arange(30), np.arange(30, 60))], groups=blocks)


def test_rows_that_are_trained_on_are_not_tested():
    X, y = planted(n=60)
    with pytest.raises(InputError, match="row 20 is among the training and the test rows of split 1"):
        compare_selectors(X, y, **CHEAP, cv=[(np.arange(30), np.arange(30, 60)), (np.arange(30), np.arange(20, 60))])


@pytest.mark.parametrize("groups", [["a", None] * 30, [1.0, np.nan] * 30])
def test_groups_without_a_label(groups):
    X, y = planted(n=60)
    with pytest.raises(InputError, match="groups has no label in 30 of 60 rows"):
        compare_selectors(X, y, **CHEAP, groups=groups)


@pytest.mark.parametrize(
    "options",
    [{}, {"feature_groups": [0, 0, 0]}, {"keep": [0, 1]}, {"sizes": [3]}, {"sizes": 0}],
    ids=["one", "group", "kept", "all", "none"],
)
def test_one_candidate_is_compared_with_none(options):
    X, y = planted(n=80)
    X = X[:, [1, 4, 7]] if options else y[:, None] + X[:, :1]
    found = compare_selectors(X, y, **{**CHEAP, "sizes": "auto", **options})
    assert found.recommended_.method == "all"
    assert found.recommended_.better_than_none
    assert found.recommended_.score_while_choosing == pytest.approx(found.baseline("all")[0])
    assert found.failures_ == []


def test_fewer_rows_than_two_for_each_fold():
    X, y = planted(n=8)
    found = compare_selectors(X, y, **{**CHEAP, "sizes": [1]}, cv=5)
    assert found.n_splits_ == 4
    assert any("4 folds instead of 5" in note for note in found.notes_)
    with pytest.raises(InputError, match="at least 4"):
        compare_selectors(X[:3], y[:3], **CHEAP)


class FailsOnSomeRows(SelectKBest):
    def fit(self, X, y):
        if X[0, 0] == 77:
            raise RuntimeError("not on these rows")
        return super().fit(X, y)


def test_a_method_that_fails_in_one_fold_is_recorded_and_the_rest_goes_on():
    X, y = planted(n=60)
    X[30, 0] = 77
    splits = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]
    methods = {"kbest": FailsOnSomeRows(f_regression, k=2), "lasso": "lasso"}
    found = compare_selectors(X, y, **{**CHEAP, "methods": methods}, cv=splits)
    assert found.failures_ == [("kbest", 1, "RuntimeError: not on these rows")]
    assert found.recommended_.method == "lasso"
    assert "not on these rows" in str(found)
    with pytest.raises(InputError, match="not on these rows"):
        compare_selectors(X, y, **{**CHEAP, "methods": {"kbest": methods["kbest"]}}, cv=splits[1:])


class PredictsNoNumber(BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(X[:, 0] > 0, np.nan, 1.0)

    def predict_proba(self, X):
        return np.column_stack([self.predict(X), 1 - self.predict(X)])


@pytest.mark.parametrize("classes", [False, True])
def test_a_prediction_that_is_no_number_is_a_failed_fit(classes):
    X, y = planted(n=60, classes=classes)
    kind = ClassifierMixin if classes else RegressorMixin
    odd = type("Odd", (kind, PredictsNoNumber), {})()
    found = compare_selectors(X, y, **{**CHEAP, "estimator": {"linear": "linear", "odd": odd}})
    assert found.recommended_ == compare_selectors(X, y, **CHEAP).recommended_
    assert "odd predicts" in found.failures_[0][2]
    with pytest.raises(InputError, match="no finite number"):
        compare_selectors(X, y, **{**CHEAP, "estimator": odd})


@pytest.mark.parametrize("estimator", [RidgeClassifier(), LinearSVC()])
def test_a_learner_without_probabilities(estimator):
    X, y = planted(classes=True)
    labels = np.array(["no", "yes"])[y]
    found = compare_selectors(X, labels, **{**CHEAP, "estimator": estimator})
    assert set(found.recommended_.features) == {1, 4, 7}
    at = [i for i, name in enumerate(found.table_["learner"]) if name]
    assert np.isnan([found.table_["log_loss"][i] for i in at]).all()
    assert max(found.table_["accuracy"]) > 0.85
    with pytest.raises(InputError, match="predict_proba"):
        compare_selectors(X, labels, **{**CHEAP, "estimator": estimator}, scoring="neg_log_loss")


def test_a_weight_counts_as_rows_and_a_row_of_weight_0_not_at_all():
    X, y = planted(n=80)
    X[60:] = np.random.default_rng(5).normal(size=(20, 12))
    weight = np.r_[np.ones(60), np.zeros(20)]
    splits = [(np.setdiff1d(np.arange(80), t), t) for t in (np.arange(0, 80, 2), np.arange(1, 80, 2))]
    inside = [(a[a < 60], b[b < 60]) for a, b in splits]
    found = compare_selectors(X, y, **CHEAP, cv=splits, sample_weight=weight)
    alone = compare_selectors(X[:60], y[:60], **CHEAP, cv=inside)
    np.testing.assert_allclose(found.table_["score"], alone.table_["score"], atol=1e-6)
    with pytest.raises(InputError, match="KNeighborsRegressor"):
        compare_selectors(X, y, **{**CHEAP, "estimator": KNeighborsRegressor()}, sample_weight=weight)
    noted = compare_selectors(X, y, **{**CHEAP, "methods": [SelectKBest(f_regression, k=2)]}, sample_weight=weight)
    assert any("takes no weights" in note for note in noted.notes_)


def test_all_columns_tied_go_by_position():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, size=80).astype(float)
    X = np.tile(x[:, None], (1, 5))
    y = x + 0.1 * rng.normal(size=80)
    found = compare_selectors(X, y, **{**CHEAP, "methods": ["mrmr", "relief", "linear"], "sizes": [1, 2]})
    assert found.recommended_.features == [0]
    assert [swap.redundant for swap in found.interchangeable_[0]] == [True] * 4


# ---- input -----------------------------------------------------------------------------------------------------------


def test_labels_and_gaps_from_a_frame_and_from_files(tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = planted(n=100)
    frame = pd.DataFrame(X[:, :6], columns=list("abcdef"))
    frame["kind"] = np.array(["red", "green", "blue"])[np.random.default_rng(0).integers(0, 3, 100)]
    frame.loc[::9, "a"] = np.nan
    frame["y"] = y + 2 * (frame["kind"] == "red")
    frame.to_csv(tmp_path / "table.csv", index=False)
    every = compare_selectors(frame, "y", **{**CHEAP, "methods": "auto", "sizes": [2]})
    assert every.failures_ == []
    options = {**CHEAP, "methods": ["lasso"]}
    here = compare_selectors(frame, "y", **options)
    assert "kind" in here.recommended_.features
    assert compare_selectors(str(tmp_path / "table.csv"), "y", **options).recommended_ == here.recommended_
    frame.to_parquet(tmp_path / "table.parquet")
    assert compare_selectors(tmp_path / "table.parquet", "y", **options).recommended_ == here.recommended_


def test_a_file_too_large_is_sampled_and_says_so(tmp_path, monkeypatch):
    pd = pytest.importorskip("pandas")
    from tamis.selection.comparison import table_input

    X, y = planted(n=400)
    pd.DataFrame(X).assign(y=y).rename(columns=str).to_csv(tmp_path / "table.csv", index=False)
    monkeypatch.setattr(table_input, "available_memory", lambda: 8 * 12 * 8 * 150)
    found = compare_selectors(tmp_path / "table.csv", "y", **CHEAP)
    assert any("random sample of 150" in note for note in found.notes_)
    assert set(found.recommended_.features) == {"1", "4", "7"}


def test_sparse_rows_give_what_dense_ones_give():
    X, y = planted()
    X[np.abs(X) < 0.7] = 0.0
    y = X[:, 1] - X[:, 4] + 0.1 * y
    options = {**CHEAP, "methods": ["lasso", "forest", "linear", "mrmr"]}
    dense, sparse = compare_selectors(X, y, **options), compare_selectors(sp.csr_array(X), y, **options)
    assert sparse.failures_ == []
    assert set(sparse.recommended_.features) == set(dense.recommended_.features)


def test_selectors_of_the_user():
    X, y = planted(n=80)
    methods = {
        "kbest": SelectKBest(f_regression, k=3),
        "rfe": RFE(LinearRegression(), n_features_to_select=3),
        "sfs": SequentialFeatureSelector(LinearRegression(), n_features_to_select=3, cv=2),
        "search": SubsetSelector("forward", "linear_fit", n_features=3),
        "floating": SubsetSelector("floating", "linear_fit", n_features=3),
    }
    found = compare_selectors(X, y, **{**CHEAP, "methods": methods})
    assert found.failures_ == []
    for name in methods:
        curve = found.curve(name)
        assert 3 in curve.sizes.tolist()
        assert curve.scores[curve.sizes.tolist().index(3)] > 0.85
    assert found.curve("sfs").sizes.tolist() == [0, 3, 12]


def test_keep_and_groups_of_columns():
    X, y = planted()
    kept = compare_selectors(X, y, **{**CHEAP, "sizes": [2, 3, 4, 6]}, keep=[0])
    assert set(kept.recommended_.features) == {0, 1, 4, 7}
    assert kept.baseline("none")[0] < 0.2
    together = [[0, 1], [4, 5], [7], [2, 3], [6, 8], [9, 10, 11]]
    labels = np.empty(12, dtype=int)
    for g, members in enumerate(together):
        labels[members] = g
    grouped = compare_selectors(X, y, **CHEAP, feature_groups=labels)
    assert set(grouped.recommended_.features) == {0, 1, 4, 5, 7}
    assert grouped.recommended_.size == 3


@pytest.mark.parametrize("scoring", ["neg_root_mean_squared_error", "neg_mean_absolute_error", "explained_variance"])
def test_other_scores_find_the_same(scoring):
    X, y = planted(n=80)
    found = compare_selectors(X, y, **{**CHEAP, "methods": ["lasso"], "sizes": [2, 3]}, scoring=scoring)
    assert set(found.recommended_.features) == {1, 4, 7}
    assert found.n_resamples_ == (20 if scoring == "explained_variance" else 1000)


def test_a_scorer_of_classes_sees_labels():
    X, y = planted(n=80, classes=True)
    found = compare_selectors(X, np.array(["no", "yes"])[y], **{**CHEAP, "sizes": [3]}, scoring="balanced_accuracy")
    assert found.recommended_.score > 0.7


def test_time_order_and_repeats():
    X, y = planted()
    assert set(compare_selectors(X, y, **CHEAP, cv=TimeSeriesSplit(4)).recommended_.features) == {1, 4, 7}
    assert compare_selectors(X, y, **CHEAP, cv=3, n_repeats=2).n_splits_ == 6
    with pytest.raises(InputError, match="n_repeats=2 needs cv as a number"):
        compare_selectors(X, y, **CHEAP, cv=TimeSeriesSplit(4), n_repeats=2)


def test_the_noise_floor_of_single_columns_stands_beside_the_choice():
    X, y = planted(classes=True)
    floor = compare_selectors(X, y, **CHEAP).noise_floor_
    assert floor.names == list(range(12))
    assert set(np.flatnonzero(floor.significant)) == {1, 4, 7}
    alone = column_noise_floor(X, y, evaluation=InformationGain(task="classification"))
    np.testing.assert_array_equal(floor.scores, alone.scores)
    by_group = compare_selectors(X, y, **CHEAP, groups=np.arange(120) // 4)
    assert by_group.noise_floor_ is not None
    one_target_each = compare_selectors(X, y, **CHEAP, groups=np.where(y > 0, 0, 5) + np.arange(120) % 5)
    assert one_target_each.noise_floor_ is None
    assert any("noise floor" in note for note in one_target_each.notes_)


def test_the_p_value_of_the_whole_procedure():
    X, y = planted(n=60)
    found = compare_selectors(X, y, **{**CHEAP, "methods": ["mrmr"], "sizes": [1, 3]}, n_shuffles=19, cv=3)
    assert found.pvalue_ == 1 / 20
    assert len(found.shuffled_scores_) == 19
    user = {"own": SubsetSelector("forward", "linear_fit", n_features=2)}
    again = compare_selectors(X, y, **{**CHEAP, "methods": user, "sizes": [1, 2]}, n_shuffles=4, cv=3)
    assert again.pvalue_ == 1 / 5


@pytest.mark.parametrize(
    "wrong, words",
    [
        ({"methods": ["lars"]}, "methods has no 'lars'"),
        ({"methods": []}, "methods is empty"),
        ({"methods": [LinearRegression()]}, "methods must be names"),
        ({"methods": {"none": ReliefF()}}, "baseline"),
        ({"estimator": "svm"}, "estimator must be"),
        ({"estimator": RidgeClassifier()}, "RidgeClassifier predicts classes"),
        ({"sizes": "few"}, "sizes must be"),
        ({"sizes": None}, "sizes"),
        ({"sizes": []}, "sizes is empty"),
        ({"keep": list(range(12))}, "keep holds all 12 columns"),
        ({"scoring": "roc_auc"}, "scoring='roc_auc' cannot be used"),
        ({"scoring": "accuracy"}, "scoring='accuracy' cannot be used"),
        ({"scoring": {"a": "r2"}}, "scoring must be the name of one score"),
        ({"scoring": ["r2", "max_error"]}, "scoring must be the name of one score"),
        ({"scoring": lambda model, X, y: 1 / 0}, "division by zero"),
        ({"scoring": lambda model, X, y: 1.0, "sample_weight": np.linspace(0.5, 1, 30)}, "sample_weight"),
        ({"sample_weight": np.r_[1, np.zeros(29)]}, "sample_weight is 0 in all training rows of split"),
        ({"sizes": [40]}, "sizes"),
        ({"cv": 1}, "cv"),
        ({"scoring": "no_score"}, "no_score"),
        ({"time_limit": 0}, "time_limit"),
        ({"n_shuffles": -1}, "n_shuffles"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"groups": [1, 2]}, "groups"),
        ({"random_state": "x"}, "random_state"),
    ],
)
def test_bad_input_is_one_error(wrong, words):
    X, y = planted(n=30)
    with pytest.raises(InputError, match=words):
        compare_selectors(X, y, **{**CHEAP, **wrong})


def test_a_scorer_that_needs_probabilities():
    X, y = planted(n=40, classes=True)
    with pytest.raises(InputError, match="scoring='neg_brier_score' cannot be used: it needs predict_proba"):
        compare_selectors(X, y, **{**CHEAP, "estimator": LinearSVC()}, scoring="neg_brier_score")


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("scale", [1 / 80, 1e-160, 1e6])
def test_only_the_ratios_of_weights_matter(classes, scale):
    X, y = planted(n=80, classes=classes)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 80)
    one, other = (compare_selectors(X, y, **CHEAP, sample_weight=w) for w in (weight, scale * weight))
    assert other.recommended_.features == one.recommended_.features
    np.testing.assert_allclose(other.table_["score"], one.table_["score"], rtol=0, atol=1e-6)


def test_the_selector_takes_the_target_as_the_comparison_did():
    """Few whole numbers are numbers to a regressor, and to the selector that is fitted again."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    X[:, 2] = rng.integers(0, 3, 60)
    y = np.minimum(rng.poisson(np.exp(0.4 * X[:, 0] + 0.3 * X[:, 1])), 6)
    options = {"methods": ["relief"], "estimator": LinearRegression(), "sizes": [2, 3], "cv": 3, "n_jobs": 1}
    found = compare_selectors(X, y, **options)
    assert clone(found.selector_).fit(X, y).selected_features_ == found.recommended_.features
    assert found.selector_.task == "regression"


class MoreFromMoreRows(SelectorMixin, BaseEstimator):
    """Tells one subset and no order: 4 columns of 60 rows or more, 2 of fewer."""

    def fit(self, X, y):
        strength = np.abs(X.T @ (y - y.mean()))
        self.support_ = np.isin(np.arange(X.shape[1]), np.argsort(-strength)[: 4 if len(X) >= 60 else 2])
        self.n_features_in_ = X.shape[1]
        return self

    def _get_support_mask(self):
        return self.support_


def test_one_subset_without_an_order_is_told_as_it_is_chosen_from_all_rows():
    X, _ = planted(n=60)
    found = compare_selectors(X, X[:, 0] + X[:, 1], **{**CHEAP, "methods": [MoreFromMoreRows()]})
    assert len(found.recommended_.features) == found.recommended_.size == 4
    assert found.headline.startswith("4 of ")
    assert clone(found.selector_).fit(X, X[:, 0] + X[:, 1]).selected_features_ == sorted(found.recommended_.features)


@pytest.mark.parametrize("asked, sizes", [(2, {2}), ((4, 6), {4, 5, 6}), (12, {12})])
def test_as_many_columns_as_asked_for_are_recommended(asked, sizes):
    """Three columns are planted: left alone, the rule takes three."""
    X, y = planted()
    found = compare_selectors(X, y, **CHEAP, n_features=asked)
    assert found.recommended_.size in sizes
    assert len(found.recommended_.features) == found.recommended_.size
    assert {1, 4, 7} <= set(found.recommended_.features) or asked == 2


@pytest.mark.parametrize("asked", [0, 13, (3, 2), "two"])
def test_a_number_of_columns_that_there_is_not(asked):
    X, y = planted()
    with pytest.raises(InputError, match="n_features"):
        compare_selectors(X, y, **CHEAP, n_features=asked)


def test_the_headline_says_how_many_what_they_give_and_what_all_give_more():
    X, y = planted()
    found = compare_selectors(X, y, **CHEAP)
    r = found.recommended_
    low, high = r.interval
    assert found.headline.startswith(f"3 of 12 columns: R² {r.score:.3f} ({low:.3f} to {high:.3f}) in rows never used")
    word = "more" if r.against_all.value < 0 else "less"
    assert f"all 12 give {abs(r.against_all.value):.3f} {word} (" in found.headline
    noise = np.random.default_rng(3).normal(size=120)
    of_noise = compare_selectors(X, noise, **CHEAP)
    assert of_noise.headline.startswith("no set of columns is shown to be better than none")
    of_noise.recommended_ = replace(of_noise.recommended_, all_against_none=Estimate(0.4, 0.2, 0.6))
    assert "all 12 are: " in of_noise.headline


def test_no_column_is_the_best_constant_for_a_score_of_one_class():
    """Always to say "yes" has f1 = 2/3 on a fair coin: a column of noise is no better."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(100, 3)), rng.permutation(np.arange(100) % 2)
    found = compare_selectors(X, y, **{**CHEAP, "methods": ["relief"], "sizes": [1]}, cv=2, scoring="f1")
    assert found.baseline("none")[0] == pytest.approx(2 / 3)
    assert not found.recommended_.better_than_none


def test_whole_weights_are_not_written_out_as_rows():
    X, y = planted(n=40, classes=True)
    seen = []

    def score(model, X, y, sample_weight=None):
        seen.append(len(y))
        return float(np.average(model.predict(X) == y, weights=sample_weight))

    options = {**CHEAP, "methods": ["lasso"], "sizes": [1]}
    compare_selectors(X, y, **options, cv=2, scoring=score, sample_weight=np.full(40, 1000))
    assert max(seen) <= 40


def test_a_decision_function_of_pairs_of_classes_is_not_one_of_classes():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = np.c_[y + 0.3 * rng.normal(size=90), rng.normal(size=(90, 2))]
    options = {**CHEAP, "methods": ["mrmr"], "sizes": [1]}
    found = compare_selectors(X, y, **{**options, "estimator": SVC(decision_function_shape="ovo")})
    assert found.recommended_.features == [0]
    assert found.recommended_.better_than_none


def test_stability_is_of_what_could_be_chosen():
    """One of two twins is drawn each time beside kept columns: as good as random, however many are kept."""
    rng = np.random.default_rng(0)
    K, z = rng.normal(size=(120, 6)), rng.normal(size=(120, 1))
    X = np.c_[K, z + 0.02 * rng.normal(size=(120, 6))]
    y = K.sum(axis=1) + 1.5 * z[:, 0] + rng.normal(size=120)
    options = {**CHEAP, "methods": ["forest"], "sizes": [7]}
    found = compare_selectors(X, y, **options, keep=list(range(6)))
    assert found.recommended_.size == 7
    assert found.stability_.value < 0.4


def test_ties_of_a_ranking_follow_the_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 10))
    y = X @ np.arange(10.0) ** 2 / 20 + rng.normal(size=150)
    selector = MethodSelector(RFE(LinearRegression(), n_features_to_select=5), 3).fit(X, y)
    assert set(selector.selected_features_) == {7, 8, 9}


def test_names_that_are_given_are_heard():
    X, y = planted(n=60)
    options = {"sizes": [1], "n_jobs": 1, "cv": 2}
    found = compare_selectors(X, y, methods={"path": "lasso"}, estimator={"linear": KNeighborsRegressor()}, **options)
    assert list(found.methods_) == ["path"]
    assert found.learners_ == {"linear": "linear"}


def test_leaving_out_single_rows_has_no_auc():
    X, y = planted(n=20, classes=True)
    with pytest.raises(InputError, match="the AUC compares rows of two classes within a fold"):
        compare_selectors(X, y, **CHEAP, cv=LeaveOneOut())


def test_infinite_numbers_and_no_target():
    X, y = planted(n=30)
    with pytest.raises(InputError, match="requires y"):
        compare_selectors(X)
    X[3, 2] = np.inf
    with pytest.raises(InputError, match="infinity in 2"):
        compare_selectors(X, y)


@pytest.mark.deep
def test_method_selector_keeps_scikit_learns_contract():
    from sklearn.utils.estimator_checks import check_estimator

    found = check_estimator(MethodSelector("lasso", 1), on_fail=None, on_skip=None)
    failed = [(one["check_name"], one["exception"]) for one in found if one["status"] == "failed"]
    assert failed == []


@pytest.mark.parametrize("scoring", ["accuracy", "f1"])
def test_classes_are_those_that_the_learner_predicts(scoring):
    """Whatever its probabilities say: here the second class is predicted from a fifth on."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 1.3).astype(int)
    learner = FixedThresholdClassifier(LogisticRegression(), threshold=0.2)
    cv = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    found = compare_selectors(X, y, estimator=learner, methods=["mrmr"], sizes=[1], cv=cv, scoring=scoring, n_jobs=1)
    assert found.baseline("all")[0] == pytest.approx(cross_val_score(learner, X, y, cv=cv, scoring=scoring).mean())
    plain = cross_val_score(LogisticRegression(), X, y, cv=cv, scoring=scoring).mean()
    assert abs(found.baseline("all")[0] - plain) > 0.02


@pytest.mark.parametrize("learner", [LogisticRegression(), LinearSVC(random_state=0), SVC()])
@pytest.mark.parametrize("scoring", ["average_precision", "f1_macro"])
def test_scorers_of_three_classes_get_what_they_ask_for(learner, scoring):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = np.digitize(X[:, 0] + X[:, 1] + rng.normal(size=60), [-0.8, 0.8])
    cv = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    found = compare_selectors(X, y, estimator=learner, methods=["mrmr"], sizes=[1], cv=cv, scoring=scoring, n_jobs=1)
    expected = cross_val_score(learner, X, y, cv=cv, scoring=scoring).mean()
    assert found.baseline("all")[0] == pytest.approx(expected, abs=1e-9)


def test_a_scorer_of_what_a_learner_has_not_is_refused():
    class Labels(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.where(X[:, 0] > 0, self.classes_[-1], self.classes_[0])

    X, y = planted(classes=True)
    with pytest.raises(InputError, match="it needs decision_function or predict_proba, which Labels has not"):
        compare_selectors(X, y, **{**CHEAP, "estimator": Labels()}, scoring="average_precision")
    compare_selectors(X, y, **{**CHEAP, "estimator": Labels(), "sizes": [1]}, scoring="f1")


def test_comparisons_in_threads_leave_the_threads_of_others_as_they_were():
    """One that begins while another is at work must not take its single thread for what was there before."""
    blas = ThreadpoolController().select(user_api="blas")
    first_inside, second_inside, first_left = threading.Event(), threading.Event(), threading.Event()
    inside = []

    def numbers():
        return [one["num_threads"] for one in blas.info()]

    def set_threads(to):
        for library, n in zip(blas.lib_controllers, to, strict=True):
            library.set_num_threads(n)
            getattr(library, "clear_controlling_thread", lambda: None)()

    class Piece:
        def __init__(self, enters, leaves_after):
            self.enters, self.leaves_after = enters, leaves_after

        def run(self, table, deadline):
            self.enters.set()
            assert self.leaves_after.wait(60)
            inside.append(numbers())
            return {}

    was = numbers()
    set_threads([2] * len(was))
    before = numbers()
    first = threading.Thread(target=run_piece, args=(Piece(first_inside, second_inside), None, np.inf))
    second = threading.Thread(target=run_piece, args=(Piece(second_inside, first_left), None, np.inf))
    first.start()
    assert first_inside.wait(60)
    second.start()
    first.join()
    first_left.set()
    second.join()
    after = numbers()
    set_threads(was)
    assert after == before
    assert inside == [[1] * len(was)] * 2


def test_a_splitter_of_groups_asks_for_the_groups():
    X, y = planted(n=40)
    with pytest.raises(InputError, match="needs groups: give groups=, one label per row"):
        compare_selectors(X, y, **CHEAP, cv=GroupKFold(3))


def test_the_task_that_is_asked_for_is_that_of_the_learners():
    X, y = planted(n=40)
    few = np.clip(np.rint(y), -2, 2).astype(int)
    options = {**CHEAP, "methods": ["mrmr"], "sizes": [1]}
    assert compare_selectors(X, few, **options, task="regression").scoring_ == "R²"
    assert compare_selectors(X, few, **options, task="classification").scoring_ == "AUC"
    with pytest.raises(InputError, match="LogisticRegression is not for regression"):
        compare_selectors(X, few, **{**options, "estimator": LogisticRegression()}, task="regression")
    with pytest.raises(InputError, match="task='classification' asks for classes, but y holds 40 different numbers"):
        compare_selectors(X, y, **options, task="classification")


def test_a_scorer_that_scores_no_fold_says_why():
    X, y = planted(n=40, classes=True)
    with pytest.raises(InputError, match=r"scores no fold: .*no attribute 'predict_proba'"):
        compare_selectors(
            X,
            y,
            **{**CHEAP, "sizes": [1], "estimator": LinearSVC()},
            scoring=lambda model, X, y: float(model.predict_proba(X)[:, 1].mean()),
        )
