"""The page of ``tamis select`` in Chromium: it sorts, filters, copies, follows the theme, prints, and loads nothing."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import tamis
from small_comparisons import make_small
from small_inputs import write_inputs
from tamis.cli import main

playwright = pytest.importorskip("playwright.sync_api", reason="no browser tests: pip install playwright")
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="no browser tests: pip install axe-playwright-python"
)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no browser tests: apt install chromium")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Nine columns, two of which tell the class; one is called like markup."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("vl_convert")
    rng = np.random.default_rng(0)
    X = pandas.DataFrame(rng.normal(size=(120, 9)), columns=[*(f"x{j}" for j in range(8)), "<script>alert(1)</script>"])
    X["colour"] = rng.choice(["red", "blue"], 120)
    X["y"] = np.where(X.x1 - X.x4 > 0, "up", "down")
    with pytest.MonkeyPatch.context() as patch:
        make_small(patch)
        found = tamis.select(X, "y", methods=["mrmr", "lasso"])
    path = tmp_path_factory.mktemp("page") / "page.html"
    found.save(path)
    return path, found.selected_features_


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as p:
        opened = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser, file):
    """Open; whatever goes wrong in it fails the test."""
    context = browser.new_context(viewport={"width": 1100, "height": 900}, permissions=["clipboard-read"])
    opened, wrong = context.new_page(), []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    opened.on("request", lambda request: wrong.append(request.url) if not request.url.startswith("file:") else None)
    opened.goto(file[0].as_uri())
    opened.wait_for_selector("#curves svg")
    yield opened
    assert wrong == []
    context.close()


def names(page, table="#ranking"):
    return page.eval_on_selector_all(f"{table} tbody tr:not([hidden]) td.name", "cells => cells.map(c => c.dataset.v)")


def test_a_column_sorts_both_ways(page):
    first = names(page)
    button = page.locator("#ranking th button", has_text="column")
    button.click()
    assert names(page) == sorted(first)
    button.click()
    assert names(page) == sorted(first, reverse=True)
    page.locator("#ranking th button", has_text="rank").click()
    assert names(page) == first


def test_names_are_filtered(page):
    page.fill("#filter", "X1")
    assert names(page) == ["x1"]
    page.fill("#filter", "")
    assert len(names(page)) == 10


def test_the_python_list_is_copied(page, file):
    page.locator("button.copy").first.click()
    page.wait_for_function("document.querySelector('button.copy').textContent === 'copied'")
    assert page.locator("#list").text_content() == repr(file[1])


def test_nothing_is_cut_at_any_width(page):
    for width in (1280, 1100, 800, 400):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(  # charts are drawn again a moment later
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth", timeout=10_000
        )
        cut = page.eval_on_selector_all(
            ".scroll", "boxes => boxes.filter(b => b.scrollWidth > b.clientWidth + 1).length"
        )
        assert width < 1000 or cut == 0, f"{cut} tables are cut at {width}"


def test_the_theme_is_followed(page):
    colours = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(set(colours)) == 2


def test_it_prints_without_buttons(page):
    page.emulate_media(media="print")
    assert page.locator("button.copy").first.is_hidden()
    assert page.evaluate("getComputedStyle(document.querySelector('thead')).display") == "table-header-group"
    assert page.pdf()[:4] == b"%PDF"


def test_charts_and_small_pictures_say_what_they_show(page):
    assert page.get_attribute("#curves", "aria-label").startswith("AUC against the number of columns")
    pictures = page.locator("svg.spread")
    assert pictures.count() >= 10
    assert "most often" in pictures.first.get_attribute("aria-label")


def test_a_name_is_only_a_name(page):
    assert "<script>alert(1)</script>" in names(page)
    assert page.locator("#ranking script").count() == 0


def serious(page):
    """Findings of axe-core that keep somebody from reading or using the page."""
    found = axe.Axe().run(page).response["violations"]
    return {
        v["id"]: [node["html"][:200] for node in v["nodes"]] for v in found if v["impact"] in ("serious", "critical")
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page, scheme):
    page.emulate_media(color_scheme=scheme)
    assert serious(page) == {}


def test_two_thousand_columns_stay_small_and_quick(browser, tmp_path):
    """Under 5 MB, drawn and sorted within seconds, and every chosen column in the table."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pandas.DataFrame(rng.normal(size=(60, 2000)), columns=[f"gene_{j:04}" for j in range(2000)])
    X["y"] = np.where(X.gene_0007 > 0, "up", "down")
    with pytest.MonkeyPatch.context() as patch:
        make_small(patch)
        found = tamis.select(X, "y", methods=["mrmr"])
    path = tmp_path / "wide.html"
    found.save(path)
    assert path.stat().st_size < 5e6
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("#curves svg")
    took = page.evaluate(
        """() => { const begin = performance.now();
        [...document.querySelectorAll('#ranking th button')].find(b => b.textContent.trim() === 'column').click();
        document.body.offsetHeight; return performance.now() - begin; }"""
    )
    assert took < 2000  # milliseconds, on a machine that does other things too
    assert set(found.selected_features_) <= set(names(page))
    page.close()


COMMANDS = {
    "select": ["select", "t.csv", "-t", "k", "--method", "search", "--out", "page.html"],
    "fit": ["fit", "t.csv", "-t", "k", "--no-nested", "--report", "page.html"],
    "components": ["components", "t.csv", "--label", "k", "--out", "page.html"],
    "dictionary": ["dictionary", "p.png", "--atoms", "8", "--patch", "4", "--sweeps", "2", "--n-nonzero", "2"],
    "denoise": ["denoise", "p.png", "c.png", "--atoms", "16", "--patch", "4", "--sweeps", "1"],
    "recover": ["recover", "p.png", "--rate", "0.5"],
    "complete": ["complete", "r.csv", "--user", "u", "--item", "i", "--value", "r"],
    "separate": ["separate", "frames", "--out", "separated"],
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder, third="<b>r")
    return folder


@pytest.mark.parametrize("verb", COMMANDS)
def test_pages_of_all_verbs_open_without_a_fault(verb, inputs, browser, monkeypatch):
    """One look: a heading, then a sentence; no error, no request, nothing serious for axe-core, light and dark."""
    monkeypatch.chdir(inputs)
    report = [] if verb in ("select", "fit", "components", "separate") else ["--report", "page.html"]
    assert main([*COMMANDS[verb], *report]) == 0
    page, wrong = browser.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on(
        "request", lambda r: wrong.append(r.url[:100]) if not r.url.startswith(("file:", "data:", "blob:")) else None
    )
    page.goto((inputs / ("separated/index.html" if verb == "separate" else "page.html")).as_uri())
    assert page.locator("h1").count() == 1
    assert page.locator(".answer p").first.text_content().strip().endswith(".")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert serious(page) == {}
    assert wrong == []
    page.close()
