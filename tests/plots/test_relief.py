"""The drawing of relevance holds what the selector found."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from tamis import InputError, MultiSURF, Relief, ReliefF, RReliefF, SubsetSelector
from tamis.plots import relief
from tamis.plots.relief import CHOSEN

mpl.use("agg")


@pytest.fixture(scope="module")
def table():
    """Columns c3 and c7 of thirty tell the class, together."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (200, 30)), columns=[f"c{j}" for j in range(30)])
    return X, X["c3"] ^ X["c7"]


def rows(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def dashed(ax):
    """Heights of the dashed lines along the rows, and places of those across."""
    lines = [line for line in ax.lines if line.get_linestyle() == "--"]
    flat = [line.get_ydata()[0] for line in lines if line.get_ydata()[0] == line.get_ydata()[1]]
    return flat, [line.get_xdata()[0] for line in lines if line.get_xdata()[0] == line.get_xdata()[1]]


@pytest.mark.parametrize("model", [Relief(4), ReliefF(4), RReliefF(4), MultiSURF(4)], ids=lambda m: type(m).__name__)
def test_bars_are_the_relevance_and_lines_its_errors(model, table):
    X, y = table
    found = model.fit(X, y)
    ax = relief(found, n_features=30)
    order = [X.columns.get_loc(name) for name in rows(ax)]
    assert rows(ax)[:4] == found.selected_features_
    np.testing.assert_array_equal([bar.get_width() for bar in ax.patches], found.relevance_[order])
    assert (np.diff(found.relevance_[order[4:]]) <= 0).all()
    ends = np.array([segment[:, 0] for segment in ax.collections[0].get_segments()])
    np.testing.assert_allclose(ends[:, 1] - ends[:, 0], 2 * found.standard_errors_[order], rtol=1e-12)
    ax.figure.canvas.draw()


def test_the_chosen_ones_are_coloured_above_a_line(table):
    found = ReliefF(3).fit(*table)
    ax = relief(found)
    blue = [mpl.colors.to_hex(bar.get_facecolor()) == CHOSEN for bar in ax.patches]
    assert blue == [True] * 3 + [False] * 17
    assert dashed(ax) == ([2.5], [])
    assert legend(ax) == ["3 chosen as the best ones", "27 not chosen; 10 of them not shown"]


def test_a_threshold_is_a_line_across(table):
    found = ReliefF(threshold=0.1).fit(*table)
    ax = relief(found)
    assert dashed(ax)[1] == [0.1]
    assert legend(ax)[-1] == "τ = 0.1"
    ax = relief(ReliefF(threshold=-9.0).fit(*table))
    assert dashed(ax) == ([], [-9.0])
    assert legend(ax) == ["30 chosen above τ; 10 of them not shown", "τ = −9"]
    assert dashed(relief(ReliefF().fit(*table)))[1] == [0.0]


def test_p_values_stand_beside_their_columns(table):
    X, y = table
    found = ReliefF(fdr=0.05, n_permutations=20, random_state=0).fit(X, y)
    ax = relief(found, n_features=30)
    assert f"{found.support_.sum()} chosen by p-values at a false discovery rate of 0.05" in legend(ax)
    head, *p_values = [text.get_text() for text in ax.texts]
    assert head == "p-value"
    for name, words in zip(rows(ax), p_values, strict=True):
        p = found.pvalues_[X.columns.get_loc(name)]
        assert words == ("< 0.001" if p < 0.001 else f"{p:.3f}")
    assert {"c3", "c7"} <= set(rows(ax)[: found.support_.sum()])
    assert not relief(ReliefF(3).fit(X, y)).texts


def test_nothing_chosen_and_removal_are_said(table):
    X, y = table
    none = relief(ReliefF(threshold=9.0).fit(X, y))
    assert legend(none)[0] == "none chosen above τ"
    assert dashed(none)[0] == []
    left = relief(ReliefF(2, removal=0.5).fit(X, y), n_features=30)
    assert legend(left) == ["2 chosen as the last ones left by removal", "28 not chosen, as weighed before removal"]


def test_names_axes_and_few_rows(table):
    import matplotlib.pyplot as plt

    X, y = table
    found = ReliefF(2).fit(X.to_numpy(), y)
    assert set(rows(relief(found))[:2]) == {"x3", "x7"}
    assert set(rows(relief(found, names=[f"gene {j}" for j in range(30)]))[:2]) == {"gene 3", "gene 7"}
    given = plt.figure().subplots()
    assert relief(found, given) is given
    ax = relief(ReliefF(2, n_samples=1, random_state=0).fit(X, y))
    assert not len(ax.collections[0].get_segments())
    assert ax.get_xlabel() == "relevance: mean over 1 row ± one standard error"


def test_others_and_unfitted_ones_are_refused(table):
    X, y = table
    with pytest.raises(InputError, match="this ReliefF is not fitted: call fit"):
        relief(ReliefF())
    with pytest.raises(InputError, match="SubsetSelector has no relevance to draw: use a fitted Relief, ReliefF"):
        relief(SubsetSelector().fit(X, y))
    with pytest.raises(InputError, match="n_features must be ≥ 1"):
        relief(ReliefF(2).fit(X, y), n_features=0)
    with pytest.raises(InputError, match="one name for each of the 30 columns, got 1"):
        relief(ReliefF(2).fit(X, y), names=["a"])
