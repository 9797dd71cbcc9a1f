"""The drawing of a history holds what the history says."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

from tamis import InputError, LasVegasWrapper, SubsetSelector
from tamis._core.errors import ConvergenceWarning
from tamis.plots import history
from tamis.selection import CrossValidated, Evaluation, Search
from tamis.selection.search import SEARCHES

mpl.use("agg")


@pytest.fixture(scope="module")
def table():
    return load_diabetes(return_X_y=True, as_frame=True)


class Sometimes(Evaluation):
    """Fails on every subset with column 2; else the fewer and lower the columns, the better."""

    def prepare(self, source, *, n_jobs=None, steps=None):
        return None

    def score(self, state, subset):
        if 2 in subset:
            raise ValueError("not this one")
        return -float(sum(subset)) - len(subset)


def points(line):
    return list(zip(*(np.asarray(v).tolist() for v in line.get_data()), strict=True))


def words(ax):
    return [text.get_text() for text in ax.texts]


def names(ax):
    """The labels above the axes."""
    return [tick.get_text() for child in ax.child_axes for tick in child.get_xticklabels()]


@pytest.mark.parametrize("search", sorted(set(SEARCHES) - {"branch_and_bound", "recursive"}))
def test_every_subset_is_a_dot_and_every_kept_one_a_strong_one(search, table):
    selector = SubsetSelector(search, "linear_fit", n_features=(1, 4), random_state=0).fit(*table)
    ax = history(selector)
    dots, kept = ax.lines[:2]
    recorded = selector.history_
    assert points(dots) == list(zip(recorded["size"].tolist(), recorded["score"].tolist(), strict=True))
    assert len(points(kept)) == recorded["kept"].sum()
    assert len(words(ax)) == 1
    ax.figure.canvas.draw()


def test_the_choice_is_written_out(table):
    X, y = table
    assert words(history(SubsetSelector("ranking", "linear_fit", n_features=2).fit(X, y))) == [
        "chosen: 2 columns, 0.443"
    ]


def test_the_line_joins_the_best_kept_of_each_size(table):
    selector = SubsetSelector("beam", "linear_fit", n_features=(1, 4)).fit(*table)
    recorded = selector.history_
    best = {}
    for size, score, kept in zip(recorded["size"].tolist(), recorded["score"].tolist(), recorded["kept"], strict=True):
        if kept:
            best[size] = max(score, best.get(size, -np.inf))
    line = max(history(selector).lines, key=lambda line: line.get_linewidth())
    assert points(line) == sorted(best.items())


def test_steps_are_named_above(table):
    selector = SubsetSelector("forward", "linear_fit", n_features=4).fit(*table)
    assert names(history(selector)) == [f"+ {name}" for name in selector.selected_features_]
    backward = SubsetSelector("backward", "linear_fit", n_features=8).fit(*table)
    gone = set(table[0]) - set(backward.selected_features_)
    assert set(names(history(backward))) == {f"− {name}" for name in gone}


def test_long_names_are_cut_and_crowded_ones_left_out():
    rng = np.random.default_rng(0)
    import pyarrow as pa

    X = {f"a column with a long name, number {j}": rng.normal(size=100) for j in range(70)}
    selector = SubsetSelector("forward", "linear_fit", n_features=60).fit(pa.table(X), rng.normal(size=100))
    labels = names(history(selector))
    assert 10 < len(labels) < 60
    assert {len(name) for name in labels} == {20}


def test_spread_is_drawn_where_it_is_known(table):
    X, y = table
    selector = SubsetSelector("forward", CrossValidated(LinearRegression()), n_features=3).fit(X.iloc[:, :5], y)
    ax = history(selector)
    recorded = selector.history_
    best = recorded.outline()
    bars = [segment for bar in ax.containers for segment in bar.lines[2][0].get_segments()]
    spread = [float(high - low) / 2 for (_, low), (_, high) in bars]
    assert spread == pytest.approx(recorded["spread"][best].tolist(), rel=1e-9)
    assert ax.get_ylabel() == "cross-validated score of\nLinearRegression"
    assert history(SubsetSelector("forward", "linear_fit", n_features=3).fit(X, y)).containers
    assert not history(SubsetSelector("forward", "f_score", n_features=3).fit(X, y)).containers


def test_failed_subsets_are_crosses(table):
    X, y = table
    selector = SubsetSelector("forward", Sometimes(), n_features=2).fit(X, y)
    ax = history(selector)
    crosses = next(line for line in ax.lines if line.get_marker() == "x")
    assert len(points(crosses)) == np.isnan(selector.history_["score"]).sum() == 2
    assert "2 failed" in words(ax)
    assert "chosen: 2 columns, −3" in words(ax)


class FirstColumns(Search):
    """A plain list of subsets, as a user writes it."""

    def run(self, p, stop, rng):
        subset = tuple(range(stop.bounds(p)[0]))
        yield [subset]
        return subset


def test_a_search_and_an_evaluation_of_ones_own_are_drawn(table):
    selector = SubsetSelector(FirstColumns(), Sometimes(), n_features=2).fit(*table)
    ax = history(selector)
    assert ax.get_ylabel() == "sometimes"
    assert "chosen: 2 columns, −3" in words(ax)


def test_groups_count_their_columns_and_one_evaluation_is_enough(table):
    X, y = table
    groups = {"blood": ["s1", "s2", "s3"]}
    selector = SubsetSelector("forward", "linear_fit", n_features=2, feature_groups=groups)
    ax = history(selector.fit(X, y))
    assert max(size for size, _ in points(ax.lines[0])) == 4
    one = history(SubsetSelector("exhaustive", n_features=1).fit(X[["bmi"]], y))
    assert len(points(one.lines[0])) == 1
    assert [tick for tick in one.get_xticks() if one.get_xlim()[0] <= tick <= one.get_xlim()[1]] == [1.0]
    assert one.get_ylabel() == "information gain, bits"


def test_given_axes_are_drawn_on(table):
    import matplotlib.pyplot as plt

    ax = plt.figure().subplots()
    assert history(SubsetSelector(n_features=2).fit(*table), ax=ax) is ax


def test_unfitted_selectors_and_others_are_refused():
    with pytest.raises(InputError, match="SubsetSelector has no history to draw: use SubsetSelector, or fit it first"):
        history(SubsetSelector())
    with pytest.raises(InputError, match="LinearRegression has no history to draw"):
        history(LinearRegression())


def test_draws_of_a_wrapper(table):
    X, y = table
    wrapper = LasVegasWrapper(LinearRegression(), trials=20, random_state=0).fit(X, y)
    ax = history(wrapper)
    assert len(ax.lines[0].get_xdata()) == len(wrapper.history_)
    assert " ".join(ax.get_ylabel().split()) == "cross-validated score of LinearRegression"


def test_nothing_to_draw(table):
    wrapper = LasVegasWrapper(LinearRegression(), time_limit=1e-9)
    with pytest.warns(ConvergenceWarning, match="no solution yet"):
        wrapper.fit(*table)
    with pytest.raises(InputError, match="the history is empty"):
        history(wrapper)
