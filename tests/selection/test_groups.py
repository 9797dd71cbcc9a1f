"""Groups of rows that cross-validation keeps together."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import LassoCV as TheirLassoCV
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, LeaveOneGroupOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from tamis import EmbeddedSelector, InputError, LassoCV, LasVegasWrapper, TreeSelector
from tamis.selection import CrossValidated, Exhaustive, InformationGain, LinearFit, SubsetSelector
from tolerances import EPS


def patients(n_groups=8, each=6, seed=0):
    """Rows of one patient are near copies: folds that cut a patient in two remember instead of learning."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), each)
    X = rng.standard_normal((n_groups, 5))[groups] + 1e-3 * rng.standard_normal((len(groups), 5))
    y = X[:, 0] + rng.standard_normal(n_groups)[groups]
    order = rng.permutation(len(y))
    return X[order], y[order], groups[order]


@pytest.mark.parametrize("labels", [np.asarray, list, lambda g: [f"patient {k}" for k in g]])
@pytest.mark.parametrize(
    "evaluation, learner",
    [(CrossValidated(Ridge(1e-9), GroupKFold(4)), Ridge(1e-9)), (LinearFit(cv=GroupKFold(4)), Ridge(1e-9))],
)
def test_the_score_is_that_of_group_folds(evaluation, learner, labels):
    X, y, groups = patients()
    fitted = SubsetSelector(Exhaustive(), evaluation, n_features=2).fit(X, y, groups=labels(groups))
    expected = cross_val_score(Ridge(1e-9), X[:, fitted.support_], y, cv=GroupKFold(4), groups=groups)
    # Ridge(1e-9) stands for least squares on columns of unit size: 1e-9 of each coefficient.
    assert fitted.score_ == pytest.approx(expected.mean(), rel=1e-7)
    row = int(fitted.history_["score"].argmax())
    assert fitted.history_["folds"][row] == pytest.approx(expected, rel=1e-7)


def test_group_folds_are_not_other_folds():
    X, y, groups = patients()
    whole = SubsetSelector(Exhaustive(), LinearFit(), n_features=2).fit(X, y)
    apart = SubsetSelector(Exhaustive(), LinearFit(cv=GroupKFold(5)), n_features=2).fit(X, y, groups=groups)
    assert apart.score_ < whole.score_ - 0.1


def test_every_selector_that_cross_validates_takes_groups():
    X, y, groups = patients()
    wrapper = LasVegasWrapper(Ridge(), trials=3, cv=LeaveOneGroupOut(), random_state=0).fit(X, y, groups=groups)
    expected = cross_val_score(Ridge(), X[:, wrapper.support_], y, cv=LeaveOneGroupOut(), groups=groups)
    assert wrapper.score_ == pytest.approx(expected.mean(), rel=4 * EPS)
    recursive = SubsetSelector("recursive", CrossValidated(Ridge(), GroupKFold(3))).fit(X, y, groups=groups)
    assert recursive.score_ == recursive.history_["score"].max()
    model = LassoCV(cv=GroupKFold(4))
    embedded = EmbeddedSelector(model).fit(X, y, groups=groups)
    assert embedded.model_.alpha_ == LassoCV(cv=GroupKFold(4)).fit(X, y, groups=groups).alpha_
    search = GridSearchCV(DecisionTreeRegressor(random_state=0), {"max_depth": [1, 2, 5]}, cv=GroupKFold(4))
    tree = TreeSelector(search).fit(X, y, groups=groups)
    theirs = GridSearchCV(DecisionTreeRegressor(random_state=0), {"max_depth": [1, 2, 5]}, cv=GroupKFold(4))
    np.testing.assert_array_equal(
        tree.estimator_.cv_results_["mean_test_score"], theirs.fit(X, y, groups=groups).cv_results_["mean_test_score"]
    )
    piped = EmbeddedSelector(make_pipeline(StandardScaler(), LassoCV(cv=GroupKFold(4)))).fit(X, y, groups=groups)
    assert piped.model_[-1].mse_path_.shape[1] == 4


def test_the_default_model_keeps_groups_together():
    X, y, groups = patients()
    fitted = EmbeddedSelector().fit(X, y, groups=groups)
    assert isinstance(fitted.model_.cv, GroupKFold)
    own = LassoCV(standardize=True, rule="1se", cv=GroupKFold(5)).fit(X, y, groups=groups)
    np.testing.assert_array_equal(fitted.model_.mse_path_, own.mse_path_)
    classes = EmbeddedSelector().fit(X, np.where(y > 0, "up", "down"), groups=groups)
    assert type(classes.model_.cv).__name__ == "StratifiedGroupKFold"
    with pytest.raises(InputError, match="groups holds one label only"):
        EmbeddedSelector().fit(X, y, groups=np.zeros(len(y)))


