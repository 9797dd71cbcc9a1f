"""An array given for a number, a switch or a name: one line that names the argument, never a complaint of NumPy's."""

import inspect

import numpy as np
import pytest
from sklearn.base import is_regressor
from sklearn.tree import DecisionTreeClassifier

from estimators import made, public_classes, public_estimators
from tamis import InputError, RReliefF, SparseRegressor
from tamis.selection import Evaluation, Recursive, Search, SubsetSelector
from tamis.solvers.gram_block_descent import GramBlockDescent
from tamis.solvers.gram_descent import GramDescent
from tamis.solvers.multi_output_working_set import MultiOutputWorkingSet
from tamis.solvers.proximal import Fista, ProximalGradient
from tamis.solvers.working_set import WorkingSet

TAKES_ARRAYS = {"alphas", "bounds", "discrete", "feature_groups", "keep"}
ONE_EACH = {
    ("SparsePCA", "alpha"),
    ("SparsePCA", "n_nonzero"),
    ("BestSubset", "n_nonzero"),
    ("BestSubsetClassifier", "n_nonzero"),
}  # or several
PAIR, SQUARE = np.array([1, 2]), np.array([[1, 2], [3, 4]])


def parameters(kind):
    names = inspect.signature(kind).parameters
    return [name for name in names if name not in TAKES_ARRAYS and (kind.__name__, name) not in ONE_EACH]


def cases(kinds):
    return [pytest.param(kind, name, id=f"{kind.__name__}-{name}") for kind in kinds for name in parameters(kind)]


def rows():
    X = np.random.default_rng(0).normal(size=(30, 4))
    return X, X[:, 0] + 0.5 * X[:, 1]


def refused(fit, name):
    with pytest.raises(InputError) as caught:
        fit()
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [PAIR, SQUARE], ids=["pair", "square"])
@pytest.mark.parametrize("kind, name", cases(public_estimators()))
def test_of_an_estimator(kind, name, value):
    X, y = rows()
    numbers = is_regressor(made(kind)) or kind is RReliefF
    refused(lambda: made(kind).set_params(**{name: value}).fit(X, y if numbers else y > 0), name)


WITH_PATHS = [kind for kind in public_estimators() if "alphas" in inspect.signature(kind).parameters]


@pytest.mark.parametrize("kind", WITH_PATHS)
def test_the_alphas_of_a_path_have_one_axis(kind):
    X, y = rows()
    model = made(kind).set_params(alphas=SQUARE)
    refused(lambda: model.fit(X, y if is_regressor(model) else y > 0), "alphas")


@pytest.mark.parametrize("kind, name", cases(public_classes(Evaluation)))
def test_of_an_evaluation(kind, name):
    X, y = rows()
    learner = {"estimator": DecisionTreeClassifier()} if "estimator" in parameters(kind) else {}
    refused(lambda: SubsetSelector("forward", kind(**learner | {name: PAIR}), n_features=2).fit(X, y > 0), name)


@pytest.mark.parametrize("kind, name", cases(public_classes(Search)))
def test_of_a_search(kind, name):
    X, y = rows()
    by = "linear_fit" if kind is Recursive else "cfs"
    refused(lambda: SubsetSelector(kind(**{name: PAIR}), by, n_features=2).fit(X, y), name)


@pytest.mark.parametrize(
    "kind, name", cases([GramDescent, GramBlockDescent, WorkingSet, MultiOutputWorkingSet, Fista, ProximalGradient])
)
def test_of_a_solver(kind, name):
    X, y = rows()
    Y = np.column_stack([y, -y]) if kind is MultiOutputWorkingSet else y
    options = {"penalty": "group"} if kind in (GramBlockDescent, MultiOutputWorkingSet) else {}
    refused(lambda: SparseRegressor(solver=kind(**{name: PAIR}), **options).fit(X, Y), name)
