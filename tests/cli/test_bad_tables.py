"""Bad input ends with exit code 2, one line that says what is wrong, no traceback and no report."""

from __future__ import annotations

import os

import pytest

from cli.tables import BAD, plants, write_csv
from tamis.cli import main


def run(capfd, *arguments: object) -> tuple[int, str, str]:
    """``select`` is asked for one method, unless it is said which: how an answer is written does not depend on it."""
    one = ["--method", "search"] if arguments[:1] == ("select",) and "--method" not in arguments else []
    code = main([str(a) for a in (*arguments, *one)])
    out, err = capfd.readouterr()
    return code, out, err


def assert_one_line(code: int, out: str, err: str, *says: str) -> None:
    assert code == 2
    assert out == ""
    assert err.startswith("tamis: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    for words in says:
        assert words in err


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, where a report would be left."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("mode", ["report", "json"])
def test_bad_table(case, mode, folder, tmp_path, capfd):
    table = BAD[case].make(tmp_path)
    arguments = ["select", table, "--target", "y", *(["--json"] if mode == "json" else [])]
    assert_one_line(*run(capfd, *arguments), *BAD[case].says)
    assert os.listdir(folder) == []


@pytest.mark.parametrize(
    ("out", "why"), [("gone/report.html", "does not exist"), (".", "folder"), ("file/report.html", "is a file")]
)
def test_unwritable_report_is_refused_before_the_work(out, why, folder, tmp_path, capfd):
    (folder / "file").write_text("")
    table = plants(tmp_path / "plants.csv")
    assert_one_line(*run(capfd, "select", table, "--target", "bloom", "--out", out), "cannot write", why)
    assert os.listdir(folder) == ["file"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--drop", "heigth"], "did you mean 'height'"),
        (["--drop", "bloom"], "is the target"),
        (["--n-features", "0"], "--n-features must be"),
        (["--n-features", "99"], "--n-features must be"),
        (["--n-features", "few"], "--n-features"),
        (["--task", "guess"], "guess"),
        (["--task", "regression"], "'bloom'"),
        (["--search", "backwards"], "backwards"),
        (["--colour"], "--colour"),
    ],
)
def test_bad_option(arguments, says, folder, tmp_path, capfd):
    table = plants(tmp_path / "plants.csv")
    assert_one_line(*run(capfd, "select", table, "--target", "bloom", *arguments), says)
    assert os.listdir(folder) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["select"], "'table'"),
        (["select", "x.csv"], "--target"),
        (["selct"], "selct"),
        (["--frobnicate"], "--frobnicate"),
    ],
)
def test_bad_command(arguments, says, folder, capfd):
    assert_one_line(*run(capfd, *arguments), says)


def test_newlines_in_names_do_not_break_the_line(folder, tmp_path, capfd):
    table = write_csv(tmp_path / "t.csv", ("a\nb", "y"), [("", i % 2) for i in range(40)])
    assert_one_line(*run(capfd, "select", table, "--target", "y"), "missing")


def test_interrupt_is_one_line_and_leaves_nothing(folder, tmp_path, capfd, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("tamis.studies.select.select", interrupted)
    code, out, err = run(capfd, "select", plants(tmp_path / "plants.csv"), "--target", "bloom")
    assert (code, out) == (130, "")
    assert err == "tamis: interrupted\n"
    assert os.listdir(folder) == []
