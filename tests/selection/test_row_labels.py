"""Columns that name the rows are not selected in silence."""

import numpy as np
import pandas as pd
import pytest

from tamis import ReliefF, SubsetSelector
from tamis.selection import FCBF
from tamis.sources.arrays import ArraySource

N = 80
RNG = np.random.default_rng(0)
GROUP = RNG.choice(["a", "b"], N)
Y = np.where(RNG.random(N) < 0.9, GROUP, "b")
KEYS = [f"P{i:04d}" for i in range(N)]
NAMED = pd.DataFrame({"id": KEYS, "group": GROUP, "x": RNG.normal(size=N)})


@pytest.mark.parametrize(
    "selector",
    [SubsetSelector(n_features=1), SubsetSelector("exhaustive", "consistency", n_features=1), FCBF(n_features=1)],
)
@pytest.mark.parametrize("keys", [KEYS, [*KEYS[:-1], KEYS[0]]], ids=["all different", "one twice"])
def test_a_selected_column_of_row_labels_is_warned_of_by_its_name(selector, keys):
    X = NAMED[["id", "x"]].assign(id=keys)
    y = np.arange(N) % 2 if isinstance(selector, FCBF) else Y
    with pytest.warns(UserWarning, match="column 'id' selected, where nearly every row has a label") as caught:
        assert selector.fit(X, y).selected_features_ == ["id"]
    assert caught[0].filename == __file__


def test_columns_of_an_array_are_named_by_their_positions():
    with pytest.warns(UserWarning, match="column 0 selected, where nearly"):
        SubsetSelector(n_features=1).fit(NAMED.to_numpy(), Y)


def test_relief_warns_too():
    with pytest.warns(UserWarning, match="column 'id' selected, where nearly every row .* drop it from X$"):
        ReliefF(n_features=3).fit(NAMED, Y)


def test_kept_columns_and_those_not_selected_are_no_cause_for_a_warning():
    assert SubsetSelector(keep=["id"], n_features=1).fit(NAMED, Y).selected_features_ == ["id"]
    by_number = NAMED.set_axis([7, 8, 9], axis=1)
    assert SubsetSelector(keep=[7], n_features=1).fit(by_number, Y).selected_features_ == [7]
    assert SubsetSelector("ranking", "gain_ratio", n_features=1).fit(NAMED, Y).selected_features_ == ["group"]


def test_tables_of_numbers_are_not_looked_at(monkeypatch):
    X = RNG.normal(size=(N, 3))
    monkeypatch.setattr(ArraySource, "schema", property(lambda self: pytest.fail("a pass over the table")))
    selector = FCBF()
    selector.support_ = np.array([True, True, True])
    selector._warn_of_row_labels(ArraySource(X, None), [0, 1, 2])
