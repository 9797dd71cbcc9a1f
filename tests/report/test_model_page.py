"""The page of ``tamis fit``: its answer first, what it shows, and Python lines that give the same model."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cli.tables import plants, write_csv
from tamis.cli import main
from tamis.report import bundle
from tolerances import AGREE


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setattr(bundle, "javascript", lambda: "window.vegaEmbed=null;")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def numbers(here, n: int = 90, classes: int = 0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    score = 2 * X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=n)
    y = score if not classes else np.digitize(score, [-1, 1])
    target = [f"c{v}" if classes else f"{v:.4f}" for v in y]
    rows = [[i, *(f"{v:.4f}" for v in X[i]), target[i]] for i in range(n)]
    return str(write_csv(here / "t.csv", ("row", "up", "down", "<script>alert(1)</script>", "d", "y"), rows))


def test_the_page_begins_with_the_answer(here, capfd):
    assert main(["fit", numbers(here), "-t", "y", "--id", "row"]) == 0
    out, err = capfd.readouterr()
    assert "Report: tamis-report.html" in err
    text = (here / "tamis-report.html").read_text(encoding="utf-8")
    first = re.search(r'<div class="answer"><p><b>(.*?)</b>', text)
    assert first is not None
    assert first[1].startswith("The lasso of ‘y’ keeps ")
    assert first[1] in out
    assert re.search(r'class="minus"[^>]*></i><span>−', text)  # to the left
    assert "<script>alert" not in text
    assert text.count('id="curve"') == text.count('id="path0"') == 1


@pytest.mark.parametrize(
    "options",
    [
        [], ["--penalty", "elastic", "--l1-ratio", "0.7", "--rule", "min"], ["--loss", "huber", "--rule", "bic"],
        ["--best-subset", "1-3"], ["--best-subset", "2"], ["--penalty", "mcp", "--drop", "d"],
        ["--penalty", "group", "--groups", "up,down", "--cv", "3"],
    ],
)  # fmt: skip
def test_the_python_lines_give_the_same_model(here, capfd, options):
    from tamis.studies.saved_model import load

    assert main(["fit", numbers(here), "-t", "y", "--id", "row", "--out", "m.skops", *options]) == 0
    text = (here / "tamis-report.html").read_text(encoding="utf-8")
    lines = re.search(r'<pre id="python">(.*?)</pre>', text, re.DOTALL)
    assert lines is not None
    import html

    found: dict = {}
    exec(html.unescape(lines[1]), found)
    model = load(here / "m.skops").model
    np.testing.assert_allclose(found["model"].coef_, model.coef_, rtol=AGREE, atol=AGREE)


def test_classes_have_a_path_each(here, capfd):
    assert main(["fit", numbers(here, 60, classes=3), "-t", "y", "--no-nested", "--report", "page.html"]) == 0
    text = (here / "page.html").read_text(encoding="utf-8")
    assert [f'id="path{k}"' in text for k in range(4)] == [True, True, True, False]
    assert "<h3>c0</h3>" in text


def test_labels_and_a_model_without_columns(here, capfd):
    assert main(["fit", str(plants(here / "p.csv")), "-t", "bloom", "--no-nested"]) == 0
    assert "label ‘red’" in (here / "tamis-report.html").read_text(encoding="utf-8")
    rng = np.random.default_rng(1)
    write_csv(here / "n.csv", ("a", "b", "y"), rng.normal(size=(40, 3)).tolist())
    assert main(["fit", "n.csv", "-t", "y"]) == 0
    assert "keeps no column" in (here / "tamis-report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("options", [["--json"], ["--predict", "t.csv"]])
def test_no_page_where_a_program_reads_the_answer(here, capfd, options):
    assert main(["fit", numbers(here), "-t", "y", *options]) == 0
    assert not (here / "tamis-report.html").exists()


def test_a_saved_model_has_no_page(here, capfd):
    assert main(["fit", numbers(here), "-t", "y", "--out", "m.skops"]) == 0
    assert main(["fit", "--model", "m.skops", "--report", "p.html"]) == 2
    assert "--report is for fitting" in capfd.readouterr().err
