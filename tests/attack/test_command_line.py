"""Malformed tables, options and paths on the command line.

The law: exit code 2, one line on stderr that begins with ``tamis: ``, nothing on stdout, no traceback, nothing written.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import unicodedata
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attack.profiles import attack
from cli.tables import plants, write_csv
from small_inputs import write_inputs
from tamis.cli import main
from tamis.studies.question import flag

OK = [(f"{np.sin(i):.3f}", f"{np.cos(3 * i):.3f}", i % 2) for i in range(40)]
LONE = "\ud800"


def contents(folder: Path) -> dict[str, bytes | None]:
    """Everything in a folder, and what the files hold."""
    return {str(p): p.read_bytes() if p.is_file() and not p.is_symlink() else None for p in folder.rglob("*")}


def steers(c: str) -> bool:
    """Controls, formats such as right-to-left marks, line and paragraph separators, halves of characters."""
    return unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") and c not in "\u200c\u200d"


def assert_refused(capfd, here: Path, arguments: list[str]) -> str:
    before = contents(here)
    code = main([str(a) for a in arguments])
    out, err = capfd.readouterr()
    assert code == 2, (code, out[-300:], err[-300:])
    assert out == ""
    assert err.startswith("tamis: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert "Traceback" not in err
    assert len(err) < 2_200
    assert not any(steers(c) for c in err[:-1])
    assert contents(here) == before
    return err


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The current folder, with a good table, a good model and a few things that are neither."""
    monkeypatch.chdir(tmp_path)
    plants(tmp_path / "plants.csv")
    write_csv(tmp_path / "t.csv", ("a", "b", "y"), OK)
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("not a table, not a model, not a data base\n" * 50)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1" + struct.pack("<I", 2**31 - 1) + b"PAR1")
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    (tmp_path / "astray.csv").symlink_to("nowhere.csv")
    return tmp_path


