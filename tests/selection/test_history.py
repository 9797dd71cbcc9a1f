"""What a history says about single rows."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score

from selection.set_functions import SetFunction, random_function, table
from tamis.selection import (
    Additions,
    CrossValidated,
    Floating,
    History,
    LinearFit,
    Removals,
    Subsets,
    SubsetSelector,
)
from tolerances import EPS


def example_history():
    """a; a and c; then without a, which is better than c alone was; two drawn subsets."""
    history = History("abc", sizes=[1, 2, 1], n_kept=1)
    rounds = [
        (Additions((), (0, 1, 2)), [0.3, 0.1, 0.2], 0),
        (Additions((0,), (1, 2)), [0.4, 0.5], 1),
        (Removals((0, 2), (0, 2)), [0.6, 0.3], 0),
        (Subsets([(1, 2), ()]), [0.4, np.nan], 0),
    ]
    for questions, scores, kept in rounds:
        history.add(questions, np.array(scores), 0.0)
        questions.keep(kept, "")
    return history


def test_rows_know_their_subset_and_their_step():
    history = example_history()
    assert [history.subset(row) for row in range(len(history))] == [
        ("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("c",), ("a",), ("b", "c"), ()
    ]  # fmt: skip
    assert history.subset(-2) == ("b", "c")
    assert [history.step(row) for row in (0, 4, 5, 7, 8)] == ["+ a", "+ c", "− a", "+ b + c", ""]
    assert history.follows([0, 4, 5, 7]) == [True, True, True, False]
    assert history.follows([5, 4, 0]) == [True, True, True], "in whichever direction they are listed"
    assert history.follows([0, 5]) == [True, False]
    with pytest.raises(IndexError):
        history.subset(9)


def test_outline_is_the_best_kept_of_each_size():
    history = example_history()
    assert history["size"].tolist() == [2, 3, 2, 4, 3, 2, 2, 4, 1]  # b stands for two columns, one is always kept
    assert history.outline().tolist() == [5, 4, 7]
    assert history.total([10, 20, 30]).tolist() == [10, 20, 30, 30, 40, 30, 10, 50, 0]


@pytest.mark.parametrize("seed", range(5))
def test_steps_lead_from_subset_to_subset(seed):
    selector = SubsetSelector(Floating(), SetFunction(random_function(seed)), n_features=4).fit(*table(6))
    history, reached = selector.history_, {frozenset()}
    assert all(history.follows(np.flatnonzero(history["kept"])))
    for row in np.flatnonzero(history["kept"]):
        sign, name = history.step(row).split()
        subset = set(history.subset(row))
        before = subset - {int(name)} if sign == "+" else subset | {int(name)}
        assert frozenset(before) in reached
        reached.add(frozenset(subset))


@pytest.mark.parametrize("options", [{}, {"feature_groups": [[0, 1]]}, {"keep": [2]}], ids=["single", "groups", "keep"])
@pytest.mark.parametrize("search", ["forward", "backward", "floating", "recursive"])
def test_the_scores_of_the_folds_are_kept_and_resumed(tmp_path, search, options):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5))
    y = X @ [1.0, 0.5, 0.0, 0.0, -1.0] + rng.standard_normal(60)
    for evaluation in (LinearFit(cv=4), CrossValidated(LinearRegression(), cv=4)):
        file = tmp_path / type(evaluation).__name__
        make = lambda: SubsetSelector(search, evaluation, n_features=2, checkpoint=file, **options)  # noqa: B023, E731
        fitted, again = make().fit(X, y), make().fit(X, y)
        history = fitted.history_
        folds = np.array(history["folds"].tolist())
        assert folds.shape == (len(history), 4)
        np.testing.assert_allclose(folds.mean(axis=1), history["score"], rtol=0, atol=4 * EPS)
        np.testing.assert_allclose(folds.std(axis=1), history["spread"], rtol=0, atol=4 * EPS)
        example_history = cross_val_score(LinearRegression(), X[:, fitted.support_], y, cv=4)
        row = int(np.flatnonzero(history["score"] == fitted.score_)[0])
        # From Gram matrices: the square of the condition number, which is about 2 here, times the rounding of sums.
        np.testing.assert_allclose(folds[row], example_history, rtol=1e-12)
        assert again.n_recalled_ == len(history)
        assert again.history_["folds"].tolist() == history["folds"].tolist()
        assert again.history_["spread"].tolist() == history["spread"].tolist()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_folds_are_in_the_frame(library):
    pytest.importorskip(library)
    X = np.random.default_rng(0).standard_normal((30, 3))
    history = SubsetSelector("forward", LinearFit(cv=3), n_features=1).fit(X, X[:, 0]).history_
    column = history.frame(library)["folds"]
    example_history = column.to_pylist() if library == "pyarrow" else column.to_list()
    assert [tuple(scores) for scores in example_history] == history["folds"].tolist()
    none = SubsetSelector("forward", SetFunction(len), n_features=1).fit(*table(3)).history_
    assert none["folds"].tolist() == [(), (), ()]
    assert len(none.frame(library)["folds"]) == 3


def test_an_own_way_to_score_is_not_passed_over():
    class Halved(LinearFit):
        def gains(self, state, subset, candidates):
            return super().gains(state, subset, candidates) / 2

    X = np.random.default_rng(0).standard_normal((30, 3))
    halved, plain = (SubsetSelector("forward", e, n_features=1).fit(X, X[:, 0]) for e in (Halved(), LinearFit()))
    assert halved.score_ == plain.score_ / 2
    assert halved.history_["folds"].tolist() == [(), (), ()]
