"""Classes that columns without a penalty separate: a warning that says so, and never anything raw."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from tamis import Lasso, LassoCV, SparseClassifier, SparseClassifierCV, SparseRegressor, sparse_path
from tamis._core.errors import InputError
from tamis.linear.separation import separates_some
from tamis.penalties import L1


def drawn(seed):
    """A small table, some columns of which have no penalty; classes are told apart by all columns, by those, or not."""
    rng = np.random.default_rng(seed)
    n, p, K = int(rng.integers(6, 40)), int(rng.integers(1, 8)), int(rng.choice([2, 2, 3, 4]))
    X = rng.standard_normal((n, p)) * 10 ** rng.uniform(-2, 2)
    X = np.round(X) if rng.random() < 0.3 else X
    free = int(rng.integers(1, p + 1))
    used = free if rng.random() < 0.5 else p
    y = (X[:, :used] @ rng.standard_normal((used, K))).argmax(axis=1)
    strangers = rng.integers(0, n, int(rng.integers(0, 1 + n // 6)))
    y[strangers] = rng.integers(0, K, len(strangers))
    y[:2] = [0, 1]
    model = SparseClassifier(
        penalty=L1(weights=np.r_[np.zeros(free), np.ones(p - free)], positive=bool(rng.random() < 0.2)),
        alpha=float(rng.choice([0.0, 1e-3, 0.01, 0.1, 1.0])),
        fit_intercept=bool(rng.random() < 0.7),
        standardize=bool(rng.random() < 0.3),
        relax=bool(rng.random() < 0.2),
        class_weight="balanced" if rng.random() < 0.2 else None,
    )
    return model, sp.csr_array(X) if rng.random() < 0.2 else X, y


@pytest.mark.parametrize("first", [0, 10, *(pytest.param(k, marks=pytest.mark.deep) for k in range(20, 60, 10))])
def test_every_fit_without_a_penalty_ends_with_a_proof_or_a_warning_of_separation(first):
    for seed in range(first, first + 10):
        model, X, y = drawn(seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, y)
        assert np.isfinite(model.coef_).all()
        for warning in caught:
            assert warning.category is ConvergenceWarning
            assert "separate" in str(warning.message), (seed, str(warning.message))
        if not caught:
            assert model.certificate_.verify(X, y).gap <= 1e-6 * np.log(4), seed  # of a null model's loss at most


def test_two_classes_on_either_side_of_an_unpenalised_column():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((int(rng.integers(6, 30)), 3))
        y = (X[:, 0] > np.median(X[:, 0])).astype(int)
        with pytest.warns(ConvergenceWarning, match="unpenalised columns separate the classes perfectly.*weights >"):
            model = SparseClassifier(penalty=L1([0.0, 1.0, 1.0]), alpha=0.01).fit(X, y)
        assert model.predict(X).tolist() == y.tolist()
        assert not model.coef_[0, 1:].any()


@pytest.mark.filterwarnings("ignore:SparseClassifierCV")
@pytest.mark.parametrize("k", [2, 3])
def test_folds_whose_training_rows_are_separated(k):
    rng = np.random.default_rng(k)
    X, y = rng.standard_normal((60, 3)), np.arange(60) % k
    X[:, 0] = y + 0.1 * X[:, 0]
    model = SparseClassifierCV(penalty=L1([0.0, 1.0, 1.0]), alphas=5, cv=3).fit(X, y)
    assert np.isfinite(model.scores_path_).all()
    assert model.score(X, y) == 1


@pytest.mark.parametrize("k", [2, 3])
def test_an_unpenalised_column_that_separates_some_rows_only(k):
    """Rows of a class with a 1 are certain; those with a 0 are not."""
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((90, 4)), rng.integers(0, k, 90)
    X[:, 0] = (y == 1) & (rng.random(90) < 0.5)
    with pytest.warns(ConvergenceWarning, match="the unpenalised columns separate some classes.* use weights > 0"):
        SparseClassifier(penalty=L1([0.0, 1.0, 1.0, 1.0]), alpha=0.02).fit(X, y)


@pytest.mark.parametrize("labels", [1, 3])
def test_separation_is_told_from_a_single_row_on_the_other_side(labels):
    rng = np.random.default_rng(0)
    a = np.column_stack([np.ones(30), rng.standard_normal(30)])
    codes = np.digitize(a[:, 1], [0.0] if labels == 1 else [-0.5, 0.5])

    def apart(codes, positive=0):
        y = 2.0 * codes - 1 if labels == 1 else np.eye(3)[codes]
        return separates_some(lambda U: a, np.zeros(1), y, None, positive)

    assert apart(codes)
    codes[[a[:, 1].argmin(), a[:, 1].argmax()]] = codes.max(), 0
    assert not apart(codes)


def test_a_column_that_separates_only_with_the_sign_it_may_not_have():
    x = np.array([-2.0, -1.0, 1.0, 2.0])
    y, a = -np.sign(x), np.column_stack([np.ones(4), x])
    assert separates_some(lambda U: a, np.zeros(1), y, None)
    assert not separates_some(lambda U: a, np.zeros(1), y, None, 1)


def test_refit_of_sparse_rows_on_no_column():
    X, y = np.random.default_rng(0).standard_normal((40, 3)), np.arange(40) % 3
    model = SparseClassifier(alpha=10.0, relax=True).fit(sp.csr_array(X), y)
    assert not model.coef_.any()


@pytest.mark.parametrize("y", [np.zeros((20, 0)), [[]] * 20])
def test_a_target_without_columns_is_refused(y):
    X = np.eye(20)[:, :3]
    for fit in (Lasso().fit, LassoCV().fit, SparseRegressor().fit, SparseClassifier().fit, sparse_path):
        with pytest.raises(InputError, match=r"y "):
            fit(X, y)


def test_a_certificate_is_not_verified_against_other_targets():
    X, y = np.eye(20)[:, :3], np.arange(20.0)
    certificate = Lasso(alpha=0.01).fit(X, y).certificate_
    with pytest.raises(InputError, match=r"y has shape \(20, 2\).*1 target"):
        certificate.verify(X, np.column_stack([y, y]))
