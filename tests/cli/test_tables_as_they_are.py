"""Tables with gaps in the target, dates, codes, copies of the target and identifiers."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cli.tables import write_csv
from tamis.cli import main

ONE = ("--method", "search", "--no-nested")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def table(here):
    """120 rows: x tells y, which is missing in three rows; a date, a zip code, a copy of y, and a number of the row."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    y = np.where(x + 0.5 * rng.normal(size=120) > 0, "up", "down").tolist()
    days = [f"2024-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(120)]
    rows = [
        [f"{x[i]:.4f}", days[i], int(rng.integers(10_000, 99_999)), y[i], 1000 + i, "" if i in (3, 50, 119) else y[i]]
        for i in range(120)
    ]
    return write_csv(here / "t.csv", ("x", "seen", "zip_code", "copy", "number", "y"), rows)


def as_json(capfd, *arguments):
    assert main(["select", *map(str, arguments), "--target", "y", "--json"]) == 0
    return json.loads(capfd.readouterr().out)


@pytest.mark.parametrize("method", [(), ONE], ids=["compared", "one"])
def test_rows_without_a_target_are_left_out_with_a_note(table, capfd, method):
    found = as_json(capfd, table, "--drop", "copy", "-k", "1", *method)
    assert found["data"]["rows"] == 117
    assert "the target 'y' is missing in 3 of 120 rows: they were left out" in found["data"]["warnings"]
    assert found["selected"] == ["x"]


def test_dates_are_numbers_on_request(table, capfd):
    found = as_json(capfd, table, *ONE)
    assert {"column": "seen", "reason": "dates: --dates number takes them as days since 1970"} in found["data"][
        "left_out"
    ]
    found = as_json(capfd, table, *ONE, "--dates", "number")
    assert "seen" in {c["column"] for c in found["columns"]}


def test_a_code_is_noted(table, capfd):
    notes = as_json(capfd, table, *ONE)["data"]["warnings"]
    assert any(note.startswith("'zip_code' looks like a code") for note in notes)


def test_a_copy_of_the_target_is_a_suspected_leak(table, capfd):
    found = as_json(capfd, table)
    leaks = [note for note in found["data"]["warnings"] if "a suspected leak" in note]
    assert len(leaks) == 1
    assert "‘copy’ tells nearly all" in leaks[0]
    assert not [note for note in as_json(capfd, table, "--drop", "copy")["data"]["warnings"] if "leak" in note]


def test_an_identifier_is_left_out_unless_it_is_included(table, capfd):
    found = as_json(capfd, table, *ONE)
    assert any(item["column"] == "number" and "identifier" in item["reason"] for item in found["data"]["left_out"])
    found = as_json(capfd, table, *ONE, "--include", "number")
    assert "number" in {c["column"] for c in found["columns"]}
    assert "number" not in found["selected"]


def test_the_number_of_the_row_is_left_out_of_a_table_sorted_by_its_target(here, capfd):
    y = np.sort(np.random.default_rng(1).normal(size=90))
    x = y + np.random.default_rng(2).normal(size=90)
    path = write_csv(
        here / "s.csv", ("row", "x", "y"), [[i + 1, a, b] for i, (a, b) in enumerate(zip(x, y, strict=True))]
    )
    found = as_json(capfd, path, *ONE)
    reason = "identifier: every row has its own value; --include uses it"
    assert found["data"]["left_out"] == [{"column": "row", "reason": reason}]
    assert "row" in {c["column"] for c in as_json(capfd, path, *ONE, "--include", "row")["columns"]}
