"""Values too large, too small or of no kind that can be learned from, and gaps: one line or one note each."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest

from cli.tables import write_csv
from cli.test_bad_tables import assert_one_line, run
from tamis.sources.files import FORMATS


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def numbers(name, *, x=1.0, y=1.0, n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    rows = [(repr(float(a * x)), b, c, repr(float((a + b) * y))) for a, b, c in X.tolist()]
    return write_csv(name, ("a", "b", "c", "y"), rows)


@pytest.mark.parametrize("verb", ["select", "fit"])
@pytest.mark.parametrize("y", [1e-320, 1e-200, 1e200, 1e307])
def test_target_whose_square_is_no_number_is_refused(verb, y, here, capfd):
    assert_one_line(*run(capfd, verb, numbers(here / "t.csv", y=y), "-t", "y"), "y", "square", "another unit")


@pytest.mark.parametrize("verb", ["select", "fit"])
@pytest.mark.parametrize("options", [{"x": 5e307}, {"y": 5e307}])
def test_sums_beyond_the_largest_number_are_one_line(verb, options, here):
    """In a process of its own, where NumPy's warnings would be printed."""
    table = numbers(here / "t.csv", n=600, **options)
    words = [sys.executable, "-m", "tamis", verb, str(table), "-t", "y"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert_one_line(done.returncode, done.stdout, done.stderr)


def test_predictions_too_large_are_left_empty_with_a_note(here, capfd):
    table = numbers(here / "t.csv", n=60)
    new = write_csv(here / "new.csv", ("a", "b", "c"), [(1, 1, 1), (1.7e308, 1.7e308, 1), (-1.7e308, -1.7e308, 1)])
    code, out, err = run(
        capfd, "fit", table, "-t", "y", "--predict", new, "--json", "--out", "m.skops", "--rule", "min"
    )
    assert code == 0
    assert [value is None for value in json.loads(out)["predictions"]["prediction"]] == [False, True, True]
    assert "too large for a number in 2 of 3 rows" in err
    code, out, err = run(capfd, "fit", "--model", "m.skops", "--predict", new)
    assert [row["prediction"] == "" for row in csv.DictReader(io.StringIO(out))] == [False, True, True]
    assert "too large for a number in 2 of 3 rows" in err


@pytest.mark.parametrize("verb", ["select", "fit"])
def test_target_of_lists_is_called_so(verb, here, capfd):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"a": np.arange(40) % 7 / 3, "y": [[1, 2], [3]] * 20}), "lists.parquet")
    assert_one_line(*run(capfd, verb, "lists.parquet", "-t", "y"), "'y' holds", "list", "neither numbers nor labels")


@pytest.mark.parametrize("separator", [" ", "|", "   "])
def test_separator_that_is_not_recognised_is_said(separator, here, capfd):
    lines = [separator.join(map(str, row)) for row in [("a", "b", "y"), *((i, i * i % 7, i % 2) for i in range(40))]]
    (here / "t.txt").write_text("\n".join(lines))
    assert_one_line(*run(capfd, "select", "t.txt", "-t", "y"), "separator was not recognised")
    assert run(capfd, "fit", numbers(here / "n.csv"), "-t", "y", "--out", "m.skops")[0] == 0
    assert_one_line(*run(capfd, "fit", "--model", "m.skops", "--predict", "t.txt"), "separator was not recognised")


def test_one_column_of_one_word_has_no_other_separator(here, capfd):
    (here / "t.csv").write_text("y\n" + "1\n2\n" * 20)
    assert "separator" not in run(capfd, "select", "t.csv", "-t", "z")[2]


@pytest.mark.parametrize("verb", ["select", "fit"])
def test_help_names_every_ending_that_is_read(verb, capfd):
    words = " ".join(run(capfd, verb, "--help")[1].replace("│", " ").split())
    assert [ending for ending in FORMATS if ending not in words] == []


def test_complaints_about_options_point_to_the_help_of_their_verb(here, capfd):
    message = run(capfd, "select", "t.csv", "-t", "y", "--search", "foward")
    assert_one_line(*message, "did you mean 'forward'", "(tamis select --help)")


@pytest.fixture
def gaps(here):
    rng = np.random.default_rng(0)
    rows = [(x, ("red", "blue", "")[i % 3], x + (i % 3 == 0)) for i, x in enumerate(rng.normal(size=60).tolist())]
    return write_csv(here / "gaps.csv", ("x", "colour", "y"), rows)


@pytest.mark.parametrize("verb", ["select", "fit"])
def test_missing_labels_come_with_a_note(verb, gaps, capfd):
    code, _, err = run(capfd, verb, gaps, "-t", "y")
    assert code == 0
    assert any("missing labels" in line and "colour" in line and "(20)" in line for line in err.splitlines())


def test_missing_labels_of_new_rows_come_with_a_note(gaps, here, capfd):
    run(capfd, "fit", gaps, "-t", "y", "--out", "m.skops")
    new = write_csv(here / "new.csv", ("x", "colour"), [(1, "red"), (2, "")])
    assert "'colour' is missing in 1 row: 0 for each of its labels" in run(
        capfd, "fit", "--model", "m.skops", "--predict", new
    )[2].replace("‘", "'").replace("’", "'")
