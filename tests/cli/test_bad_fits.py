"""Bad input to ``tamis fit``: exit code 2, one line that says what is wrong, and nothing written."""

from __future__ import annotations

import os
import sys

import pytest

from cli.tables import BAD, plants, write_csv
from cli.test_bad_tables import assert_one_line, run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, where files would be left."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def table(tmp_path):
    return plants(tmp_path / "plants.csv")


@pytest.fixture
def model(tmp_path, table, capfd):
    path = tmp_path / "m.skops"
    page = tmp_path / "page.html"
    assert run(capfd, "fit", table, "--target", "bloom", "--drop", "seen", "--out", path, "--report", page)[0] == 0
    return path


@pytest.mark.parametrize("case", BAD)
def test_bad_table(case, folder, tmp_path, capfd):
    table = BAD[case].make(tmp_path)
    assert_one_line(*run(capfd, "fit", table, "--target", "y", "--out", "m.skops"), *BAD[case].says)
    assert os.listdir(folder) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--drop", "heigth"], "did you mean 'height'"),
        (["--drop", "bloom"], "is the target"),
        (["--penalty", "l3"], "l3"),
        (["--rule", "best"], "best"),
        (["--l1-ratio", "0.5"], "--l1-ratio belongs to"),
        (["--penalty", "elastic", "--l1-ratio", "2"], "--l1-ratio"),
        (["--groups", "height,noise"], "--groups belongs to"),
        (["--penalty", "group", "--groups", "heigth"], "did you mean 'height'"),
        (["--penalty", "group", "--groups", "height,noise", "--groups", "noise"], "twice"),
        (["--penalty", "group", "--groups", ""], "--groups names no column"),
        (["--cv", "1"], "--cv"),
        (["--cv", "5", "--rule", "bic"], "no folds"),
        (["--cv", "5000"], "5000"),
        (["--task", "regression"], "'bloom'"),
        (["--predict", "gone.csv"], "gone.csv"),
        (["--out", "gone/m.skops"], "does not exist"),
        (["--model", "m.skops"], "not both"),
    ],
)
def test_bad_option(arguments, says, folder, table, capfd):
    assert_one_line(*run(capfd, "fit", table, "--target", "bloom", *arguments), says)
    assert os.listdir(folder) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "give a table"),
        (["--target", "y"], "give a table"),
        (["--model", "gone.skops"], "no file gone.skops"),
        (["--model", "m.skops", "--target", "y"], "--target is for fitting"),
        (["--model", "m.skops", "--l1-ratio", "0.5"], "--l1-ratio is for fitting"),
        (["--model", "m.skops", "--out", "p.csv"], "--predict"),
    ],
)
def test_bad_command(arguments, says, folder, capfd):
    assert_one_line(*run(capfd, "fit", *arguments), says)


def test_table_without_target(folder, table, capfd):
    assert_one_line(*run(capfd, "fit", table), "--target")


@pytest.mark.parametrize(
    ("header", "rows", "says"),
    [
        (("height", "noise"), [("1", "2")], "'colour'"),
        (("height", "noise", "colour"), [("tall", "2", "red")], "column 'height' holds labels"),
        (("height", "noise", "colour"), [("inf", "2", "red")], "infinite"),
        (("height", "noise", "colour"), [], "row"),
    ],
)
def test_rows_that_cannot_be_predicted(header, rows, says, folder, model, tmp_path, capfd):
    new = write_csv(tmp_path / "new.csv", header, rows)
    assert_one_line(*run(capfd, "fit", "--model", model, "--predict", new, "--out", "p.csv"), says)
    assert os.listdir(folder) == []


def test_file_that_is_no_model(folder, table, capfd):
    assert_one_line(*run(capfd, "fit", "--model", table, "--predict", table), "not a model saved by tamis")


def test_file_with_other_objects_is_not_opened(folder, table, capfd):
    import skops.io
    from sklearn.base import BaseEstimator

    class Stranger(BaseEstimator):
        pass

    Stranger.__qualname__ = "Stranger"
    skops.io.dump({"format": 2, "model": Stranger()}, "strange.skops")
    message = run(capfd, "fit", "--model", "strange.skops", "--predict", table)
    assert_one_line(*message, "objects that tamis does not save", "Stranger", "not opened")


def test_fewer_rows_than_folds(folder, tmp_path, capfd):
    table = write_csv(tmp_path / "short.csv", ["a", "y"], [[1, 3], [2, 5]])
    assert_one_line(*run(capfd, "fit", table, "--target", "y"), "5 folds", "has 2", "--cv")


def test_without_typer_the_command_says_what_to_install(monkeypatch, capfd):
    for module in ("tamis.cli.run", "tamis.cli.app"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "typer", None)
    assert_one_line(*run(capfd, "--version"), "pip install 'tamis[app]'")


def test_other_model_of_skops_is_not_ours(folder, table, capfd):
    import skops.io
    from sklearn.linear_model import Lasso

    skops.io.dump(Lasso(), "other.skops")
    assert_one_line(*run(capfd, "fit", "--model", "other.skops"), "not a model saved by this version of tamis fit")
