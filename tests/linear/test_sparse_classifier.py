"""SparseClassifier, SparseClassifierCV and SparseLogisticRegression: agreement, labels, weights, hard cases."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
import sklearn.linear_model as sk
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

from linear.tables import classes, quietly
from tamis import InputError, SparseClassifier, SparseClassifierCV, SparseLogisticRegression, sparse_path
from tamis._core.errors import ConvergenceWarning
from tamis.penalties import L1, L1L2, L2, Group
from tolerances import AGREE, AGREE_SKLEARN, ROUNDING

LOOSE = 1e-4  # saga stops on the change of the coefficients, which leaves them this far from the minimum


def saga(X, y, alpha, l1_ratio=1.0, s=None, **options):
    C = 1 / (alpha * (len(y) if s is None else s.sum()))
    model = sk.LogisticRegression(C=C, l1_ratio=l1_ratio, solver="saga", tol=1e-7, max_iter=3000, **options)
    return quietly(model, X, y, s)


def value(X, y, model, alpha, penalty):
    """The objective by scikit-learn's log loss."""
    return log_loss(y, model.predict_proba(X), labels=model.classes_) + penalty.value(model.coef_.T, alpha)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize(
    ("l1_ratio", "fit_intercept", "weighted"), [(1.0, True, True), (0.5, False, False), (0.0, True, False)]
)
def test_coefficients_of_scikit_learn(k, l1_ratio, fit_intercept, weighted):
    X, y = classes(k=k)
    s = np.random.default_rng(0).uniform(0.1, 2, len(y)) if weighted else None
    ours = SparseLogisticRegression(0.03, l1_ratio=l1_ratio, fit_intercept=fit_intercept).fit(X, y, s)
    theirs = saga(X, y, 0.03, l1_ratio, s, fit_intercept=fit_intercept)
    assert ours.coef_.shape == theirs.coef_.shape
    assert ours.intercept_.shape == theirs.intercept_.shape
    if k == 2 or l1_ratio < 1:  # the coefficients of four classes are not unique under L1 alone
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=20 * LOOSE)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=20 * LOOSE)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "penalty", [L1(), L1L2(0.5), L1(weights=[0, 1, 1, 2, 1, 1, 1, 1]), Group(feature_groups=2)], ids=str
)
@pytest.mark.parametrize("alpha", [0.01, 0.1])
def test_no_neighbour_is_better_and_the_proof_holds(k, penalty, alpha):
    X, y = classes(1, k=k)
    model = SparseClassifier(penalty=penalty, alpha=alpha).fit(X, y)
    best = value(X, y, model, alpha, penalty)
    checked = model.certificate_.verify(X, y)
    assert checked.primal == pytest.approx(best, rel=1e-9)
    assert checked.gap <= 2e-7 * best
    coef, rng = model.coef_, np.random.default_rng(0)
    for size in (1e-1, 1e-2):
        model.coef_ = coef + size * rng.standard_normal(coef.shape)
        assert value(X, y, model, alpha, penalty) > best


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("solver", ["auto", "fista", "proximal_gradient"])
def test_solvers_agree(k, solver):
    X, y = classes(2, k=k)
    coef = SparseClassifier(alpha=0.05, solver=solver, tol=1e-9).fit(X, y).coef_
    np.testing.assert_allclose(coef, SparseClassifier(alpha=0.05, tol=1e-9).fit(X, y).coef_, atol=1e-3)


@pytest.mark.parametrize("k", [2, 3])
def test_sparse_and_dense_rows_agree(k):
    X, y = classes(3, k=k)
    coef = SparseClassifier(alpha=0.03, tol=1e-10).fit(X, y).coef_
    for make in (sp.csr_array, sp.csc_array):
        np.testing.assert_allclose(SparseClassifier(alpha=0.03, tol=1e-10).fit(make(X), y).coef_, coef, atol=1e-6)


def test_streamed_parquet_gives_the_same(tmp_path):
    X, y = classes(4)
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(kind=np.where(y == 1, "yes", "no"))
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "t.parquet", row_group_size=60)
    ours = SparseClassifier(alpha=0.05, tol=1e-10).fit(tmp_path / "t.parquet", "kind")
    assert list(ours.classes_) == ["no", "yes"]
    assert ours.strategy_.startswith("streamed")
    memory = SparseClassifier(alpha=0.05, tol=1e-10).fit(frame.drop(columns="kind"), frame["kind"])
    np.testing.assert_allclose(ours.coef_, memory.coef_, atol=1e-6)
    assert list(ours.predict(tmp_path / "t.parquet")) == list(memory.predict(frame.drop(columns="kind")))


