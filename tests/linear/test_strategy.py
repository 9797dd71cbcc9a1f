"""strategy_ begins with the word that solver= takes for what was done."""

import numpy as np
import pandas as pd
import pytest

from linear.tables import classes, table
from tamis import InputError, Lasso, SparseClassifier, SparseRegressor, sparse_path
from tamis.linear.plan import SOLVERS
from tamis.solvers.proximal import Fista
from tolerances import AGREE


class Mine(Fista):
    """A solver of the user's own."""


def word(strategy):
    return strategy.partition(":")[0]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    X, y = table(0)
    path = tmp_path_factory.mktemp("table") / "rows.csv"
    pd.DataFrame(X).add_prefix("x").assign(y=y).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("solver", [s for s in SOLVERS if s != "streamed"])
def test_in_memory_it_is_the_solver_asked_for(solver):
    X, y = table(0)
    assert word(SparseRegressor(alpha=0.2, solver=solver).fit(X, y).strategy_) == solver
    assert word(sparse_path(X, y, alphas=3, solver=solver).strategy) == solver


@pytest.mark.parametrize(
    ("solver", "expected"), [(s, "streamed" if s == "working_set" else s) for s in SOLVERS], ids=SOLVERS
)
def test_so_it_is_on_a_file_whose_working_sets_are_streamed(solver, expected, file):
    model = SparseRegressor(alpha=0.2, solver=solver).fit(file, "y")
    assert word(model.strategy_) == expected
    if expected in ("gram", "streamed"):
        np.testing.assert_allclose(model.coef_, Lasso(0.2).fit(*table(0)).coef_, rtol=0, atol=AGREE)


def test_streaming_rows_in_memory_is_refused():
    X, y = table(0)
    with pytest.raises(InputError, match=r"solver='streamed' .* in memory: use solver='working_set'") as caught:
        SparseRegressor(solver="streamed").fit(X, y)
    assert caught.value.argument == "solver"


def test_without_being_asked_it_is_chosen_by_the_table():
    X, y = table(0)
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(len(y), 600))
    labels = classes(0)[1]
    assert word(Lasso(0.2).fit(X, y).strategy_) == "gram"
    assert word(Lasso(0.2).fit(wide, y).strategy_) == "working_set"
    assert word(SparseClassifier().fit(classes(0)[0], labels).strategy_) == "working_set"


def test_a_solver_of_ones_own_is_called_by_its_class():
    X, y = table(0)
    assert word(SparseRegressor(alpha=0.2, solver=Mine(1e-7, 1000)).fit(X, y).strategy_) == "Mine"
