"""Any learner as an evaluation."""

import os
import time
from multiprocessing import active_children

import numpy as np
import pytest
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, load_wine
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from tamis import InputError
from tamis.selection import CrossValidated, Exhaustive, Floating, SubsetSelector
from tamis.sources import as_source
from tolerances import EPS


class Fussy(ClassifierMixin, BaseEstimator):
    """Predicts the first class; raises where a column is constant in training."""

    fits = 0

    def fit(self, X, y):
        Fussy.fits += 1
        if (np.ptp(X, axis=0) == 0).any():
            raise ValueError("a constant column")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_the_subset_is_scikit_learns(direction):
    X, y = load_wine(return_X_y=True)
    learner = KNeighborsClassifier(3)
    theirs = SequentialFeatureSelector(learner, n_features_to_select=4, direction=direction, cv=4).fit(X, y)
    ours = SubsetSelector(direction, CrossValidated(learner, cv=4), n_features=4).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.get_support())
    expected = cross_val_score(learner, X[:, ours.support_], y, cv=4)
    assert ours.score_ == pytest.approx(expected.mean(), rel=4 * EPS)
    kept = ours.history_["kept"].nonzero()[0][-1]
    assert ours.history_["spread"][kept] == pytest.approx(expected.std(), rel=1e-12)


def test_other_scores_and_splits():
    X, _ = load_iris(return_X_y=True)
    evaluation = CrossValidated(Ridge(), cv=KFold(3, shuffle=True, random_state=0), scoring="neg_mean_absolute_error")
    fitted = SubsetSelector(Exhaustive(), evaluation, n_features=2).fit(X[:, :3], X[:, 3])
    expected = cross_val_score(
        Ridge(), X[:, :3][:, fitted.support_], X[:, 3], cv=evaluation.cv, scoring=evaluation.scoring
    )
    assert fitted.score_ == pytest.approx(expected.mean(), rel=4 * EPS)


def test_answers_nobody_asks_for_are_not_computed_and_workers_live_on():
    X, y = load_wine(return_X_y=True)
    evaluation = CrossValidated(KNeighborsClassifier(), cv=2)
    state = evaluation.prepare(as_source(X, y), n_jobs=2)
    Parallel(n_jobs=2)(delayed(os.getpid)() for _ in range(2))
    before = {child.pid for child in active_children()}
    answers = evaluation.score_subsets(state, [(j,) for j in range(13)])
    first = next(answers)
    answers.close()
    assert first.score == evaluation.score(evaluation.prepare(as_source(X, y)), (0,))
    assert len(state.cache) == 1
    assert before
    assert before <= {child.pid for child in active_children()}


def test_threads_and_processes_change_nothing():
    X, y = load_iris(return_X_y=True)
    runs = [
        SubsetSelector("forward", CrossValidated(DecisionTreeClassifier(random_state=0)), n_jobs=n).fit(X, y)
        for n in (None, 2)
    ]
    assert runs[0].history_["score"].tolist() == runs[1].history_["score"].tolist()


def test_no_subset_is_fitted_twice():
    X, y = load_iris(return_X_y=True)
    Fussy.fits = 0
    fitted = SubsetSelector(Floating(), CrossValidated(Fussy(), cv=3), n_features=3).fit(X, y)
    subsets = {frozenset(s) for s in _asked(fitted.history_)}
    assert Fussy.fits == 3 * len(subsets)


def _asked(history):
    return [history_subset for each in history._rounds for history_subset in each.batch]


def test_a_learner_that_raises_in_one_fold_fails_that_subset_only():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.arange(len(y)) < 30])  # constant where the first 30 rows are held out
    evaluation = CrossValidated(Fussy(), cv=KFold(5))
    fitted = SubsetSelector("forward", evaluation, n_features=2).fit(X, y)
    assert not fitted.support_[4]
    failed = np.isnan(fitted.history_["score"])
    assert failed.sum() == 2
    assert set(fitted.history_["reason"][failed]) == {"failed: ValueError: a constant column"}


def test_sparse_tables_stay_sparse_and_names_are_kept():
    X, y = load_iris(return_X_y=True, as_frame=True)
    learner = LogisticRegression(max_iter=1000)
    dense = SubsetSelector("forward", CrossValidated(learner), n_features=2).fit(X, y)
    sparse = SubsetSelector("forward", CrossValidated(learner), n_features=2).fit(sp.csr_array(X.to_numpy()), y)
    assert dense.selected_features_ == [X.columns[j] for j in sparse.selected_features_]


def test_it_resumes(tmp_path):
    X, y = load_iris(return_X_y=True)
    make = lambda: SubsetSelector(  # noqa: E731
        "forward", CrossValidated(Fussy(), cv=3), n_features=2, checkpoint=tmp_path / "run.sqlite"
    )
    first = make().fit(X, y)
    Fussy.fits = 0
    again = clone(make()).fit(X, y)
    assert Fussy.fits == 0
    assert again.selected_features_ == first.selected_features_
    np.testing.assert_array_equal(again.history_["spread"], first.history_["spread"])


@pytest.mark.parametrize(
    "evaluation, message",
    [
        (CrossValidated(3), "estimator must be a scikit-learn estimator"),
        (CrossValidated(Ridge(), scoring="nonsense"), "cannot be scored"),
        (CrossValidated(Ridge(), cv=999), "cannot split"),
    ],
)
def test_complaints(evaluation, message):
    with pytest.raises(InputError, match=message):
        SubsetSelector("forward", evaluation).fit(*load_iris(return_X_y=True))


def test_weights_reach_the_fit_and_the_score():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    folds = KFold(3, shuffle=True, random_state=0)
    fitted = SubsetSelector(Exhaustive(), CrossValidated(Ridge(), cv=folds), n_features=4).fit(X, y, weight)
    expected = [
        Ridge().fit(X[train], y[train], weight[train]).score(X[test], y[test], weight[test])
        for train, test in folds.split(X)
    ]
    assert fitted.score_ == pytest.approx(np.mean(expected), rel=1e-12)
    assert fitted.score_ != pytest.approx(cross_val_score(Ridge(), X, y, cv=folds).mean(), rel=1e-6)


def test_weights_it_cannot_use_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="sample_weight cannot be used: the fit of KNeighborsClassifier takes none"):
        SubsetSelector("forward", CrossValidated(KNeighborsClassifier())).fit(X, y, sample_weight=np.ones(len(y)))


def test_missing_values_are_refused_where_the_learner_takes_none():
    X, y = load_iris(return_X_y=True)
    X[3, 1] = np.nan
    with pytest.raises(InputError, match=r"missing values \(NaN\) in"):
        SubsetSelector("forward", CrossValidated(Ridge())).fit(X, y)
    for learner in (DecisionTreeClassifier(random_state=0), make_pipeline(SimpleImputer(), Ridge())):
        assert SubsetSelector("ranking", CrossValidated(learner), n_features=2).fit(X, y).support_.sum() == 2


def test_time_is_up_while_others_still_work():
    X, y = load_iris(return_X_y=True)
    evaluation = CrossValidated(DecisionTreeClassifier(random_state=0))
    fitted = SubsetSelector(Exhaustive(), evaluation, n_jobs=2, time_limit=600).fit(X, y)
    assert fitted.status_ == "finished"
    short = SubsetSelector(Exhaustive(), CrossValidated(Sleepy(), cv=3), n_jobs=2, time_limit=3).fit(X, y)
    assert short.status_ == "time_limit"
    assert 0 < len(short.history_) < 15


class Sleepy(Fussy):
    def fit(self, X, y):
        time.sleep(0.5)
        return super().fit(X, y)
