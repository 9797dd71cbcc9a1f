"""Tables whose names steer terminals or are endless: what is printed is short and visible, JSON and CSV are exact."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cli.tables import write_csv
from cli.test_bad_tables import run

NAMES = {"line breaks": "first\nsecond\r\nthird", "escapes": "\x1b[31mred\x1b[0m\x07", "endless": "n" * 100_000}
LABELS = {"line breaks": "yes\nno", "escapes": "\x1b]0;title\x07", "endless": "l" * 50_000}


@pytest.fixture(params=NAMES)
def strange(request, tmp_path, monkeypatch):
    """A table with a strange name, a strange label among the columns and strange classes."""
    monkeypatch.chdir(tmp_path)
    name, label = NAMES[request.param], LABELS[request.param]
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    rows = [
        (f"{v:.3f}", label if v > 0.5 else "other", i % 7, "" if i % 9 == 0 else i % 5, label if v > 0 else "no")
        for i, v in enumerate(x)
    ]
    return name, label, write_csv(tmp_path / "t.csv", (name, name + "2", "c", name + "3", name + "y"), rows)


def assert_readable(text):
    assert all(c.isprintable() or c == "\n" for c in text)
    assert len(text) < 20_000


@pytest.mark.parametrize("verb", ["select", "fit"])
def test_terminal_is_not_steered(verb, strange, capfd):
    name, _, table = strange
    code, out, err = run(capfd, verb, table, "--target", name + "y")
    assert code == 0, err
    assert_readable(out)
    assert_readable(err)


def test_report_is_not_endless(strange, capfd, tmp_path):
    name, _, table = strange
    assert run(capfd, "select", table, "--target", name + "y", "--out", tmp_path / "r.html")[0] == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "\x1b" not in page.replace(json.dumps("\x1b"), "").partition("<pre>")[0]
    assert len(page) < 500_000


@pytest.mark.parametrize("verb", ["select", "fit"])
def test_document_has_the_exact_names(verb, strange, capfd):
    name, _, table = strange
    code, out, err = run(capfd, verb, table, "--target", name + "y", "--json")
    assert code == 0
    found = json.loads(out)
    key = "columns" if verb == "select" else "coefficients"
    assert name in {row["column"] for row in found[key]}
    assert found["question"]["target"] == name + "y"
    assert_readable(err)


@pytest.mark.parametrize("verb", ["select", "fit"])
@pytest.mark.parametrize(
    "option", [["--target", "{}z"], ["--target", "{}y", "--drop", "{}z"], ["--target", "{}y", "--drop", "{}y"]]
)
def test_complaint_is_one_short_line(verb, option, strange, capfd):
    name, _, table = strange
    code, out, err = run(capfd, verb, table, *[word.format(name) for word in option])
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert_readable(err)


def test_identifier_can_be_kept(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    table = write_csv(tmp_path / "t.csv", ("id", "x", "y"), [(i, rng.normal(), rng.normal()) for i in range(200)])
    for verb in ("select", "fit"):
        left = json.loads(run(capfd, verb, table, "--target", "y", "--json")[1])["data"]["left_out"]
        assert [item["column"] for item in left] == ["id"]
        kept = json.loads(run(capfd, verb, table, "--target", "y", "--json", "--include", "id")[1])
        assert kept["data"]["left_out"] == []
        assert "--include id" in kept["question"]["command"]
    assert "id" in json.loads(run(capfd, "select", table, "-t", "y", "--json", "--keep", "id")[1])["selected"]
    code, _, err = run(capfd, "fit", table, "--target", "y", "--include", "x")
    assert code == 2
    assert "it is used anyway" in err
    code, _, err = run(capfd, "fit", table, "--target", "y", "--include", "z")
    assert code == 2
    assert "--include names 'z', which is not a column" in err


def test_number_of_the_row_is_left_out_of_a_table_sorted_by_its_target(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    x = np.random.default_rng(0).normal(size=80)
    rows = [(i, *row) for i, row in enumerate(sorted((v + 0.1 * np.sin(7 * k), v) for k, v in enumerate(x)))]
    table = write_csv(tmp_path / "t.csv", ("row", "y", "x"), rows)
    for verb in ("select", "fit"):
        quick = ["--no-nested", *(["--method", "search"] if verb == "select" else [])]
        code, _, err = run(capfd, verb, table, "--target", "y", *quick)
        assert code == 0
        assert "row: identifier: every row has its own value; --include uses it" in err
    assert "&#39;row&#39;" in (tmp_path / "tamis-report.html").read_text()  # the Python lines leave it out too


def test_dates_are_used_as_days_and_predicted(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    days = rng.permutation(300)[:120]
    when = (np.datetime64("2020-01-01") + days).astype(str)
    rows = [(d, f"{v:.4f}", f"{0.25 * k + v:.4f}") for d, k, v in zip(when, days, rng.normal(size=120), strict=True)]
    table = write_csv(tmp_path / "t.csv", ("when", "x", "y"), rows)
    found = json.loads(run(capfd, "fit", table, "--target", "y", "--json", "--rule", "min", "--out", "m.skops")[1])
    slope = next(row["coefficient"] for row in found["coefficients"] if row["column"] == "when")
    assert slope == pytest.approx(0.25, rel=0.02)  # one standard error of the slope is 0.001, and the lasso shrinks
    new = write_csv(tmp_path / "new.csv", ("x", "when"), [(0, "2020-01-01"), (0, "2020-04-10")])
    code, out, err = run(capfd, "fit", "--model", "m.skops", "--predict", new)
    assert code == 0, err
    first, second = (float(v) for v in out.split()[1:])
    assert second - first == pytest.approx(100 * slope, rel=1e-9)
    numbers = write_csv(tmp_path / "new.csv", ("x", "when"), [(0, 18262), (0, 18362)])
    code, _, err = run(capfd, "fit", "--model", "m.skops", "--predict", numbers)
    assert code == 2
    assert "column 'when' holds numbers, but the model was fitted on dates there" in err
