"""The charts of a page and the plots draw the same numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from tamis import plots
from tamis.report.charts import cv_chart, path_chart, search_chart
from tamis.report.summary import DIGITS, summarise
from tamis.sources import as_source
from tamis.studies.select import SelectQuestion
from tamis.studies.select_answer import answer

pytest.importorskip("pyarrow")
pytest.importorskip("matplotlib").use("agg")
ROUNDED = 10.0 ** (1 - DIGITS)  # the page writes its numbers to five digits


@pytest.fixture(scope="module")
def found():
    frame = load_diabetes(as_frame=True).frame
    question = SelectQuestion(table=Path("diabetes.csv"), target="target", evaluation="linear_fit", n_features=(1, 4))
    return answer(question, as_source(frame, target="target"))


@pytest.fixture(scope="module")
def summary(found):
    return summarise(found)


def test_path(found, summary):
    lasso = summary["lassos"][0]
    lines = {line.get_label().lstrip("_"): line.get_ydata() for line in plots.path(found.lassos[0].model).lines}
    chart = path_chart(lasso)
    rows = chart["data"]["values"]
    named = {spec["s"]: spec["column"] for spec in chart["transform"][0]["from"]["data"]["values"]}
    assert len(named) > 5
    for s, column in named.items():
        drawn = [row["coefficient"] for row in rows if row["s"] == s]
        np.testing.assert_allclose(drawn, lines[column], rtol=ROUNDED, atol=1e-12)


def test_errors_along_the_path(found, summary):
    ax = plots.cv_curve(found.lassos[0].model)
    error = ax.lines[0].get_ydata()
    rows = cv_chart(summary["lassos"][0])["data"]["values"]
    np.testing.assert_allclose([row["error"] for row in rows], error / error[0], rtol=ROUNDED)
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert max(row["high"] for row in rows) == pytest.approx(band.max() / error[0], rel=2 * ROUNDED)


def test_history_of_the_search(found, summary):
    ax = plots.history(found.chosen.selector)
    (line,) = [np.column_stack(drawn.get_data()) for drawn in ax.lines if drawn.get_linestyle() == "-"]
    dots = np.column_stack(ax.lines[0].get_data())
    chart = search_chart(summary["search"])
    assert sorted((row["size"], row["score"]) for row in chart["data"]["values"]) == sorted(map(tuple, dots))
    (joined,) = [layer for layer in chart["layer"] if layer["mark"]["type"] == "line"]
    assert [(row["size"], row["score"]) for row in joined["data"]["values"]] == [tuple(point) for point in line]