SELECT, FIT = ["select", "t.csv", "--target", "y"], ["fit", "t.csv", "--target", "y"]
ARGUMENTS = {
    "no verb known": ["frobnicate"],
    "no option known": ["--frobnicate"],
    "select nothing": ["select"],
    "select without target": ["select", "t.csv"],
    "select two tables": ["select", "t.csv", "t.csv", "--target", "y"],
    "option without value": ["select", "t.csv", "--target"],
    "fit nothing": ["fit"],
    "fit without target": ["fit", "t.csv"],
    "demo with arguments": ["demo", "t.csv"],
    "table is gone": ["select", "gone.csv", "--target", "y"],
    "table is a folder without tables": ["fit", "folder", "--target", "y"],
    "table is empty": ["fit", "empty.csv", "--target", "y"],
    "table is a broken Parquet file": ["select", "broken.parquet", "--target", "y"],
    "table is a link to itself": ["select", "loop.csv", "--target", "y"],
    "table is a link to nowhere": ["select", "astray.csv", "--target", "y"],
    "table has no ending": ["select", "folder/..", "--target", "y"],
    "table is a device": ["fit", "/dev/null", "--target", "y"],
    "table has no name": ["fit", "", "--target", "y"],
    "table with a null byte": ["fit", "t\0.csv", "--target", "y"],
    "table with an endless name": ["fit", "t" * 5_000 + ".csv", "--target", "y"],
    "table that is no Unicode": ["fit", f"{LONE}.csv", "--target", "y"],
    "target is empty": ["select", "t.csv", "--target", ""],
    "target is unknown": ["select", "t.csv", "--target", "why"],
    "target steers the terminal": ["select", "t.csv", "--target", "\x1b[2J\x07"],
    "target is no Unicode": ["select", "t.csv", "--target", LONE],
    "target is endless": ["fit", "t.csv", "--target", "y" * 100_000],
    "task unknown": [*SELECT, "--task", "ranking"],
    "task in capitals": [*FIT, "--task", "REGRESSIONS"],
    "labels as numbers": ["fit", "plants.csv", "--target", "bloom", "--task", "regression"],
    "number as classes": ["fit", "t.csv", "--target", "a", "--task", "classification"],
    "no features": [*SELECT, "--n-features", "0"],
    "features below zero": [*SELECT, "--n-features", "-3"],
    "features in part": [*SELECT, "--n-features", "1.5"],
    "features backwards": [*SELECT, "--n-features", "2-1"],
    "features without end": [*SELECT, "--n-features", "1-"],
    "features without number": [*SELECT, "--n-features", "nan"],
    "features of many digits": [*SELECT, "--n-features", "9" * 5_000],
    "method unknown": [*SELECT, "--method", "magic"],
    "search unknown": [*SELECT, "--search", "forwards"],
    "evaluation unknown": [*SELECT, "--evaluation", "gain"],
    "estimator unknown": [*SELECT, "--method", "lasvegas", "--estimator", "svm"],
    "search of another method": [*SELECT, "--method", "relief", "--search", "forward"],
    "patience of another method": [*SELECT, "--patience", "5"],
    "patience none": [*SELECT, "--method", "lasvegas", "--patience", "0"],
    "trials below zero": [*SELECT, "--method", "lasvegas", "--trials", "-1"],
    "set without dot": [*SELECT, "--set", "width=5"],
    "set without value": [*SELECT, "--search", "beam", "--set", "beam.width"],
    "set nonsense": [*SELECT, "--search", "beam", "--set", "beam.width=wide"],
    "set something private": [*SELECT, "--search", "beam", "--set", "beam.__class__=1"],
    "set to code": [*SELECT, "--search", "beam", "--set", "beam.width=__import__('os')"],
    "keep unknown": [*SELECT, "--keep", "z"],
    "keep the target": [*SELECT, "--keep", "y"],
    "keep what is used": [*FIT, "--keep", "a"],
    "drop unknown": [*FIT, "--drop", "z"],
    "drop the target": [*FIT, "--drop", "y"],
    "drop everything": [*FIT, "--drop", "a", "--drop", "b"],
    "groups unknown": [*SELECT, "--feature-groups", "a,z"],
    "groups empty": [*SELECT, "--feature-groups", ""],
    "groups twice": [*SELECT, "--feature-groups", "a,b", "--feature-groups", "b"],
    "groups without group penalty": [*FIT, "--groups", "a,b"],
    "groups empty in a fit": [*FIT, "--penalty", "group", "--groups", ""],
    "time below zero": [*SELECT, "--time-limit", "-1"],
    "time without number": [*SELECT, "--time-limit", "soon"],
    "time nan": [*SELECT, "--time-limit", "nan"],
    "resume from no data base": [*SELECT, "--resume", "notes.txt"],
    "resume from a folder": [*SELECT, "--resume", "folder"],
    "resume from the table": [*SELECT, "--resume", "t.csv"],
    "resume where there is no folder": [*SELECT, "--resume", "gone/run.sqlite"],
    "penalty unknown": [*FIT, "--penalty", "l7"],
    "rule unknown": [*FIT, "--rule", "2se"],
    "ratio without a place": [*FIT, "--l1-ratio", "0.5"],
    "ratio too large": [*FIT, "--penalty", "elastic", "--l1-ratio", "1.5"],
    "ratio nan": [*FIT, "--penalty", "elastic", "--l1-ratio", "nan"],
    "ratio nothing": [*FIT, "--penalty", "elastic", "--l1-ratio", ""],
    "folds one": [*FIT, "--cv", "1"],
    "folds many": [*FIT, "--cv", "100000"],
    "folds more than an integer": [*FIT, "--cv", str(10**30)],
    "folds with a criterion": [*FIT, "--cv", "5", "--rule", "aic"],
    "out is the table": [*FIT, "--out", "t.csv"],
    "out is a folder": [*FIT, "--out", "folder"],
    "out is nothing": [*FIT, "--out", ""],
    "out in no folder": [*SELECT, "--out", "gone/r.html"],
    "out under a file": [*SELECT, "--out", "notes.txt/r.html"],
    "out with a null byte": [*FIT, "--out", "m\0.skops"],
    "out endless": [*FIT, "--out", "m" * 5_000],
    "out is a link to itself": [*FIT, "--out", "loop.csv"],
    "out that is no Unicode": [*FIT, "--out", f"gone/{LONE}"],
    "model and table": [*FIT, "--model", "notes.txt"],
    "model is gone": ["fit", "--model", "gone.skops"],
    "model is no model": ["fit", "--model", "notes.txt"],
    "model is a folder": ["fit", "--model", "folder"],
    "model and target": ["fit", "--model", "notes.txt", "--target", "y"],
    "model and nothing to write": ["fit", "--model", "notes.txt", "--out", "p.csv"],
    "predict what is gone": [*FIT, "--predict", "gone.csv"],
    "predict what is no table": [*FIT, "--predict", "notes.txt/x.csv"],
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_malformed_arguments_are_refused(case, here, capfd):
    assert_refused(capfd, here, ARGUMENTS[case])


def _rows(change) -> str:
    rows = [list(row) for row in OK]
    change(rows)
    return "a,b,y\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


def _put(column: int, value: object, row: int | None = None):
    def change(rows):
        for i in range(len(rows)) if row is None else [row]:
            rows[i][column] = value

    return change


LARGE = ("a,b,y\n" + "".join(f"{np.sin(i)},{np.cos(i)},{i % 2}\n" for i in range(9_000))).encode()
TABLES: dict[str, str | bytes] = {
    "one line without end": "a,b,y",
    "names only": "a,b,y\n",
    "one row": "a,b,y\n1,2,0\n",
    "names are numbers": "1,2,3\n" + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(40)),
    "names twice": "a,a,y\n" + "1,2,0\n2,1,1\n" * 20,
    "lines of many lengths": "a,b,y\n" + "1,2,0\n" * 20 + "1,2,0,4,5\n",
    "a short line": "a,b,y\n" + "1,2,0\n" * 20 + "1\n",
    "an open quote": "a,b,y\n" + "1,2,0\n2,1,1\n" * 20 + '"1,2,0\n',
    "bytes": bytes(range(256)) * 30,
    "zeros": bytes(4000),
    "UTF-16": "a,b,y\n1,2,0\n".encode("utf-16") * 20,
    "Latin-1": "a,bé,y\n".encode("latin-1") + b"1,2,0\n2,1,1\n" * 20,
    "target constant": _rows(_put(2, 1)),
    "target missing": _rows(_put(2, "")),
    "target missing once": _rows(_put(2, "", 7)),
    "target infinite": _rows(_put(2, "inf", 7)),
    "class of one row": _rows(_put(2, "once", 7)),
    "targets all different": _rows(lambda rows: [row.__setitem__(2, f"id{i}") for i, row in enumerate(rows)]),
    "target dates": _rows(lambda rows: [row.__setitem__(2, f"2020-01-{1 + i % 28:02d}") for i, row in enumerate(rows)]),
    "features constant": _rows(lambda rows: [(_put(0, 1)(rows), _put(1, 2)(rows))]),
    "features missing": _rows(_put(0, "")),
    "features infinite": _rows(_put(1, "-inf", 3)),
    "features numbers with a slip": _rows(_put(0, "l.2", 3)),
    "only the target": "y\n" + "0\n1\n" * 20,
    "target too large for squares": _rows(
        lambda rows: [row.__setitem__(2, f"{i}.5e200") for i, row in enumerate(rows)]
    ),
    "gzip that is none": b"\x1f\x8b\x08\x00" + b"\x00" * 50,
}


