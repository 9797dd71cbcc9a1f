"""Training data: one reading of X, y and weights for models and selectors."""

import numpy as np
import pandas as pd
import pytest

from tamis import InputError, Lasso, ReliefF, SparseClassifier, SubsetSelector, as_source
from tamis.base.training_data import classification_data, regression_data

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3))
Y = X[:, 0]
LABELS = np.where(Y > 0, "yes", "no")

MODELS = {"lasso": (Lasso(), Y), "classifier": (SparseClassifier(), LABELS)}
SELECTORS = {"search": (SubsetSelector("forward", "information_gain"), LABELS), "relief": (ReliefF(), LABELS)}


@pytest.mark.parametrize(("estimator", "y"), (MODELS | SELECTORS).values(), ids=MODELS | SELECTORS)
@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, as_source], ids=["array", "frame", "source"])
def test_a_table_without_a_target_is_refused_alike(estimator, y, make):
    del y
    with pytest.raises(InputError, match=r"requires y to be passed, but the target y is None: give y") as caught:
        estimator.fit(make(X), None)
    assert caught.value.argument == "y"


WITH_LABELS = pd.DataFrame(X, columns=list("abc")).assign(city=LABELS)


@pytest.mark.parametrize(
    ("estimator", "table", "y", "argument"),
    [
        (Lasso(), X, LABELS, "y"),
        (Lasso(), X, np.column_stack([Y, np.full(30, np.nan)]), "y"),
        (Lasso(), X, 1e160 * Y, "y"),
        (Lasso(), WITH_LABELS, Y, "X"),
        (SparseClassifier(), X, np.full(30, np.nan), "y"),
        (SparseClassifier(), X, Y, "y"),
        (SparseClassifier(), X, np.ones(30), "y"),
        (SparseClassifier(), WITH_LABELS, LABELS, "X"),
    ],
)
def test_complaints_carry_their_argument(estimator, table, y, argument):
    with pytest.raises(InputError) as caught:
        estimator.fit(table, y)
    assert caught.value.argument == argument


def test_two_classes_are_signs_and_more_are_one_hot():
    two = classification_data(SparseClassifier(), X, LABELS, None)
    assert two.classes.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(two.y, np.where(LABELS == "yes", 1.0, -1.0))
    more = classification_data(SparseClassifier(), X, np.arange(30) % 3, None)
    assert more.n_outputs == 3
    np.testing.assert_array_equal(more.y.argmax(axis=1), np.arange(30) % 3)


def test_the_target_may_be_a_column_by_name():
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Y)
    data = regression_data(Lasso(), frame, "y", None)
    assert data.names == ["a", "b", "c"]
    np.testing.assert_array_equal(data.y, Y)
    np.testing.assert_array_equal(data.matrix, X)
