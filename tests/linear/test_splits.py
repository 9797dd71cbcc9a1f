"""Cross-validation on whatever rows a splitter names: each split is the fit of X[train], judged on X[test]."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import log_loss

from linear.tables import classes, table, targets
from tamis import (
    InputError,
    LassoCV,
    SparseClassifier,
    SparseClassifierCV,
    SparseRegressor,
    SparseRegressorCV,
    as_source,
)
from tamis.penalties import Group
from tolerances import AGREE
from turns import in_turns

N = 60


def mask(rows):
    return np.isin(np.arange(N), rows)


def bootstrap(seed):
    rng = np.random.default_rng(seed)
    train = rng.integers(0, N, N)
    return train, rng.permutation(np.setdiff1d(np.arange(N), train))


SPLITS = {
    # last − first + 1 is the number of rows, and they are not consecutive
    "repeated": ([*range(0, 40, 2), *range(0, 40, 2)], [*range(40, 50, 2), 49, *range(41, 45)]),
    "repeated test": (range(40), [40, 40, 42, 43, 44, 45, 45]),
    "as many as rows": ([*range(30), *range(10)], [*range(30, 50)]),  # |train| + |test| = n, rows 50 to 59 in neither
    "bootstrap": bootstrap(0),
    "overlapping": (range(45), range(30, 60)),
    "all": (range(N), range(N)),
    "unsorted": (np.random.default_rng(1).permutation(40), [59, 41, 50]),
    "negative": (range(-60, -20), [-1, -5, 41]),
    "mask": (mask(range(0, 60, 2)), mask(range(1, 60, 2))),
    "unsigned": (np.arange(40, dtype=np.uint8), np.arange(40, 60, dtype=np.uint8)),
    "folds": (range(20, 60), range(20)),
}
STORAGE = {"C": np.ascontiguousarray, "F": np.asfortranarray, "csr": sp.csr_array, "csc": sp.csc_array}


def as_index(rows):
    return np.asarray(rows) if isinstance(rows, np.ndarray) else np.array(list(rows))


def judged(model, X, y, split, weight, loss):
    """The loss on X[test] of the model fitted on X[train], by NumPy's own indexing."""
    train, test = (as_index(rows) for rows in split)
    model.fit(X[train], y[train], None if weight is None else weight[train])
    return loss(model, X[test], y[test], None if weight is None else weight[test])


def squared(model, X, y, weight):
    return np.average(((y - model.predict(X)) ** 2).reshape(len(y), -1).mean(axis=1), weights=weight)


def cross_entropy(model, X, y, weight):
    return log_loss(y, model.predict_proba(X), sample_weight=weight, labels=model.classes_)


@pytest.mark.parametrize(
    "split, solver, storage, weighted", in_turns(SPLITS, ["gram", "working_set"], STORAGE, [False, True])
)
def test_a_split_of_squares(split, solver, storage, weighted):
    X, y = table(0, N)
    weight = np.random.default_rng(2).uniform(0.5, 2, N) if weighted else None
    given = {"alphas": [0.1], "solver": solver}
    both = [SPLITS[split], SPLITS["folds"]]
    model = SparseRegressorCV(cv=both, **given).fit(STORAGE[storage](X), y, weight)
    expected = [judged(SparseRegressor(alpha=0.1, solver=solver), X, y, s, weight, squared) for s in both]
    np.testing.assert_allclose(model.mse_path_.ravel(), expected, rtol=AGREE)


@pytest.mark.parametrize("penalty", ["l1", Group()], ids=["apart", "joint"])
@pytest.mark.parametrize("split", SPLITS)
def test_a_split_of_several_targets(split, penalty):
    X, Y = targets(0, N)
    model = SparseRegressorCV(penalty=penalty, cv=[SPLITS[split]], alphas=[0.1], tol=1e-12).fit(X, Y)
    expected = judged(SparseRegressor(penalty=penalty, alpha=0.1, tol=1e-12), X, Y, SPLITS[split], None, squared)
    assert model.mse_path_.ravel() == pytest.approx(expected, rel=1e-6)  # a gap of 1e-12 leaves 1e-6 in predictions


# Three classes take a second on sparse rows: one split of each number of classes is enough in every run.
ON_CSR = [
    pytest.param(split, "csr", k, marks=[] if (split, k) in [("folds", 3), ("bootstrap", 2)] else pytest.mark.deep)
    for split in SPLITS
    for k in (2, 3)
]


