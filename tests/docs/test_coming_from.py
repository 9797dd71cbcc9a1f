"""Every call in the columns "here" of the page for users of other libraries runs."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "coming-from.md").read_text(encoding="utf-8")
CALLS = [row.split(" | ")[1].strip("` ") for row in PAGE.splitlines() if re.match(r"\| `", row)]


@pytest.fixture(scope="module")
def names():
    table = {}
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], table)
    return table


@pytest.mark.parametrize("call", CALLS)
def test_our_call_runs(call, names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("skops")
    from tamis import plots

    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        assert eval(call, {**names, "plots": plots}) is not NotImplemented
    __import__("matplotlib.pyplot").pyplot.close("all")


def test_calls_were_found():
    assert len(CALLS) > 30
    assert all("(" in call for call in CALLS)
