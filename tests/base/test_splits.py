"""Splits of rows: one reading of cv and groups for every estimator that cross-validates."""

import weakref

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, KFold

from tamis import InputError, LassoCV, SparseClassifierCV, SparseRegressorCV, SubsetSelector
from tamis.base.splits import split_rows
from tamis.selection import CrossValidated, LinearFit

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
Y = X[:, 0] + 0.1 * rng.normal(size=60)
GROUPS = np.repeat(np.arange(6), 10)

ESTIMATORS = {
    "lasso": lambda cv: LassoCV(alphas=3, cv=cv),
    "regressor": lambda cv: SparseRegressorCV(alphas=3, cv=cv),
    "linear fit": lambda cv: SubsetSelector("forward", LinearFit(cv=cv)),
    "learner": lambda cv: SubsetSelector("forward", CrossValidated(Ridge(), cv=cv)),
}


def test_groups_stay_together():
    for train, test in split_rows(GroupKFold(3), Y, 60, classifier=False, groups=GROUPS):
        assert not set(GROUPS[train]) & set(GROUPS[test])


@pytest.mark.parametrize("make", ESTIMATORS.values(), ids=ESTIMATORS)
@pytest.mark.parametrize(
    ("cv", "groups", "argument"),
    [
        (5, GROUPS, "groups"),
        (KFold(3), GROUPS, "groups"),
        (GroupKFold(3), GROUPS[:10], "groups"),
        (GroupKFold(3), None, "cv"),
        (KFold, None, "cv"),
        (61, None, "cv"),
        ([([0, 1], [60])], None, "cv"),
        ([], None, "cv"),
    ],
    ids=["number", "no groups", "short", "missing", "class", "too many folds", "no such row", "none"],
)
def test_what_cannot_split_is_refused_with_its_argument(make, cv, groups, argument):
    with pytest.raises(InputError) as caught:
        make(cv).fit(X, Y, groups=groups)
    assert caught.value.argument == argument


def test_folds_of_classes_are_stratified():
    labels = np.repeat([0, 1], [50, 10])
    counts = [labels[test].sum() for _, test in split_rows(5, labels, 60, classifier=True)]
    assert counts == [2, 2, 2, 2, 2]
    assert SparseClassifierCV(alphas=3).fit(X, labels).scores_path_.shape == (3, 5)


def test_splits_are_held_once():
    """Of many rows each takes memory: what a splitter gave is gone when it is asked for the next but one."""
    drawn = []

    def positions(n):
        rows = np.arange(n, dtype=np.int32)
        drawn.append(weakref.ref(rows))
        return rows

    class Splitter:
        def get_n_splits(self, *_):
            return 3

        def split(self, X, y=None, groups=None):
            for k in range(3):
                assert sum(rows() is not None for rows in drawn) <= 2, f"split {k}"
                yield positions(40), positions(20)

    assert len(split_rows(Splitter(), Y, 60, classifier=False)) == 3