@pytest.mark.parametrize(
    "label",
    [
        np.array(["z", "a"]),
        np.array([7, -3]),
        np.array([True, False]),
        np.array([2.0, 1.0]),
    ],
    ids=lambda v: str(v.dtype),
)
def test_labels_of_any_type_come_back(label):
    X, y = classes(5)
    model = SparseClassifier(alpha=0.05).fit(X, label[y])
    np.testing.assert_array_equal(model.classes_, np.sort(label))
    assert model.classes_.dtype == label.dtype
    assert set(model.predict(X)) <= set(label)
    assert model.score(X, label[y]) > 0.6
    assert np.array_equal(model.decision_function(X) > 0, model.predict(X) == model.classes_[1])


def test_probabilities():
    X, y = classes(6, k=3)
    model = SparseClassifier(alpha=0.02).fit(X, y)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(P))
    np.testing.assert_array_equal(P.argmax(axis=1), model.predict(X))
    two = SparseClassifier(alpha=1e-4).fit(X * 1e3, y > 0)
    assert np.isfinite(two.predict_log_proba(X * 1e6)).all()


@pytest.mark.parametrize("k", [2, 3])
def test_class_weights_are_row_weights(k):
    X, y = classes(7, k=k)
    weights = {c: c + 0.5 for c in range(k)}
    given = SparseClassifier(alpha=0.03, class_weight=weights).fit(X, y)
    rows = SparseClassifier(alpha=0.03).fit(X, y, np.array([weights[c] for c in y]))
    np.testing.assert_allclose(given.coef_, rows.coef_, atol=AGREE)
    balanced = SparseClassifier(alpha=0.03, class_weight="balanced").fit(X, y)
    counts = np.bincount(y)
    by_hand = SparseClassifier(alpha=0.03).fit(X, y, len(y) / (k * counts[y]))
    np.testing.assert_allclose(balanced.coef_, by_hand.coef_, atol=AGREE)


@pytest.mark.parametrize("k", [2, 3])
def test_cross_validation_by_any_scorer(k):
    X, y = classes(8, k=k)
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    alphas = [0.2, 0.05, 0.01]
    fast = SparseClassifierCV(alphas=alphas, cv=cv).fit(X, y)
    slow = SparseClassifierCV(alphas=alphas, cv=cv, scoring="neg_log_loss").fit(X, y)
    np.testing.assert_allclose(fast.scores_path_, slow.scores_path_, rtol=1e-5)
    for j, alpha in enumerate(alphas):
        theirs = cross_val_score(SparseClassifier(alpha=alpha), X, y, cv=cv, scoring="neg_log_loss")
        np.testing.assert_allclose(fast.scores_path_[j], theirs, rtol=1e-3)
    assert fast.alpha_ == alphas[int(fast.scores_path_.mean(axis=1).argmax())]
    assert fast.coef_path_.shape == ((3, 8) if k == 2 else (3, 3, 8))
    labels = np.array(list("abc"))[y]
    accurate = SparseClassifierCV(alphas=alphas, cv=cv, scoring="accuracy").fit(X, labels)
    for j, alpha in enumerate(alphas):
        theirs = cross_val_score(SparseClassifier(alpha=alpha), X, labels, cv=cv, scoring="accuracy")
        np.testing.assert_array_equal(accurate.scores_path_[j], theirs)


def test_folds_are_stratified():
    X, y = classes(9)
    order = np.argsort(y, kind="stable")  # plain folds of sorted classes would hold one class only
    model = SparseClassifierCV(alphas=5, cv=3).fit(X[order], y[order])
    theirs = SparseClassifierCV(alphas=5, cv=StratifiedKFold(3)).fit(X[order], y[order])
    np.testing.assert_array_equal(model.scores_path_, theirs.scores_path_)


