"""SparseRegressor and SparseRegressorCV: every penalty against its definition, strategies, rules, scorers, frames."""

import tracemalloc
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn.linear_model as sk
from scipy.optimize import lsq_linear
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import make_scorer, median_absolute_error
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from linear.tables import quietly, table, targets
from tamis import GroupLasso, InputError, Lasso, SparseRegressor, SparseRegressorCV, as_source, sparse_path
from tamis.penalties import L1, L1L2, L2, Group, SparseGroup
from tamis.solvers.gram_descent import GramDescent
from tamis.solvers.proximal import Fista
from tamis.solvers.working_set import WorkingSet
from tamis.sources import Encoded
from tolerances import AGREE, AGREE_SKLEARN, FLOAT32

PENALTIES = [
    L1(),
    L1(weights=[0, 1, 2, 1, 0.5, 3, 1, 1]),
    L1(positive=True),
    L2(),
    L1L2(0.3, weights=[1, 1, 0, 1, 2, 1, 1, 1]),
    Group(feature_groups=[0, 0, 1, 1, 1, 2, 3, 3]),
    Group(feature_groups=[0, 0, 1, 1, 1, 2, 3, 3], weights=[1, 0, 2, 1]),
    SparseGroup(feature_groups=2, l1_ratio=0.4),
]
SOLVERS = ("gram", "working_set", "fista")


