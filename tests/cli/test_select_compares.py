"""``tamis select`` without a method compares methods: the headline, the columns, the page, and the same in Python."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import tamis
from cli.tables import plants, write_csv
from tamis.cli import main

TARGET = ("--target", "y")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(path, *, noise=False, n=120, p=6):
    """y is up where x1 − x4 is above 0; or where a coin says so."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = rng.normal(size=n) if noise else X[:, 1] - X[:, 4] + 0.3 * rng.normal(size=n)
    shop, day = np.arange(n) % 20, rng.permutation(n)
    rows = [[*row, f"s{s}", int(d), "up" if v > 0 else "down"] for row, s, d, v in zip(X, shop, day, y, strict=True)]
    return write_csv(path, [*(f"x{j}" for j in range(p)), "shop", "day", "y"], rows)


def as_json(capfd, *arguments):
    assert main(["select", *map(str, arguments), *TARGET, "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def test_the_headline_the_columns_and_the_page(here, capfd):
    assert main(["select", str(table(here / "t.csv")), *TARGET, "--drop", "shop"]) == 0
    out, err = capfd.readouterr()
    first = out.splitlines()[0]
    assert first.startswith("2 of 6 columns: AUC 0.")
    assert "in rows never used to choose; all 6 give 0." in first
    assert "columns = ['x" in out
    assert "Page: tamis-report.html" in err
    assert "left out day: identifier" in err
    page = (here / "tamis-report.html").read_text(encoding="utf-8")
    order = [page.index(words) for words in (
        first, "The chosen columns", "Score against number", "side by side", "by itself</h2>", "How it was done",
        "In Python, the same columns",
    )]  # fmt: skip
    assert order == sorted(order)


def test_on_noise_the_headline_says_that_nothing_is_better_than_none(here, capfd):
    found = as_json(capfd, table(here / "t.csv", noise=True, n=60), "--drop", "shop")
    assert found["answer"][0].startswith("No set of columns is shown to be better than none: AUC 0.")
    assert found["selected"] == []
    assert not found["recommended"]["better_than_none"]
    assert all(c["chosen"] is None for c in found["columns"])


def test_the_python_lines_of_the_page_give_the_same_columns(here, capfd):
    """Executed as they are printed; the chosen columns come in the same order."""
    found = as_json(capfd, table(here / "t.csv"), "--drop", "shop", "--keep", "x0")
    held: dict = {}
    lines = found["python"].splitlines()
    exec("\n".join(lines[:-1]), held)
    assert held["found"].selected_features_ == found["selected"]
    assert lines[-1] == f"found.selected_features_  # {found['selected']!r}"
    assert {"x0", "x1", "x4"} <= set(found["selected"])


def test_as_many_columns_as_asked_for(here, capfd):
    found = as_json(capfd, table(here / "t.csv"), "--drop", "shop", "-k", "1")
    assert len(found["selected"]) == 1
    assert found["recommended"]["size"] == 1


def test_groups_and_order_of_time_are_no_candidates(here, capfd):
    path = table(here / "t.csv")
    found = as_json(capfd, path, "--groups", "shop", "-k", "2")
    assert "shop" not in {c["column"] for c in found["columns"]}
    found = as_json(capfd, path, "--time-order", "day", "--drop", "shop", "-k", "2")
    assert "day" not in {c["column"] for c in found["columns"]}
    assert any("in the order of 'day'" in note for note in found["data"]["warnings"])


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--groups", "shop", "--time-order", "day"], "give one of them"),
        (["--time-order", "shop"], "--time-order 'shop' holds labels"),
        (["--time-order", "dy"], "did you mean 'day'"),
        (["--keep", "day", "--time-order", "day"], "--keep 'day' is the column of --time-order"),
        (["--include", "x9"], "--include names 'x9', which is not a column"),
        (["--n-features", "99"], "--n-features"),
        (["--time", "0"], "--time"),
    ],
)
def test_complaints(here, capfd, arguments, words):
    assert main(["select", str(table(here / "t.csv")), *TARGET, *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert words in err


def test_effect_has_its_sign_and_labels_have_theirs(here, capfd):
    found = as_json(capfd, table(here / "t.csv"), "--drop", "shop", "-k", "2")
    effects = {c["column"]: c["effect"] for c in found["columns"] if c["chosen"]}
    assert effects["x1"]["value"] > 0 > effects["x4"]["value"]
    assert effects["x1"]["class"] == "up"
    assert main(["select", str(plants(here / "plants.csv")), "-t", "bloom", "--keep", "colour", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert {c["column"]: c["effect"] for c in found["columns"]}["colour"]["level"] in ("red", "blue", "white")


def test_a_minute_that_does_not_suffice_is_no_error(here, capfd, monkeypatch):
    """Where nobody gave a time; a time that was given and is over is one."""
    monkeypatch.setattr("tamis.studies.select.SECONDS", 1e-9)
    found = as_json(capfd, table(here / "t.csv"), "--drop", "shop")
    assert set(found["selected"]) == {"x1", "x4"}
    assert any("one method only" in note for note in found["data"]["warnings"])
    assert main(["select", str(here / "t.csv"), *TARGET, "--time", "1e-9"]) == 2
    assert "--time 1e-09 s was over" in capfd.readouterr().err


def test_names_are_not_markup(here, capfd):
    rows = [(f"{i * 7 % 11}.5", f"{i % 3}.25", i % 2) for i in range(60)]
    path = write_csv(here / "t.csv", ("[bold]x[/bold]", "</script><b>", "y"), rows)
    assert main(["select", str(path), *TARGET]) == 0
    assert "[bold]x[/bold]" in capfd.readouterr().out
    assert "</script><b>" not in (here / "tamis-report.html").read_text(encoding="utf-8")


def test_a_notebook_shows_the_page(here):
    found = tamis.select(str(table(here / "t.csv")), "y", drop=["shop"], methods="mrmr", n_features=2)
    assert found.selected_features_ == [str(name) for name in found.comparison_.recommended_.features]
    assert str(found).startswith("2 of 6 columns: AUC 0.")
    assert found._repr_html_().startswith("<iframe srcdoc=")
    found.save(here / "page.html")
    assert (here / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_frame_says_the_same_as_its_file(here):
    pandas = pytest.importorskip("pandas")
    path = table(here / "t.csv")
    asked = {"drop": ["shop"], "methods": "mrmr", "n_features": 2}
    of_frame = tamis.select(pandas.read_csv(path), "y", **asked)
    assert of_frame.selected_features_ == tamis.select(path, "y", **asked).selected_features_
    with pytest.raises(tamis.InputError, match="did you mean 'y'"):
        tamis.select(pandas.read_csv(path), "yy")


IN_LESS_TIME = (
    "from tamis.studies import demo; from tamis.cli import main; demo.SECONDS = 8.0; raise SystemExit(main(['demo']))"
)


@pytest.mark.parametrize("how", [["-c", IN_LESS_TIME], pytest.param(["-m", "tamis", "demo"], marks=pytest.mark.deep)])
def test_the_demo_as_a_program(here, how):
    """The one run with everything at its size, as somebody types it first; in a third of its time."""
    done = subprocess.run([sys.executable, *how], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "of 30 columns: AUC 0.9" in done.stdout
    assert "malignant" in done.stderr
    assert "Traceback" not in done.stderr
    assert (here / "tamis-report.html").stat().st_size < 5_000_000
