"""The charts' JavaScript takes seconds to make and goes to the user's cache: in-process runs do without it. Comparisons
are small ones."""

import pytest

from small_comparisons import make_small
from tamis.report import bundle


@pytest.fixture(autouse=True)
def small_bundle(monkeypatch):
    monkeypatch.setattr(bundle, "javascript", lambda: "window.vegaEmbed=null;")


@pytest.fixture(autouse=True)
def small_comparisons(monkeypatch):
    make_small(monkeypatch)