@pytest.mark.parametrize(
    "selector, words",
    [
        (SubsetSelector(), "groups cannot be used: InformationGain splits no rows"),
        (
            SubsetSelector("forward", LinearFit(criterion="bic")),
            "groups cannot be used: criterion='bic'",
        ),
        (SubsetSelector("forward", LinearFit()), r"groups cannot be used: cv=5 .*GroupKFold"),
        (SubsetSelector("forward", CrossValidated(Ridge())), r"groups cannot be used: cv=5 .*GroupKFold"),
        (SubsetSelector("forward", CrossValidated(Ridge(), KFold(3))), r"groups cannot be used: cv=KFold"),
        (LasVegasWrapper(Ridge(), cv=[([0, 1], [2, 3])]), "groups cannot be used: cv="),
        (EmbeddedSelector(Ridge()), "groups cannot be used: the fit of model=Ridge takes none"),
        (EmbeddedSelector(LassoCV()), "groups cannot be used: cv=None"),
        (EmbeddedSelector(TheirLassoCV()), "groups cannot be used: the fit of model=LassoCV takes none"),
        (TreeSelector(), "groups cannot be used: the fit of estimator=DecisionTreeRegressor takes none"),
    ],
)
def test_groups_that_nobody_uses_are_refused(selector, words):
    X, y, groups = patients()
    with pytest.raises(InputError, match=words):
        selector.fit(X, y, groups=groups)


@pytest.mark.parametrize("groups", [[0, 1, 2], "patient", 3, np.zeros((48, 2)), None])
def test_groups_are_one_label_per_row(groups):
    X, y, _ = patients()
    for evaluation in (CrossValidated(Ridge(), GroupKFold(3)), LinearFit(cv=GroupKFold(3))):
        with pytest.raises(InputError, match="groups"):
            SubsetSelector("forward", evaluation).fit(X, y, groups=groups)


def test_groups_reach_a_splitter_of_ones_own():
    X, y, groups = patients()
    seen = []

    class Halves:
        def split(self, X, y=None, groups=None):
            seen.append(groups)
            first = groups < 4
            yield np.flatnonzero(first), np.flatnonzero(~first)

        def get_n_splits(self, X=None, y=None, groups=None):
            return 1

    SubsetSelector("ranking", CrossValidated(Ridge(), Halves()), n_features=1).fit(X, y, groups=groups)
    np.testing.assert_array_equal(seen[0], groups)


def test_groups_are_part_of_a_checkpoint(tmp_path):
    X, y, groups = patients()
    make = lambda: SubsetSelector("forward", LinearFit(cv=GroupKFold(4)), checkpoint=tmp_path / "run")  # noqa: E731
    first = make().fit(X, y, groups=groups)
    again = make().fit(X, y, groups=list(groups))
    assert again.n_recalled_ == len(first.history_)
    with pytest.raises(InputError, match="written by a run with other groups"):
        make().fit(X, y, groups=groups[::-1])


@pytest.mark.parametrize(
    "selector",
    [
        SubsetSelector("forward", CrossValidated(Ridge(), GroupKFold(4)), n_features=2),
        LasVegasWrapper(Ridge(), trials=3, cv=GroupKFold(4), random_state=0),
        EmbeddedSelector(LassoCV(cv=GroupKFold(4))),
        EmbeddedSelector(),
        TreeSelector(GridSearchCV(DecisionTreeRegressor(random_state=0), {"max_depth": [1, 2]}, cv=GroupKFold(4))),
    ],
    ids=lambda s: type(s).__name__,
)
def test_routed_through_a_pipeline(selector):
    X, y, groups = patients()
    alone = selector.fit(X, y, groups=groups).support_
    with config_context(enable_metadata_routing=True):
        piped = make_pipeline(selector, Ridge()).fit(X, y, groups=groups)
    np.testing.assert_array_equal(piped[0].support_, alone)
    assert piped[-1].n_features_in_ == alone.sum()


def test_routing_refuses_groups_that_nobody_asks_for():
    X, y, groups = patients()
    with config_context(enable_metadata_routing=True), pytest.raises(TypeError, match="groups"):
        make_pipeline(SubsetSelector("forward", InformationGain()), LogisticRegression()).fit(X, y > 0, groups=groups)