@pytest.mark.parametrize("rule", ["1se", "bic"])
def test_rules(rule):
    X, y = classes(10)
    model = SparseClassifierCV(rule=rule, alphas=20).fit(X, y)
    if rule == "1se":
        mean = model.scores_path_.mean(axis=1)
        best = int(mean.argmax())
        near = mean >= mean[best] - model.scores_path_[best].std(ddof=1) / np.sqrt(5)
        assert model.alpha_min_ == model.alphas_[best]
        assert model.alpha_ == model.alpha_1se_ == model.alphas_[near].max() > model.alpha_min_
    else:
        Z = X @ model.coef_path_.T + model.intercept_path_
        loss = np.logaddexp(0, -(2 * y[:, None] - 1) * Z).sum(axis=0)
        by_hand = 2 * loss + np.log(len(y)) * np.count_nonzero(model.coef_path_, axis=1)
        np.testing.assert_allclose(model.criterion_path_, by_hand, rtol=1e-6)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("penalty", [L1L2(0.5), L2()], ids=str)
def test_degrees_of_freedom_of_several_classes_with_a_ridge(penalty, intercept):
    X, y = classes(14, k=3)
    X, weight = X[:, :4], np.random.default_rng(0).uniform(0.5, 2, len(y))
    given = {"penalty": penalty, "rule": "aic", "alphas": [0.2, 0.02], "fit_intercept": intercept, "tol": 1e-12}
    model = SparseClassifierCV(**given).fit(X, y, weight)
    Y, share, h = np.eye(3)[y], weight / weight.sum(), 1e-4
    for k, alpha in enumerate(model.alphas_):
        used = np.column_stack([np.full(3, intercept), model.coef_path_[k] != 0])
        at = np.column_stack([model.intercept_path_[k], model.coef_path_[k]])[used]

        def loss(beta, used=used):
            full = np.zeros(used.shape)
            full[used] = beta
            Z = full[:, 1:] @ X.T + full[:, :1]
            return share @ (np.log(np.exp(Z).sum(axis=0)) - (Y.T * Z).sum(axis=0))

        E = h * np.eye(len(at))
        H = np.array(
            [
                [(loss(at + a + b) - loss(at + a - b) - loss(at - a + b) + loss(at - a - b)) / (4 * h * h) for b in E]
                for a in E
            ]
        )
        ridge = alpha * (1.0 if isinstance(penalty, L2) else 0.5) * (np.nonzero(used)[1] > 0)
        # minimising over the intercepts takes them off: tr (H + ridge)⁺ H counts each identified one as 1
        degrees = np.trace(np.linalg.pinv(H + np.diag(ridge), rcond=1e-6) @ H) - 2 * intercept
        by_hand = 2 * weight.sum() * loss(at) + 2 * degrees
        assert model.criterion_path_[k] == pytest.approx(by_hand, rel=1e-5)  # h² of the second differences


@pytest.mark.parametrize("k", [2, 3])
def test_relaxing_is_unpenalised_on_the_support(k):
    X, y = classes(11, k=k)
    model = SparseClassifier(alpha=0.05, relax=True, tol=1e-12).fit(X, y)
    S = np.flatnonzero(model.coef_.any(axis=0))
    assert 0 < len(S) < 8
    theirs = sk.LogisticRegression(C=np.inf, tol=1e-10, max_iter=5000).fit(X[:, S], y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X[:, S]), atol=1e-4)
    assert np.abs(model.certificate_.w).sum() < np.abs(model.coef_).sum()


def test_weight_two_is_a_duplicated_row():
    X, y = classes(12, k=3)
    times = np.random.default_rng(0).integers(0, 3, len(y))
    repeated = SparseClassifier(alpha=0.03, tol=1e-12).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    weighted = SparseClassifier(alpha=0.03, tol=1e-12).fit(X, y, times.astype(float))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)


def test_the_path_of_classes():
    X, y = classes(13)
    path = sparse_path(X, np.array(["no", "yes"])[y], "logistic", alphas=10)
    assert path.coefs.shape == (10, 8)
    assert not path.coefs[0].any()
    assert (path.gaps <= 1e-6).all()
    model = SparseClassifier(alpha=path.alphas[-1]).fit(X, y)
    np.testing.assert_allclose(path.coefs[-1], model.coef_[0], atol=1e-4)
    assert sparse_path(X, classes(13, k=3)[1], "logistic", alphas=4).coefs.shape == (4, 3, 8)


def separable(n=40):
    X = np.random.default_rng(0).standard_normal((n, 2))
    return X, (X[:, 0] > 0).astype(int)


