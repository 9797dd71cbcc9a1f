"""The drawing of redundancy holds what the result says."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from tamis import InputError, find_redundant
from tamis.plots import redundancy

mpl.use("agg")


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    boxes = pd.DataFrame(rng.uniform(1, 3, (300, 3)), columns=["length", "width", "height"])
    boxes["base_area"] = boxes["length"] * boxes["width"]
    boxes["unit"] = "m"
    return find_redundant(boxes, boxes["base_area"] * boxes["height"])


def words(ax):
    return [text.get_text() for text in ax.texts]


def test_a_row_per_column_and_a_dot_per_source(found):
    ax = redundancy(found)
    rows = [tick.get_text() for tick in ax.get_yticklabels()]
    sources = [tick.get_text() for tick in ax.get_xticklabels()]
    assert sorted(rows) == sorted(found.relations)
    dots = {(rows[int(y)], sources[int(x)]) for part in ax.collections for x, y in part.get_offsets()}
    assert dots == {(name, s) for name, r in found.relations.items() for s in r.sources}
    named, used, W = found.weights()
    assert {(named[i], used[j]) for i, j in zip(*np.nonzero(W), strict=True)} == dots
    order = ["drop", "helpful", "keep"]
    assert [order.index(found.verdicts[row]) for row in rows] == sorted(order.index(v) for v in found.verdicts.values())
    ax.figure.canvas.draw()


def test_formulas_and_losses_stand_beside_them(found):
    texts = words(redundancy(found))
    assert {r.formula for r in found.relations.values()} <= set(texts)
    loss = found.losses["base_area"]
    assert f"−{loss.mean:.3f} ± {loss.error:.3f}" in texts
    assert "score changes by" in texts
    alone = find_redundant(np.column_stack([np.arange(30.0), np.arange(30.0) * 2]))
    assert "score changes by" not in words(redundancy(alone))


def test_dots_that_divide_are_empty(found):
    ax = redundancy(found)
    rows = [tick.get_text() for tick in ax.get_yticklabels()]
    part = next(p for p in ax.collections if rows[int(p.get_offsets()[0][1])] == "length")
    assert {tuple(colour[:3]) for colour in part.get_facecolors()} >= {(1.0, 1.0, 1.0)}


def test_long_tables_are_cut_and_empty_results_said(found):
    X = np.random.default_rng(0).normal(size=(100, 30))
    ax = redundancy(find_redundant(np.hstack([X, X])), n_rows=10)
    assert len(ax.get_yticks()) == 10
    assert ax.get_legend().get_title().get_text() == "50 more are not shown"
    assert words(redundancy(find_redundant(X))) == ["no column follows from others"]
    import matplotlib.pyplot as plt

    given = plt.figure().subplots()
    assert redundancy(found, given) is given


def test_other_results_are_refused(found):
    with pytest.raises(InputError, match="dict has no redundancy to draw: use the result of find_redundant"):
        redundancy({})
    with pytest.raises(InputError, match="n_rows must be ≥ 1"):
        redundancy(found, n_rows=0)
