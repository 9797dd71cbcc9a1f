"""The charts' JavaScript takes seconds to make and goes to the user's cache: in-process runs do without it."""

import pytest

from tamis.report import bundle


@pytest.fixture(autouse=True)
def small_bundle(monkeypatch):
    monkeypatch.setattr(bundle, "javascript", lambda: "window.vegaEmbed=null;")
