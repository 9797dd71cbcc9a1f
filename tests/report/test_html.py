"""The page is complete in itself, and nothing a table holds can escape into it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from report.example import summary
from tamis.report import bundle
from tamis.report.html import render, script_json

EVIL = "</script><script>alert(1)</script>"


class Page(HTMLParser):
    """Tags with their attributes, and the text inside scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script":
            self.scripts.append(data)


@pytest.fixture(autouse=True)
def small_bundle(monkeypatch):
    """The bundle is vl-convert's business and takes seconds: one test makes it, the others stand in for it."""
    monkeypatch.setattr(bundle, "javascript", lambda: "window.vegaEmbed=null;")


def test_page_loads_nothing():
    page = Page(render(summary()))
    loading = [
        (tag, a) for tag, a in page.tags if {"src", "href", "srcset", "data"} & set(a) or tag in ("link", "iframe")
    ]
    assert loading == []
    assert "@import" not in render(summary())
    assert not re.search(r"url\s*\(", render(summary()))


@pytest.mark.parametrize("where", ["column", "target", "class", "level", "table", "reason"])
def test_names_from_the_table_stay_text(where):
    calm, evil = render(summary()), render(summary(**{where: EVIL}))
    assert "alert(1)" in evil, "the name is shown"
    assert EVIL not in evil
    elements = [[tag for tag, _ in Page(text).tags if tag != "wbr"] for text in (calm, evil)]
    assert elements[0] == elements[1], "and adds no element but places where its line may break"


def test_chart_names_survive_the_script_element():
    page = Page(render(summary(column=EVIL)))
    charts = next(json.loads(text) for text in page.scripts if text.startswith('{"lassos"'))
    assert charts["lassos"][0]["legend"][0]["name"] == EVIL


@pytest.mark.parametrize("text", [EVIL, "<!--", "\u2028", "&lt;", 'quote " and \\'])
def test_script_json_reads_back_and_holds_no_markup(text):
    written = script_json({"name": text})
    assert json.loads(written) == {"name": text}
    assert not set("<>&\u2028\u2029") & set(written)


def test_script_json_refuses_what_json_cannot_say():
    with pytest.raises(ValueError, match="Out of range"):
        script_json({"value": float("nan")})


def test_every_chosen_column_is_marked():
    text = render(summary())
    assert text.count('class="chosen"') == sum(1 for c in summary()["columns"] if c["chosen"])


def test_one_class_has_no_switch_and_three_have_one():
    assert 'id="which"' not in re.sub(r"<script.*?</script>", "", render(summary()), flags=re.S)
    assert 'id="which"' in re.sub(r"<script.*?</script>", "", render(summary(n_classes=3)), flags=re.S)


def test_names_break_after_their_signs_and_not_inside_words():
    page = render(summary(column="mean_corpuscular.volume"))
    assert "mean_<wbr>corpuscular.<wbr>volume" in page
    assert "td.name { font-weight: 550; min-width: 9.5rem; max-width: 22rem; overflow-wrap: break-word; }" in page


def test_the_penalty_of_entering_has_its_unit():
    assert "enters at α/α_max" in render(summary())