@pytest.mark.parametrize("split, storage, k", [*in_turns(SPLITS, ["C", "F", "csc"], [2, 3]), *ON_CSR])
def test_a_split_of_classes(split, storage, k):
    X, y = classes(0, N, k=k)
    model = SparseClassifierCV(cv=[SPLITS[split]], alphas=[0.03], tol=1e-12).fit(STORAGE[storage](X), y)
    expected = judged(SparseClassifier(alpha=0.03, tol=1e-12), X, y, SPLITS[split], None, cross_entropy)
    assert -model.scores_path_.ravel() == pytest.approx(expected, rel=1e-5)  # coefficients to the root of the gap


@pytest.mark.parametrize("classifier", [False, True])
@pytest.mark.parametrize("split", SPLITS)
def test_a_split_of_rows_in_a_file(split, classifier, tmp_path):
    X, y = classes(0, N) if classifier else table(0, N)
    names = [f"x{j}" for j in range(X.shape[1])]
    np.savetxt(tmp_path / "t.csv", np.column_stack([X, y]), delimiter=",", header=",".join([*names, "y"]), comments="")
    Model, One, loss = (
        (SparseClassifierCV, SparseClassifier, cross_entropy) if classifier else (LassoCV, SparseRegressor, squared)
    )
    alpha = 0.03 if classifier else 0.1
    model = Model(cv=[SPLITS[split]], alphas=[alpha], tol=1e-12).fit(as_source(tmp_path / "t.csv", "y"))
    expected = judged(One(alpha=alpha, tol=1e-12), X, y, SPLITS[split], None, loss)
    assert -model.scores_path_.ravel() == pytest.approx(expected, rel=1e-5)


def test_a_scorer_sees_the_test_rows_in_the_order_given():
    X, y = table(0, N)
    order = [50, 41, 41, 59]

    def last(model, X_test, y_test):
        assert np.array_equal(X_test, X[order])
        return -((y_test[-1] - model.predict(X_test)[-1]) ** 2)

    LassoCV(cv=[(range(40), order)], alphas=[0.1], scoring=last).fit(X, y)


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("tiled", [False, True])
@pytest.mark.parametrize("storage", STORAGE)
def test_training_rows_keep_their_digits_when_the_fold_holds_a_columns_spread(storage, tiled, standardize):
    X, y = table(0, N)
    X[3, 0] = 1e9  # the total's scatter of column 0 is 1e18: nothing is left of the other rows' in it
    X[:, 1] = np.arange(N) == 3  # constant in the training rows
    splits = [(np.r_[20:N], np.arange(20)), (np.r_[:20, 40:N], np.arange(20, 40)), (np.arange(40), np.arange(40, N))]
    splits = splits if tiled else splits[:1]
    given = {"standardize": standardize, "solver": "gram"}
    model = SparseRegressorCV(cv=splits, alphas=[0.1], **given).fit(STORAGE[storage](X), y)
    expected = judged(SparseRegressor(alpha=0.1, **given), X, y, splits[0], None, squared)
    assert np.atleast_2d(model.mse_path_)[0, 0] == pytest.approx(expected, rel=1e-7)  # 1e9 · eps in each prediction


@pytest.mark.parametrize("precompute", ["auto", False])
@pytest.mark.parametrize(
    "cv, words",
    [
        ([(0, 1)], "training rows of split 0 must be a list of row numbers or a mask, got 0"),
        ([([0, 1, 2], 3)], "test rows of split 0 must be a list"),
        ([([0, 1], [2]), ([0, 1], [N])], f"test rows of split 1 name row {N}, but there are {N} rows"),
        ([([0, -N - 1], [2])], f"name row {-N - 1}"),
        ([([0, 1.5], [2])], "list of row numbers"),
        ([(["a"], [2])], "list of row numbers"),
        ([([[0, 1], [2]], [3])], "list of row numbers"),
        ([([], [2])], "training rows of split 0 are none"),
        ([([0, 1], np.zeros(N, bool))], "test rows of split 0 are none"),
        ([([True, False], [2])], f"mask of length 2, but there are {N} rows"),
        ([([0, 1], [2], [3])], "cannot split"),
        ([0, 1], "cannot split"),
        ([], "no splits"),
        ("five", "number of folds"),
    ],
)
def test_splits_that_are_no_row_numbers_are_refused_in_one_line(cv, words, precompute):
    X, y = table(0, N)
    with pytest.raises(InputError, match=words) as caught:
        LassoCV(cv=cv, alphas=[0.1], precompute=precompute).fit(X, y)
    assert "\n" not in str(caught.value)
