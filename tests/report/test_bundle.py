"""The bundle is made once, and a damaged one is made again."""

from __future__ import annotations

import pytest

from tamis.report import bundle


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    bundle.javascript.cache_clear()
    yield tmp_path / "tamis"
    bundle.javascript.cache_clear()


def test_bundle_is_kept_and_cannot_end_its_script_element(cache):
    made = bundle.javascript()
    assert bundle.MARK in made
    assert "</script" not in made.lower()
    assert [path.read_text(encoding="utf-8") for path in cache.iterdir()] == [made]


def test_kept_bundle_is_used(cache):
    cache.mkdir()
    kept = cache / f"vega-{bundle._maker()}.js"
    kept.write_text("window.vegaEmbed=1;")
    assert bundle.javascript() == "window.vegaEmbed=1;"


def test_damaged_bundle_is_made_again(cache, monkeypatch):
    monkeypatch.setattr(
        bundle, "need", lambda *_, **__: type("Maker", (), {"javascript_bundle": lambda: "window.vegaEmbed=2;"})
    )
    cache.mkdir()
    (cache / f"vega-{bundle._maker()}.js").write_text("cut of")
    assert bundle.javascript() == "window.vegaEmbed=2;"