def test_a_start_where_every_row_is_certain():
    """Each class has a probability that rounds to 1 in each of its rows: no curvature is left anywhere."""
    X = np.array([[-2.0, 1.0], [-1.0, 0.0], [1.0, 2.0], [2.0, 0.0]])
    y = np.array([0, 0, 1, 1])
    model = SparseClassifier(penalty=L1([0.0, 1.0]), alpha=0.1, warm_start=True)
    model.coef_ = np.array([[1e4, 0.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.predict(X).tolist() == y.tolist()


def test_separable_classes():
    X, y = separable()
    model = SparseClassifier(alpha=1e-3).fit(X, y)
    assert model.score(X, y) == 1
    assert np.isfinite(model.coef_).all()
    corners = np.column_stack([X, X > 0])
    for columns, labels in ((X, y), (corners, y + (X[:, 1] > 0))):
        with pytest.warns(ConvergenceWarning, match=r"separate the classes perfectly.*use alpha > 0"):
            SparseClassifier(alpha=0.0).fit(columns, labels)


@pytest.mark.parametrize("k", [2, 3])
def test_unpenalised_fits_of_separable_classes_say_so(k):
    X, y = classes(3, k=k)
    X[:, 0] = y
    with pytest.warns(ConvergenceWarning, match="the chosen columns separate .* use relax=False"):
        SparseClassifier(alpha=0.01, relax=True).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="the unpenalised columns separate .* use weights > 0"):
        SparseClassifier(penalty=L1(weights=[0.0] + [1.0] * 7), alpha=0.01).fit(X, y)


def test_one_class_apart_from_the_others_leaves_finite_coefficients():
    """Its intercept was 1e32, and the others with it."""
    X, y = classes(3, k=3)
    X[:, 0] = y == 2
    with pytest.warns(ConvergenceWarning, match="separate some classes.* use alpha > 0"):
        model = SparseClassifier(alpha=0.0).fit(X, y)
    assert np.abs(model.intercept_).max() < 1e3  # log-odds beyond 37 round to certainty
    two = SparseClassifier(alpha=0.0).fit(X[y < 2][:, 1:], y[y < 2])
    ours = model.coef_[1] - model.coef_[0]
    np.testing.assert_allclose(ours[1:], two.coef_[0], rtol=0, atol=AGREE_SKLEARN)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.01])
def test_a_constant_added_to_the_columns_moves_no_refit(k, alpha):
    X, y = classes(4, k=k)
    near, far = (SparseClassifier(alpha=alpha, relax=True).fit(Z, y) for Z in (X, X + 2.0**26))
    # the columns lose 2⁻²⁶ of their digits, and curvature multiplies that by its condition, about 10
    np.testing.assert_allclose(near.coef_, far.coef_, rtol=0, atol=1e-6)


@pytest.mark.parametrize("k", [2, 3])
def test_alpha_zero_is_maximum_likelihood(k):
    X, y = classes(11, k=k)
    model = SparseClassifier(alpha=0.0).fit(X, y)
    theirs = sk.LogisticRegression(C=np.inf, tol=1e-10, max_iter=5000).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    assert model.certificate_.verify(X, y).gap <= 1e-7


def test_alpha_above_its_maximum_gives_the_null_model():
    X, y = classes(14, k=3)
    model = SparseClassifier(alpha=10.0).fit(X, y)
    assert not model.coef_.any()
    np.testing.assert_allclose(model.predict_proba(X)[0], np.bincount(y) / len(y), rtol=1e-6)
    assert model.dual_gap_ == pytest.approx(0.0, abs=1e-12)


def test_constant_duplicated_and_single_columns():
    X, y = classes(15)
    plain = SparseClassifier(alpha=0.05, tol=1e-10).fit(X, y)
    model = SparseClassifier(alpha=0.05, tol=1e-10).fit(np.column_stack([X, np.full(len(y), 3.0)]), y)
    assert model.coef_[0, -1] == 0
    np.testing.assert_allclose(model.coef_[:, :8], plain.coef_, atol=1e-5)
    twice = SparseClassifier(alpha=0.05, tol=1e-10).fit(np.column_stack([X, X[:, 0]]), y)
    np.testing.assert_allclose(
        twice.predict_proba(X @ np.eye(8, 9) + np.outer(X[:, 0], np.eye(9)[8])), plain.predict_proba(X), atol=1e-4
    )
    one = SparseClassifier(alpha=0.01, tol=1e-10).fit(X[:, :1], y)
    padded = SparseClassifier(alpha=0.01, tol=1e-10).fit(X[:, :1] * [1.0, 0.0], y)
    np.testing.assert_allclose(one.coef_[0, 0], padded.coef_[0, 0], rtol=1e-4)