def objective(X, y, w, b, penalty, alpha, s=None):
    r = y - X @ w - b
    return 0.5 * np.average(r**2, weights=s) + penalty.value(w, alpha)


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
@pytest.mark.parametrize("alpha", [0.02, 0.4])
def test_no_neighbour_is_better_and_strategies_agree(penalty, alpha):
    X, y = table(1)
    s = np.random.default_rng(0).uniform(0.2, 2, len(y))
    fits = {
        solver: SparseRegressor(penalty=penalty, alpha=alpha, solver=solver, tol=1e-12).fit(X, y, s)
        for solver in SOLVERS
    }
    rng = np.random.default_rng(1)
    for solver, model in fits.items():
        best = objective(X, y, model.coef_, model.intercept_, penalty, alpha, s)
        for size in (1e-1, 1e-3):
            v = np.maximum(
                model.coef_ + size * rng.standard_normal(8), 0 if getattr(penalty, "positive", 0) else -np.inf
            )
            assert best <= objective(X, y, v, model.intercept_ + size * rng.standard_normal(), penalty, alpha, s)
        checked = model.certificate_.verify(X, y, s)
        assert checked.gap <= 1e-9 * best
        assert checked.primal == pytest.approx(best, rel=1e-10)
        np.testing.assert_allclose(model.coef_, fits["gram"].coef_, atol=AGREE if solver != "fista" else 1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_standardising_is_fitting_standardised_columns(solver, fit_intercept):
    X, y = table(2)
    scale = X.std(axis=0)
    given = {
        "penalty": Group(feature_groups=2),
        "alpha": 0.3,
        "solver": solver,
        "fit_intercept": fit_intercept,
        "tol": 1e-10,
    }
    model = SparseRegressor(standardize=True, **given).fit(X, y)
    plain = SparseRegressor(**given).fit(X / scale, y)
    np.testing.assert_allclose(model.coef_ * scale, plain.coef_, atol=1e-4 if solver == "fista" else AGREE)
    assert model.certificate_.verify(X, y).gap <= 1e-7


@pytest.mark.parametrize("solver", ["gram", "working_set"])
def test_relaxing_is_least_squares_on_the_support(solver):
    X, y = table(3)
    s = np.random.default_rng(0).uniform(0.2, 2, len(y))
    lasso = SparseRegressor(alpha=0.8, solver=solver).fit(X, y, s)
    relaxed = SparseRegressor(alpha=0.8, relax=True, solver=solver).fit(X, y, s)
    S = np.flatnonzero(lasso.coef_)
    assert 0 < len(S) < 8
    ols = sk.LinearRegression().fit(X[:, S], y, s)
    np.testing.assert_allclose(relaxed.coef_[S], ols.coef_, atol=AGREE)
    assert relaxed.intercept_ == pytest.approx(ols.intercept_)
    assert not np.delete(relaxed.coef_, S).any()
    np.testing.assert_allclose(relaxed.certificate_.w, lasso.coef_)


@pytest.mark.parametrize("solver", ["auto", "working_set"])
def test_adaptive_weights_keep_the_strong_and_drop_the_weak(solver):
    X, y = table(4)
    model = SparseRegressor(penalty="adaptive", alpha=0.05, solver=solver).fit(X, y)
    assert set(np.flatnonzero(model.coef_)) == {0, 1, 2}
    assert np.count_nonzero(Lasso(0.05).fit(X, y).coef_) > 3


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_row_groups_of_several_targets_are_the_multitask_lasso(fit_intercept):
    X, Y = targets()
    model = SparseRegressor(penalty=Group(), alpha=0.4, fit_intercept=fit_intercept, tol=1e-12).fit(X, Y)
    theirs = quietly(sk.MultiTaskLasso(0.4, fit_intercept=fit_intercept, tol=1e-14, max_iter=10**6), X, Y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=AGREE_SKLEARN)
    assert 0 < (model.coef_ != 0).any(axis=0).sum() < 8
    assert model.certificate_.verify(X, Y).gap <= 1e-8


def test_groups_from_encoded_columns():
    X, y = table(5)
    colour = np.array(["red", "green", "blue"])[np.random.default_rng(0).integers(0, 3, len(y))]
    y = y + 3 * (colour == "red")
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(colour=colour, target=y)
    source = Encoded(as_source(frame, "target"))
    model = GroupLasso("one-hot", alpha=0.3).fit(source)
    coef = dict(zip(source.names, model.coef_, strict=True))
    assert all(coef[f"colour={c}"] for c in ("red", "green", "blue"))
    assert GroupLasso("one-hot", alpha=1.3).fit(source).coef_[source.names.index("colour=blue")] == 0
    with pytest.raises(InputError, match="'one-hot' needs to know which columns come from one"):
        GroupLasso("one-hot").fit(X, y)


@pytest.mark.parametrize("solver", ["gram", "working_set"])
def test_any_scorer_and_splitter(solver):
    X, y = table(6)
    groups = np.repeat(np.arange(10), 15)
    scorer = make_scorer(median_absolute_error, greater_is_better=False)
    alphas = [1.0, 0.3, 0.01]
    model = SparseRegressorCV(alphas=alphas, cv=GroupKFold(5), scoring=scorer, solver=solver)
    model.fit(X, y, groups=groups)
    for k, alpha in enumerate(alphas):
        splits = list(GroupKFold(5).split(X, y, groups))
        theirs = cross_val_score(Lasso(alpha), X, y, cv=splits, scoring=scorer)
        np.testing.assert_allclose(model.scores_path_[k], theirs, rtol=1e-6)
    assert model.alpha_ == alphas[int(model.scores_path_.mean(axis=1).argmax())]
    assert not hasattr(model, "mse_path_")


def test_the_fast_errors_are_those_of_the_scorer():
    X, y = table(7)
    fast = SparseRegressorCV(alphas=20).fit(X, y)
    slow = SparseRegressorCV(alphas=20, scoring="neg_mean_squared_error").fit(X, y)
    rows = SparseRegressorCV(alphas=20, solver="working_set").fit(X, y)
    np.testing.assert_allclose(fast.scores_path_, slow.scores_path_, rtol=1e-9)
    np.testing.assert_allclose(fast.mse_path_, rows.mse_path_, rtol=1e-9)
    assert fast.alpha_ == slow.alpha_ == pytest.approx(rows.alpha_)


@pytest.mark.parametrize("form", [list, iter, lambda splits: KFold(3)], ids=["list", "iterator", "splitter"])
def test_splits_in_any_form(form):
    X, y = table(8)
    splits = list(KFold(3).split(X))
    model = SparseRegressorCV(alphas=[0.3, 0.03], cv=form(splits)).fit(X, y)
    for k, alpha in enumerate(model.alphas_):
        theirs = -cross_val_score(Lasso(alpha), X, y, cv=splits, scoring="neg_mean_squared_error")
        np.testing.assert_allclose(model.mse_path_[k], theirs, rtol=AGREE)


@pytest.mark.parametrize("rule", ["aic", "bic", "ebic"])
@pytest.mark.parametrize("penalty", [L1(), L1L2(0.5)], ids=str)
def test_information_criteria_with_both_strategies(rule, penalty):
    X, y = table(9)
    fits = [
        SparseRegressorCV(penalty=penalty, rule=rule, alphas=40, solver=s).fit(X, y) for s in ("gram", "working_set")
    ]
    np.testing.assert_allclose(fits[0].criterion_path_, fits[1].criterion_path_, rtol=1e-8)
    best = fits[0]
    assert best.alpha_ == best.alphas_[int(np.argmin(best.criterion_path_))]
    assert not hasattr(best, "scores_path_")


def test_bic_of_the_lasso_by_hand():
    X, y = table(10)
    model = SparseRegressorCV(rule="bic", alphas=30).fit(X, y)
    r = y[:, None] - X @ model.coef_path_.T - model.intercept_path_
    by_hand = len(y) * np.log((r**2).mean(axis=0)) + np.log(len(y)) * np.count_nonzero(model.coef_path_, axis=1)
    np.testing.assert_allclose(model.criterion_path_, by_hand, rtol=1e-10)
    assert np.count_nonzero(SparseRegressorCV(rule="ebic").fit(X, y).coef_) <= np.count_nonzero(model.coef_)


def test_several_targets_choose_one_alpha():
    X, Y = targets()
    model = SparseRegressorCV(alphas=15, cv=3).fit(X, Y)
    each = [SparseRegressorCV(alphas=model.alphas_, cv=3).fit(X, Y[:, k]).mse_path_ for k in range(3)]
    np.testing.assert_allclose(model.mse_path_, np.mean(each, axis=0), rtol=1e-8)
    joint = SparseRegressorCV(penalty=Group(), alphas=5, cv=3).fit(X, Y)
    assert joint.coef_.shape == (3, 8)
    assert joint.coef_path_.shape == (5, 3, 8)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_coefficients_as_a_frame_of_the_users_library(library):
    X, y = table(11)
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = SparseRegressorCV().fit(frame if library == "pandas" else pl.from_pandas(frame), y)
    out = model.coef_frame()
    assert type(out).__module__.startswith(library)
    assert list(out.columns) == ["feature", "coefficient", "scale", "enters_at"]
    assert list(out["feature"]) == list("abcdefgh")
    np.testing.assert_array_equal(np.asarray(out["coefficient"]), model.coef_)
    entered = np.asarray(out["enters_at"])
    j = int(np.nanargmax(entered))
    assert entered[j] == model.alphas_[1]  # at α_max itself nothing has entered
    several = SparseRegressor(alpha=0.1).fit(X, np.column_stack([y, -y])).coef_frame()
    assert list(several["output"]) == [0] * 8 + [1] * 8
    assert list(several["feature"]) == [*range(8), *range(8)]


def test_in_pipelines_and_grids():
    X, y = table(12)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), SparseRegressor(penalty=L1L2(), alpha=0.1)),
        {"sparseregressor__penalty__l1_ratio": [0.1, 0.9], "sparseregressor__alpha": [0.01, 1.0]},
    ).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert len(set(scores.round(6))) == 4  # every parameter reaches the fit
    assert search.best_params_ == {"sparseregressor__penalty__l1_ratio": 0.9, "sparseregressor__alpha": 0.01}


