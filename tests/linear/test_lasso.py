"""Lasso and LassoCV: agreement with scikit-learn and between storages, laws, evidence, complaints."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
import sklearn.linear_model as sk
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, ShuffleSplit

from tamis import ElasticNetCV, InputError, Lasso, LassoCV, SparseClassifierCV, SparseRegressor, as_source, sparse_path
from tamis._core.errors import ConvergenceWarning, NotFittedError
from tolerances import AGREE, AGREE_SKLEARN, ROUNDING


def table(seed=0, n=150, p=8):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * rng.uniform(0.5, 3, p) + rng.uniform(-3, 3, p)
    X[np.abs(X) < 0.4] = 0
    return X, X[:, :3] @ [1.0, -2.0, 0.5] + rng.standard_normal(n) + 7


def sklearn_fit(model, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args, **kwargs)


@pytest.mark.parametrize("alpha", [2.0, 0.3, 0.01])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_coefficients_of_scikit_learn(alpha, fit_intercept, weighted):
    X, y = table()
    weight = np.random.default_rng(1).uniform(0, 2, len(y)) if weighted else None
    ours = Lasso(alpha, fit_intercept=fit_intercept).fit(X, y, weight)
    theirs = sklearn_fit(sk.Lasso(alpha, fit_intercept=fit_intercept, tol=1e-14, max_iter=10**6), X, y, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=AGREE_SKLEARN)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=AGREE_SKLEARN)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-5)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(
    "cv",
    [
        5,
        3,
        KFold(4, shuffle=True, random_state=0),
        ShuffleSplit(3, train_size=0.5, random_state=0),
        RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
    ],
)
def test_cross_validation_of_scikit_learn(cv, weighted):
    X, y = table(1)
    weight = np.random.default_rng(2).uniform(0.1, 2, len(y)) if weighted else None
    ours = LassoCV(cv=cv, alphas=40).fit(X, y, weight)
    theirs = sklearn_fit(sk.LassoCV(cv=cv, alphas=40, tol=1e-12, max_iter=10**6), X, y, weight)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-10)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=AGREE_SKLEARN)
    assert ours.alpha_ == pytest.approx(theirs.alpha_, rel=1e-10)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=AGREE_SKLEARN)


def test_groups_reach_the_splitter():
    X, y = table(2)
    groups = np.repeat(np.arange(10), 15)
    ours = LassoCV(cv=GroupKFold(5), alphas=20).fit(X, y, groups=groups)
    splits = list(GroupKFold(5).split(X, y, groups))
    theirs = sklearn_fit(sk.LassoCV(cv=splits, alphas=20, tol=1e-12, max_iter=10**6), X, y)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=AGREE_SKLEARN)


def storages(tmp_path):
    X, y = table(3)
    names = [f"c{j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names).assign(target=y)
    frame.to_csv(tmp_path / "t.csv", index=False, float_format="%.17g")
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "t.parquet", row_group_size=40)
    return {
        "C": (X, y),
        "F": (np.asfortranarray(X), y),
        "list": (X.tolist(), y.tolist()),
        "csr": (sp.csr_array(X), y),
        "csc": (sp.csc_matrix(X), y),
        "pandas": (frame.drop(columns="target"), frame["target"]),
        "pandas by name": (frame, "target"),
        "polars": (pl.from_pandas(frame), "target"),
        "arrow": (pa.Table.from_pandas(frame), "target"),
        "csv": (tmp_path / "t.csv", "target"),
        "parquet": (str(tmp_path / "t.parquet"), "target"),
    }


def test_every_storage_gives_the_same_coefficients(tmp_path):
    opened = storages(tmp_path)
    single = {k: Lasso(0.2).fit(*given) for k, given in opened.items()}
    chosen = {k: LassoCV(alphas=30, rule="1se").fit(*given) for k, given in opened.items()}
    for name in opened:
        np.testing.assert_allclose(single[name].coef_, single["C"].coef_, rtol=0, atol=AGREE, err_msg=name)
        np.testing.assert_allclose(chosen[name].coef_, chosen["C"].coef_, rtol=0, atol=AGREE, err_msg=name)
        np.testing.assert_allclose(chosen[name].mse_path_, chosen["C"].mse_path_, rtol=AGREE, err_msg=name)
        X = opened[name][0]
        np.testing.assert_allclose(single[name].predict(X), single["C"].predict(opened["C"][0]), atol=1e-8)
    assert list(single["csv"].feature_names_in_) == [f"c{j}" for j in range(8)]
    assert "streamed" in single["parquet"].strategy_


def test_float32_is_kept_and_close():
    X, y = table(4)
    ours = Lasso(0.1).fit(X.astype(np.float32), y)
    assert ours.coef_.dtype == np.float32
    np.testing.assert_allclose(ours.coef_, Lasso(0.1).fit(X, y).coef_, atol=1e-5)  # float32 carries 6e-8 per entry


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_certificate_can_be_verified_on_the_rows(standardize, fit_intercept, weighted):
    X, y = table(5)
    weight = np.random.default_rng(2).uniform(0, 2, len(y)) if weighted else None
    model = Lasso(0.3, standardize=standardize, fit_intercept=fit_intercept).fit(X, y, weight)
    checked = model.certificate_.verify(X, y, weight)
    assert checked.primal == pytest.approx(model.certificate_.primal, rel=1e-11)
    assert checked.gap <= 1e-10 * checked.primal
    assert model.dual_gap_ <= 1e-10 * checked.primal


def test_a_forged_certificate_is_found_out():
    from dataclasses import replace

    X, y = table(6)
    honest = Lasso(0.3).fit(X, y).certificate_
    forged = replace(honest, w=honest.w * 1.01, primal=honest.dual)
    assert forged.gap == 0
    assert forged.verify(X, y).gap > 1e-5


def test_standardising_is_fitting_standardised_columns():
    X, y = table(7)
    scaled = Lasso(0.3).fit(X / X.std(axis=0), y)
    model = Lasso(0.3, standardize=True).fit(X, y)
    np.testing.assert_allclose(model.coef_ * X.std(axis=0), scaled.coef_, atol=AGREE)
    np.testing.assert_allclose(model.scale_, X.std(axis=0), rtol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_equivariance(seed):
    X, y = table(seed)
    w = Lasso(0.2).fit(X, y).coef_
    order = np.random.default_rng(seed).permutation(X.shape[1])
    np.testing.assert_allclose(Lasso(0.2).fit(X[:, order], y).coef_, w[order], atol=AGREE)
    np.testing.assert_allclose(Lasso(0.2 * 9).fit(3 * X, 3 * y).coef_, w, atol=AGREE)
    np.testing.assert_allclose(Lasso(0.2).fit(X + 1e5, y - 1e5).coef_, w, atol=AGREE)


def test_weight_two_is_a_duplicated_row():
    X, y = table(8)
    times = np.random.default_rng(0).integers(0, 3, len(y))
    repeated = Lasso(0.2).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(Lasso(0.2).fit(X, y, times.astype(float)).coef_, repeated.coef_, atol=AGREE)


def test_one_standard_error_rule():
    X, y = table(9)
    model = LassoCV(rule="1se", cv=5).fit(X, y)
    mean = model.mse_path_.mean(axis=1)
    k = int(np.argmin(mean))
    limit = mean[k] + model.mse_path_[k].std(ddof=1) / np.sqrt(5)
    allowed = model.alphas_[mean <= limit]
    assert model.alpha_min_ == model.alphas_[k]
    assert model.alpha_ == model.alpha_1se_ == allowed.max() > model.alpha_min_
    assert model.coef_path_.shape == (100, X.shape[1])
    at = int(np.flatnonzero(model.alphas_ == model.alpha_)[0])
    np.testing.assert_array_equal(model.coef_path_[at], model.coef_)


def test_the_path_of_diabetes_enters_in_the_published_order():
    """Efron, Hastie, Johnstone and Tibshirani 2004, Figure 1: 3 9 4 7 2 10 5 8 6 1."""
    X, y = load_diabetes(return_X_y=True)
    path = sparse_path(X, y, alphas=2000, eps=1e-4)
    entered = [int(np.flatnonzero(column)[0]) if column.any() else 10**9 for column in path.coefs.T]
    assert list(np.argsort(entered, kind="stable") + 1) == [3, 9, 4, 7, 2, 10, 5, 8, 6, 1]
    assert path.coefs_sparse.shape == path.coefs.shape
    assert (path.gaps < 1e-9).all()


@pytest.mark.parametrize("precompute", [True, False])
@pytest.mark.parametrize("level", [4.0, 3.3, 1e6 + 0.1])
def test_a_constant_target_gives_the_null_model(precompute, level):
    X, _ = table(10)
    y = np.full(150, level)
    for model in (Lasso(0.1, precompute=precompute).fit(X, y), LassoCV(precompute=precompute).fit(X, y)):
        assert not model.coef_.any()
        assert model.intercept_ == pytest.approx(level)
        assert model.dual_gap_ == pytest.approx(0.0, abs=1e-15)


def test_constant_and_duplicated_columns():
    X, y = table(11)
    X = np.column_stack([X, np.full(150, 0.1), X[:, 0]])
    model = LassoCV().fit(X, y)
    assert model.coef_[8] == 0
    assert model.coef_[9] == 0
    np.testing.assert_allclose(model.coef_[:8], LassoCV().fit(X[:, :8], y).coef_, atol=AGREE)


def test_one_column_and_one_row():
    X, y = table(12)
    x = X[:, 0] - X[:, 0].mean()
    q = x @ y / len(y)
    soft = np.sign(q) * (abs(q) - 0.1) / (x @ x / len(y))  # one column is soft-thresholded
    np.testing.assert_allclose(Lasso(0.1).fit(X[:, :1], y).coef_, [soft], rtol=AGREE)
    assert abs(q) > 0.1
    alone = Lasso(0.1).fit(X[:1], y[:1])
    assert not alone.coef_.any()
    assert alone.intercept_ == y[0]


def test_not_converged_warns_with_the_gap_and_the_remedy():
    X, y = table(13, n=40, p=30)
    with pytest.warns(ConvergenceWarning) as caught:
        LassoCV(alphas=[1e-4], max_iter=1).fit(X, y)
    assert re.search("duality gap of .*raise max_iter or tol", str(caught[-1].message))


UNFINISHED = [
    (LassoCV(max_iter=1, eps=1e-4), "500 pairs of fold and α"),
    (LassoCV(max_iter=1, eps=1e-4, precompute=False), "500 pairs of fold and α"),
    (LassoCV(max_iter=1, eps=1e-4, scoring="r2"), "500 pairs of fold and α"),
    (ElasticNetCV(max_iter=1, eps=1e-4, l1_ratio=[0.5, 1.0], alphas=20, cv=3), "120 pairs of fold and α"),
    (LassoCV(max_iter=1, eps=1e-4, rule="bic", alphas=50), "50 alphas"),
    (SparseClassifierCV(max_iter=2, alphas=10), "50 pairs of fold and α"),
]


@pytest.mark.parametrize("model, pairs", UNFINISHED, ids=str)
def test_fits_that_chose_alpha_without_converging_are_counted(model, pairs):
    X, y = table(4, n=60, p=40)
    y = y > np.median(y) if isinstance(model, SparseClassifierCV) else y
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, y)
    of_folds = [w for w in caught if "did not reach" in str(w.message)]
    (found,) = (re.search(rf" at (\d+) of {pairs}, from which alpha_ is chosen", str(w.message)) for w in of_folds)
    assert 0 < int(found[1]) <= int(pairs.split()[0])
    assert of_folds[0].filename == __file__


@pytest.mark.parametrize("precompute", [True, False])
def test_folds_with_no_gap_but_that_of_rounding_converged(precompute):
    X, y = table(4, n=60, p=40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LassoCV(tol=0, eps=1e-4, precompute=precompute).fit(X, y)
        LassoCV(precompute=precompute).fit(X[:, :3], X[:, 0])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Lasso(alpha=-1), r"alpha must be ≥ 0, got -1"),
        (Lasso(alpha="big"), "alpha must be a finite number, got 'big'"),
        (Lasso(tol=-1), "tol must be ≥ 0"),
        (Lasso(max_iter=0), "max_iter must be ≥ 1"),
        (Lasso(fit_intercept="yes"), "fit_intercept must be one of True, False"),
        (LassoCV(rule="2se"), "rule must be one of 'min', '1se', 'aic', 'bic', 'ebic'; got '2se'"),
        (LassoCV(alphas=[0.1, -1]), "alphas must be finite numbers ≥ 0"),
        (LassoCV(alphas=0), "alphas must be ≥ 1"),
        (LassoCV(eps=0), "eps must be > 0"),
        (LassoCV(cv=1000), "cv=1000 cannot split"),
        (Lasso(n_jobs=0), "n_jobs must not be 0"),
    ],
)
def test_bad_parameters(model, message):
    X, y = table()
    with pytest.raises(InputError, match=message):
        model.fit(X, y)


def test_missing_and_infinite_values_are_named():
    X, y = table()
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    frame.loc[3, "b"] = np.nan
    frame.loc[4:5, "g"] = np.inf
    with pytest.raises(InputError, match=r"NaN.*'b'.*1.*inf.*'g'.*2"):
        Lasso().fit(frame, y)
    with pytest.raises(InputError, match="NaN"):
        LassoCV().fit(np.where(X == 0, np.nan, X), y)


def test_labels_are_refused_with_a_remedy():
    X, y = table()
    frame = pd.DataFrame(X).assign(colour="red")
    frame.columns = frame.columns.astype(str)
    with pytest.raises(InputError, match=r"Lasso works on numbers, but 'colour' holds labels: drop this column"):
        Lasso().fit(frame, y)
    with pytest.raises(InputError, match=r"fits numbers, but the target 'y' holds labels: turn them into numbers"):
        Lasso().fit(X, np.where(y > 7, "high", "low"))


@pytest.mark.parametrize("fill", [0.0, 1.0])
@pytest.mark.parametrize("columns", [slice(None), slice(0, 3)], ids=["all", "some"])
def test_sparse_columns_of_pandas_are_numbers(fill, columns):
    X, y = table()
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    chosen = list(frame.columns[columns])
    sparse = frame.astype(dict.fromkeys(chosen, pd.SparseDtype(float, fill)))
    dense, ours = (Lasso(0.1).fit(F, y) for F in (frame, sparse))
    np.testing.assert_allclose(ours.coef_, dense.coef_, rtol=0, atol=AGREE)
    np.testing.assert_array_equal(ours.feature_names_in_, dense.feature_names_in_)
    np.testing.assert_allclose(ours.predict(sparse), dense.predict(frame), rtol=AGREE)


def test_new_rows_must_have_the_columns_of_the_fit(tmp_path):
    X, y = table()
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = Lasso(0.1).fit(frame, y)
    frame[list("hgfedcba")].assign(more=1.0).to_csv(tmp_path / "new.csv", index=False)
    np.testing.assert_allclose(model.predict(tmp_path / "new.csv"), model.predict(frame), atol=1e-10)
    frame[list("abc")].to_csv(tmp_path / "few.csv", index=False)
    with pytest.raises(InputError, match=r"lacks the columns 'd', 'e'"):
        model.predict(tmp_path / "few.csv")
    with pytest.raises(InputError, match="NaN or infinity"):
        model.predict(frame.assign(a=np.nan))
    with pytest.raises(NotFittedError):
        clone(model).predict(frame)


def test_a_source_brings_its_weights_to_every_part_of_the_choice():
    X, y = table()
    weight = np.random.default_rng(3).uniform(0.1, 3, len(y))
    given = LassoCV(alphas=20).fit(X, y, weight)
    brought = LassoCV(alphas=20).fit(as_source(X, y, sample_weight=weight))
    assert brought.alpha_ == given.alpha_
    np.testing.assert_array_equal(brought.coef_, given.coef_)


def test_a_gram_that_will_not_fit_is_refused_before_it_starts(monkeypatch):
    from tamis._core import memory

    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    X, y = table()
    with pytest.raises(InputError, match=r"the Gram matrix of 8 columns, 3 times, needs"):
        Lasso().fit(X, y)


@pytest.mark.parametrize("unit", [1e-160, 1e160])
def test_a_target_whose_squares_are_no_numbers_is_refused(unit):
    X, y = table()
    for target in (y * unit, np.column_stack([y, y]) * unit):
        with pytest.raises(InputError, match=r"y reaches .* give y in another unit"):
            Lasso().fit(X, target)


@pytest.mark.parametrize("alphas, words", [(10**12, "1,000,000,000,000 alphas needs"), (10**400, "alphas must be")])
def test_more_alphas_than_fit_in_memory_are_refused_before_any_work(alphas, words):
    X, y = load_diabetes(return_X_y=True)
    for fit in (
        lambda: LassoCV(alphas=alphas).fit(X, y),
        lambda: LassoCV(alphas=alphas, rule="bic").fit(X, y),
        lambda: sparse_path(X, y, alphas=alphas),
        lambda: Lasso.path(X, y, alphas=alphas),
    ):
        with pytest.raises(InputError, match=words):
            fit()


@pytest.mark.parametrize("precompute", [True, False])
@pytest.mark.parametrize("alpha", [1.0, 0.1, 0.01])
def test_a_gap_of_rounding_is_no_warning_where_no_gap_is_asked_for(precompute, alpha):
    """Without noise residuals are small and y is not: the bound has the rounding of y in its correlations."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((50, 25))
        y = X[:, :10] @ rng.standard_normal(10)
        model = Lasso(alpha, tol=0, precompute=precompute).fit(X, y)
        assert model.dual_gap_ <= 1e3 * np.finfo(float).eps * (y @ y) / 50


@pytest.mark.parametrize("penalty", ["l1", "l1l2"])
def test_the_last_digit_of_single_precision_rows(penalty):
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((60, 30)) + 3).astype(np.float32)  # centred columns are no float32
    y = X[:, :3].sum(axis=1) + 0.1 * rng.standard_normal(60)
    model = SparseRegressor(penalty=penalty, alpha=0.05, tol=0, solver="working_set").fit(X, y)
    assert model.dual_gap_ <= ROUNDING * y.var()