@pytest.mark.parametrize("verb", ["select", "fit"])
@pytest.mark.parametrize("case", TABLES)
def test_malformed_tables_are_refused(case, verb, here, capfd):
    content = TABLES[case]
    name = "bad.csv.gz" if "gzip" in case else "bad.csv"
    (here / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    if (case, verb) == ("target missing once", "select"):
        assert main([verb, name, "--target", "y", "--json"]) == 0
        note, *_ = json.loads(capfd.readouterr().out)["data"]["warnings"]
        assert note == "the target 'y' is missing in 1 of 40 rows: they were left out"
        return
    assert_refused(capfd, here, [verb, name, "--target", "y"])


WORDS = [
    "",
    "-1",
    "0",
    "1e400",
    "nan",
    "inf",
    "2-",
    "a,b",
    '"',
    "'",
    "\n",
    "\x1b[31m",
    "y" * 3_000,
    "é",
    "٣",
    "--",
    "*",
    "%s",
]


# Commands that answer at once; a word is given as any option of the verb that does not name a file to write.
COMMANDS = {
    "select": ["t.csv", "--target", "k", "--time", "0.5"],
    "select by search": ["t.csv", "--target", "k", "--method", "search"],
    "compare": ["t.csv", "--target", "k", "--method", "mrmr", "--time", "0.5"],
    "fit": ["t.csv", "--target", "k", "--no-nested"],
    "components": ["t.csv", "--drop", "k"],
    "dictionary": ["p.png", "--atoms", "5", "--n-nonzero", "2", "--patch", "4", "--sweeps", "2"],
    "denoise": ["p.png", "denoised.png", "--atoms", "20", "--sweeps", "1"],
    "recover": ["p.png", "--time-limit", "0.5"],
    "complete": ["r.csv", "--rank", "1", "--alpha", "1"],
    "separate": ["frames"],
}


def options_of(command: str) -> list[str]:
    run = getattr(import_module(f"tamis.cli.{command.split()[0]}"), command.split()[0])
    options = get_type_hints(run)["question"].options()
    written = ("file_to_write", "where_to_work")  # also not asked: a cluster at any address
    return [
        flag(name, about)
        for name, (_, about) in options.items()
        if not about.positional and name != "json" and getattr(about.parse, "__name__", "") not in written
    ]


@attack
@given(data=st.data(), command=st.sampled_from(sorted(COMMANDS)))
def test_any_word_as_any_option_is_used_or_refused(data, command, drawn_here, capfd):
    """A small table or picture and any word: a good one gives an answer, and any other is refused in one line."""
    option = data.draw(st.sampled_from([*options_of(command), "--colour"]), label="option")
    word = data.draw(st.one_of(st.sampled_from(WORDS), st.text(max_size=12)), label="word")
    before = contents(drawn_here)
    code = main([command.split()[0], *COMMANDS[command], "--json", option, word])
    out, err = capfd.readouterr()
    assert "Traceback" not in err
    if code == 0:
        assert json.loads(out)
        assert before.items() <= contents(drawn_here).items()
        for made in set(contents(drawn_here)) - set(before):
            if Path(made).is_file():
                os.remove(made)
        return
    assert code == 2
    assert contents(drawn_here) == before
    assert out == ""
    assert err.startswith("tamis: ")
    assert err.count("\n") == 1
    assert not any(steers(c) for c in err[:-1])


@pytest.fixture
def drawn_here(tmp_path, monkeypatch):
    """One table, ratings, picture and video for all cases of a test."""
    monkeypatch.chdir(tmp_path)
    write_inputs(tmp_path)
    return tmp_path


@attack
@given(content=st.binary(max_size=400), ending=st.sampled_from([".csv", ".tsv", ".txt", ".csv.gz", ".parquet", ".pq"]))
def test_any_bytes_as_a_table_are_refused(content, ending, tmp_path, capfd):
    """Bytes that make no table with a column ‘target’, whatever the name of the file promises."""
    folder = tmp_path / "drawn"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    path = folder / f"t{ending}"
    path.write_bytes(content)
    assert_refused(capfd, folder, ["fit", str(path), "--target", "a column of this name is not there"])


@attack
@given(cut=st.floats(0, 1), flips=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=3))
def test_damaged_model_is_refused_or_opened(cut, flips, saved, tmp_path, capfd):
    """A saved model that was cut off or changed: opened and told if it still is one, else refused."""
    data = bytearray(saved[: max(1, int(len(saved) * cut))])
    for place, value in flips:
        data[min(len(data) - 1, int(place * len(data)))] = value
    path = tmp_path / "m.skops"
    path.write_bytes(bytes(data))
    code = main(["fit", "--model", str(path)])
    out, err = capfd.readouterr()
    assert "Traceback" not in err
    assert (code == 0 and out) or (code == 2 and err.count("\n") == 1 and not out)


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> bytes:
    folder = tmp_path_factory.mktemp("saved")
    table = write_csv(folder / "t.csv", ("a", "b", "y"), OK)
    assert main(["fit", str(table), "--target", "y", "--out", str(folder / "m.skops")]) == 0
    return (folder / "m.skops").read_bytes()


def test_nothing_is_left_in_the_temporary_folder(here, capfd, monkeypatch):
    """Of work that was refused, and of work that was done."""
    scratch = here / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr("tempfile.tempdir", None)
    main(["fit", "t.csv", "--target", "y", "--out", "m.skops"])
    main(["fit", "t.csv", "--target", "why", "--out", "m.skops"])
    capfd.readouterr()
    assert os.listdir(scratch) == []