def test_a_class_of_weight_zero_is_named():
    X, y = classes(16, k=3)
    with pytest.raises(InputError, match=r"the class 1 has weight 0 in every row"):
        SparseClassifier(alpha=0.05).fit(X, y, (y != 1).astype(float))
    with pytest.raises(InputError, match=r"the class 2 has weight 0 in every row"):
        SparseClassifier(alpha=0.05, class_weight={2: 0.0}).fit(X, y)


def test_a_fold_may_lack_a_class():
    X, y = classes(16, k=3)
    splits = [(np.flatnonzero(y != 2), np.flatnonzero(y == 2)), (np.arange(0, 200, 2), np.arange(1, 200, 2))]
    model = SparseClassifierCV(alphas=[0.2, 0.05, 0.01], cv=splits).fit(X, y)
    assert np.isfinite(model.scores_path_).all()
    assert (model.scores_path_[:, 0] < model.scores_path_[:, 1]).all()


def test_unseen_classes_count_as_wrong():
    X, y = classes(17)
    model = SparseClassifier(alpha=0.05).fit(X, y)
    assert model.score(X, np.full(len(y), 5)) == 0


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.ones(200, int), "one class only: 1"),
        (np.r_[np.nan, np.ones(199)], "missing .NaN. in 1 of 200"),
        (np.linspace(0, 1, 200), "use a regressor"),
    ],
)
def test_bad_labels(y, message):
    X, _ = classes()
    with pytest.raises(InputError, match=message):
        SparseClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SparseClassifier(datafit="squared"), "is for numbers: use SparseRegressor"),
        (SparseClassifier(class_weight="even"), "class_weight must be None, 'balanced' or a dict"),
        (SparseClassifier(class_weight={5: 1.0}), "class_weight names 5, which y does not hold"),
        (SparseClassifier(class_weight={0: -1.0}), "class_weight must hold finite numbers ≥ 0"),
        (SparseClassifier(solver="gram"), "cannot be fitted from a Gram matrix"),
        (SparseClassifierCV(cv=3, alphas=0), "alphas must be ≥ 1"),
    ],
)
def test_bad_parameters(model, message):
    X, y = classes()
    with pytest.raises(InputError, match=message):
        model.fit(X, y)


def test_missing_values_are_named():
    X, y = classes()
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    frame.loc[3, "b"] = np.nan
    frame.loc[4:5, "g"] = np.inf
    with pytest.raises(InputError, match=r"NaN.*'b'.*1.*inf.*'g'.*2"):
        SparseClassifier().fit(frame, y)


def test_nothing_is_warned_about_in_an_ordinary_fit():
    X, y = classes(18)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SparseClassifier(alpha=0.01).fit(X, y)


@pytest.mark.parametrize("k", [2, 3])
def test_the_default_alpha_is_one_over_the_sum_of_weights(k):
    """scikit-learn's C = 1: rows given twice, and weights of two, count twice against the penalty."""
    X, y = classes(21, k=k)
    n, s = len(y), np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    for model in (SparseClassifier(), SparseLogisticRegression()):
        fitted = model.fit(X, y)
        assert fitted.alpha_ == 1 / n
        np.testing.assert_allclose(fitted.coef_, SparseClassifier(alpha=1 / n).fit(X, y).coef_, rtol=0, atol=ROUNDING)
        assert clone(fitted).alpha is None
        weighted = clone(model).fit(X, y, s)
        assert weighted.alpha_ == pytest.approx(1 / s.sum(), rel=ROUNDING)
        rows = np.repeat(np.arange(n), s.astype(int))
        repeated = clone(model).fit(X[rows], y[rows])
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=0, atol=AGREE_SKLEARN)


def test_the_default_keeps_columns_whatever_their_units():
    X, y = load_breast_cancer(return_X_y=True)
    assert SparseClassifier(standardize=True).fit(X, y).coef_.any()
    assert SparseClassifier(penalty="l2", standardize=True).fit(X, y).score(X, y) > 0.95
    search = GridSearchCV(SparseClassifier(standardize=True), {"alpha": [None, 0.01, 10.0]}, cv=3).fit(X, y)
    default, _, null = search.cv_results_["mean_test_score"]
    assert default > null + 0.3  # at α = 10 no column is left, and every row has the larger class