def peak_of(call):
    """Bytes that NumPy held at most during a call."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_x_is_neither_written_nor_copied():
    n, p = 1000, 6000
    rng = np.random.default_rng(0)
    for X in (np.asfortranarray(rng.standard_normal((n, p))), rng.standard_normal((n, p))):
        y = X[:, :3].sum(axis=1) + 0.1 * rng.standard_normal(n)
        X.flags.writeable = False
        before = X.copy()
        # Slabs of a few MB, and the columns that matter.
        assert peak_of(lambda X=X, y=y: SparseRegressor(alpha=0.5).fit(X, y)) < 0.4 * X.nbytes
        np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("fit", [lambda X, y: SparseRegressor(alpha=0.5).fit(X, y), partial(sparse_path, alphas=5)])
@pytest.mark.parametrize("form", ["csc", "csr"])
def test_sparse_x_is_neither_written_nor_copied(form, fit):
    X = sp.random_array((3000, 4000), density=0.2, format=form, rng=0)
    y = X[:, :3].sum(axis=1)
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    held = X.data.nbytes + X.indices.nbytes
    assert peak_of(lambda: fit(X, y)) < 0.4 * held  # a copy of its values alone would be two thirds


@pytest.mark.parametrize("solver", ["gram", "working_set"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csc_array])
def test_float32_is_kept(solver, make):
    X, y = table(13)
    model = SparseRegressor(alpha=0.1, solver=solver).fit(make(X.astype(np.float32)), y)
    assert model.coef_.dtype == np.float32
    np.testing.assert_allclose(model.coef_, Lasso(0.1).fit(X, y).coef_, atol=1e-4)  # float32 entries carry 6e-8


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SparseRegressor(datafit="logistic"), "is for classes: use SparseClassifier"),
        (SparseRegressor(datafit="cubic"), "datafit must be one of"),
        (SparseRegressor(penalty="l7"), "penalty must be one of .*'l7'"),
        (SparseRegressor(solver="newton"), "solver must be one of 'auto', 'gram'"),
        (SparseRegressor(solver=3), "a solver object with a path method; got 3"),
        (SparseRegressor(penalty=L1(weights=[1.0])), "weights must hold one number for each of the 8 columns"),
        (SparseRegressorCV(scoring="best"), "scoring='best' is not a scorer"),
        (SparseRegressorCV(penalty="l2"), "give the alphas themselves"),
        (SparseRegressor(relax="yes"), "relax must be one of True, False"),
    ],
)
def test_bad_parameters(model, message):
    X, y = table()
    with pytest.raises(InputError, match=message):
        model.fit(X, y)


class Cap:
    """Ω(w) = 0 inside the box |w| ≤ 1, infinite outside: a penalty of the user's own."""

    def value(self, w, alpha):
        return 0.0 if (np.abs(w) <= 1).all() else np.inf

    def prox(self, v, step, alpha):
        return np.clip(v, -1, 1)

    def subdifferential_distance(self, w, gradient, alpha):
        return np.where(np.abs(w) < 1, np.abs(gradient), np.maximum(np.sign(w) * gradient, 0.0))

    def alpha_max(self, gradient_at_null):
        return np.inf


