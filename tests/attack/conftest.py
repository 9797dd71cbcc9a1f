"""Says which of the two runs this is."""

from __future__ import annotations

import pytest

from attack.profiles import LONG, attack
from tamis.report import bundle


def pytest_report_header() -> str:
    return f"attack: {'long' if LONG else 'short'}, {attack.max_examples:,} cases of each generator"


@pytest.fixture(autouse=True)
def small_bundle(monkeypatch):
    """The charts' JavaScript takes seconds to make and goes to the user's cache: in-process runs do without it."""
    monkeypatch.setattr(bundle, "javascript", lambda: "window.vegaEmbed=null;")
