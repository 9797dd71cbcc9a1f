"""Excel files give the table that was put in, as the same table in a CSV file does."""

from __future__ import annotations

import datetime
import sys

import numpy as np
import pytest

from tamis import InputError, Lasso, as_source
from tamis._core.optional import need
from tamis.cli import main
from tamis.testing import check_source

openpyxl = pytest.importorskip("openpyxl")

HEADER = ["size", "colour", "day", "flag", "y"]
ROWS = [
    [1.5, "red", datetime.date(2024, 1, 1), True, 1],
    [2, "blue", datetime.date(2024, 1, 3), False, 2],
    [None, "red", None, True, 3],
    ["NA", None, datetime.date(2024, 1, 2), False, 4],
]


def write(path, **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


@pytest.fixture
def book(tmp_path):
    return write(tmp_path / "book.xlsx", first=[HEADER, *ROWS], second=[["a", "b"], [1, 2], [3, 4]])


def values(source):
    return np.concatenate([block.X for block in source.blocks()])


def test_numbers_labels_dates_and_gaps(book):
    source = as_source(book, target="y")
    assert source.names == HEADER[:-1]
    assert source.schema.columns[1].levels == ("blue", "red")
    X = values(source)
    np.testing.assert_array_equal(X[:, 0], [1.5, 2, np.nan, np.nan])
    np.testing.assert_array_equal(X[:, 1], [1, 0, 1, np.nan])
    np.testing.assert_array_equal(X[:, 2] - X[0, 2], [0, 2, np.nan, 1])
    np.testing.assert_array_equal(X[:, 3], [1, 0, 1, 0])


def test_the_same_as_csv(book, tmp_path):
    lines = [",".join("" if v is None else str(v).lower() if v in (True, False) else str(v) for v in r) for r in ROWS]
    (tmp_path / "t.csv").write_text("\n".join([",".join(HEADER), *lines]) + "\n")
    ours, theirs = as_source(book), as_source(tmp_path / "t.csv")
    assert ours.names == theirs.names
    assert ours.schema.kinds == theirs.schema.kinds
    np.testing.assert_array_equal(values(ours), values(theirs))


def test_laws_of_sources(book):
    check_source(as_source(f"{book}#second"))


def test_sheets_by_name_and_number(book):
    for sheet in ("second", "2"):
        np.testing.assert_array_equal(values(as_source(f"{book}#{sheet}")), [[1, 2], [3, 4]])
    with pytest.raises(InputError, match=r"no sheet 'secnd'.*second.*it has") as caught:
        as_source(f"{book}#secnd")
    assert "\n" not in str(caught.value)


def test_folders_of_workbooks_and_empty_margins(tmp_path):
    margin = [[None, None, None], [None, "a", "b"], [None, 1, 2]]
    write(tmp_path / "1.xlsx", s=margin)
    write(tmp_path / "2.xlsx", s=[["a", "b"], [3, 4], [None, None], ["#DIV/0!", 5]])
    np.testing.assert_array_equal(values(as_source(tmp_path)), [[1, 2], [3, 4], [np.nan, 5]])
    write(tmp_path / "3.xlsx", s=[["a", "c"], [1, 2]])
    with pytest.raises(InputError, match=r"3\.xlsx has the columns"):
        as_source(tmp_path)


@pytest.mark.parametrize(
    "rows, says",
    [([], "is empty"), ([["a", "b"]], "a header but no rows"), ([[1, 2], [3, 4]], "add a row of names")],
)
def test_sheets_without_a_table(rows, says, tmp_path):
    with pytest.raises(InputError, match=says):
        as_source(write(tmp_path / "b.xlsx", s=rows))


def test_damaged_and_missing_files(tmp_path):
    (tmp_path / "b.xlsx").write_bytes(b"PK\x03\x04 no workbook")
    with pytest.raises(InputError, match="cannot be read as an Excel file"):
        as_source(tmp_path / "b.xlsx")
    with pytest.raises(InputError, match="there is no file"):
        as_source(tmp_path / "none.xlsx#2")


def test_without_openpyxl_one_line_says_what_to_install(book, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    need.cache_clear()
    try:
        with pytest.raises(InputError, match=r"reading Excel files needs openpyxl: pip install 'tamis\[files\]'"):
            as_source(book)
    finally:
        need.cache_clear()


def test_estimators_and_the_command_line_read_a_sheet(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = X[:, 0] - X[:, 1]
    rows = [["a", "b", "c", "y"], *np.c_[X, y].tolist()]
    path = write(tmp_path / "b.xlsx", notes=[["nothing"]], data=rows)
    np.testing.assert_allclose(Lasso(alpha=0.1).fit(f"{path}#data", "y").coef_, Lasso(alpha=0.1).fit(X, y).coef_)
    assert main(["fit", "b.xlsx#data", "--target", "y", "--rule", "bic"]) == 0
    assert "a" in capfd.readouterr().out
    assert main(["fit", "b.xlsx#data", "--target", "y", "--out", "b.xlsx"]) == 2
    assert "it is what is read" in capfd.readouterr().err


def test_ratings_are_completed_from_a_sheet(tmp_path):
    from tamis import MatrixCompletion

    rows = [[f"u{i}", f"i{j}", float(i + j)] for i in range(6) for j in range(5) if (i + j) % 3]
    path = write(tmp_path / "b.xlsx", ratings=[["u", "i", "r"], *rows])
    (tmp_path / "r.csv").write_text("\n".join(["u,i,r", *(f"{u},{i},{r}" for u, i, r in rows)]) + "\n")
    found = [
        MatrixCompletion(rank=1, alpha=0.1, random_state=0).fit(where, columns=("u", "i", "r"))
        for where in (f"{path}#ratings", tmp_path / "r.csv")
    ]
    np.testing.assert_array_equal(
        found[0].predict(["u0", "u1"], ["i0", "i1"]), found[1].predict(["u0", "u1"], ["i0", "i1"])
    )