def test_a_penalty_of_the_users_own():
    X, y = table(14)
    model = SparseRegressor(penalty=Cap(), alpha=1.0).fit(X, y)
    assert model.strategy_.startswith("fista")
    assert "Cap" in model.strategy_
    bounded = lsq_linear(np.column_stack([X, np.ones(len(y))]), y, ([-1] * 8 + [-np.inf], [1] * 8 + [np.inf]))
    np.testing.assert_allclose(model.coef_, bounded.x[:8], atol=1e-4)
    assert model.certificate_ is None
    assert np.isnan(model.dual_gap_)
    assert model.diagnostics_["kkt"] < 1e-4
    with pytest.raises(InputError, match=r"solver='gram' was asked for, but Cap cannot be fitted"):
        SparseRegressor(penalty=Cap(), solver="gram").fit(X, y)


@pytest.mark.parametrize("solver", [GramDescent(tol=1e-9), WorkingSet(tol=1e-9), Fista(tol=1e-9)], ids=str)
def test_a_solver_object(solver):
    X, y = table(15)
    model = SparseRegressor(alpha=0.2, solver=solver).fit(X, y)
    assert type(solver).__name__ in model.strategy_
    np.testing.assert_allclose(model.coef_, Lasso(0.2).fit(X, y).coef_, atol=1e-3)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_scores_of_single_precision_are_those_of_its_numbers_in_double(storage):
    """Predictions near 10⁶ in float32 are off by 0.06, errors here are 0.1."""
    X, y = table(5)
    X = X.astype(np.float32)
    y = 0.1 * y + 1e6
    given = {"alphas": [0.1, 0.01], "scoring": "neg_mean_squared_error"}
    single, double = (SparseRegressorCV(**given).fit(storage(Z), y).scores_path_ for Z in (X, X.astype(float)))
    np.testing.assert_allclose(single, double, rtol=FLOAT32)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("solver", ["gram", "working_set"])
@pytest.mark.parametrize("penalty", [Group(3), SparseGroup(3, l1_ratio=0.5)], ids=["group", "sparse_group"])
def test_groups_at_tol_0_end_at_rounding_without_a_warning(penalty, solver, dtype):
    """Warnings are errors."""
    for seed in (2, 5):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((80, 120))
        y = X[:, :4] @ [1.0, 2.0, -1.0, 0.5] + 0.3 * rng.standard_normal(80)
        model = SparseRegressor(penalty=penalty, alpha=0.05, tol=0, solver=solver).fit(X.astype(dtype), y)
        assert 0 <= model.dual_gap_ <= 2e-12 * y.var()
        with pytest.warns(ConvergenceWarning, match="duality gap"):
            SparseRegressor(penalty=penalty, alpha=0.05, tol=0, solver=solver, max_iter=1).fit(X.astype(dtype), y)
