"""Files are written whole or not at all; the bundle is made once."""

from __future__ import annotations

import os

import pytest

from tamis._core.errors import InputError
from tamis.report import bundle
from tamis.report.files import check_writable, replace_file


def test_file_is_replaced(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    replace_file(path, "new ✓")
    assert path.read_text(encoding="utf-8") == "new ✓"
    assert os.listdir(tmp_path) == ["report.html"]


def test_failure_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        replace_file(path, "half\ud800")  # a lone surrogate cannot be written
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_new_file_has_the_usual_mode(tmp_path):
    replace_file(tmp_path / "report.html", "x")
    (tmp_path / "plain").write_text("x")
    assert (tmp_path / "report.html").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize(
    ("path", "why"),
    [("missing/report.html", "does not exist"), ("folder", "is a folder"), ("file/report.html", "is a file")],
)
def test_unwritable_paths_say_why(tmp_path, path, why):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=why):
        check_writable(tmp_path / path)


def test_check_leaves_nothing_behind(tmp_path):
    assert check_writable(tmp_path / "report.html") == tmp_path / "report.html"
    assert os.listdir(tmp_path) == []


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
