"""Terminals, pipes and file names that are not UTF-8."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from typing import NamedTuple

import pytest

from cli.tables import plants, write_csv
from cli.test_bad_tables import assert_one_line, run

ENCODINGS = ("latin-1", "ascii", pytest.param("cp1252", marks=pytest.mark.deep), "cp437")


COMMANDS = {
    "select": ["select", "t.csv", "-t", "blüht", "--method", "search", "--no-nested", "--out", "select.out"],
    "fit": ["fit", "t.csv", "-t", "blüht", "--out", "fit.out"],
    "select --json": ["select", "t.csv", "-t", "blüht", "--method", "search", "--no-nested", "--json"],
    "fit --json": ["fit", "t.csv", "-t", "blüht", "--no-nested", "--json"],
    "complaint": ["select", "t.csv", "-t", "bluht"],
    "help": ["fit", "--help"],
    "predict": ["fit", "t.csv", "-t", "blüht", "--no-nested", "--predict", "t.csv"],
}
ALL_COMMANDS = """
import json, os, sys
from tamis.cli import main
codes = {}
for k, (name, arguments) in enumerate(json.load(open("commands.json", encoding="utf-8")).items()):
    for stream, kind in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{k}.{kind}", os.O_WRONLY | os.O_CREAT), stream)
    codes[name] = main(arguments)
    sys.stdout.flush(), sys.stderr.flush()
json.dump(codes, open("codes.json", "w"))
"""


class Printed(NamedTuple):
    code: int
    out: bytes
    err: bytes


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What each command prints in an encoding. Names and labels are such that no old encoding has all of them."""

    @cache
    def run_all(encoding):
        folder = tmp_path_factory.mktemp(encoding)
        rows = [(f"{i * 7 % 11}.5", ("日本", "café")[i % 2], ("да", "нет")[i * 7 % 11 > 5]) for i in range(60)]
        write_csv(folder / "t.csv", ("größe", "Ort", "blüht"), rows)
        (folder / "commands.json").write_text(json.dumps(COMMANDS), encoding="utf-8")
        env = os.environ | {"PYTHONIOENCODING": encoding}
        done = subprocess.run([sys.executable, "-c", ALL_COMMANDS], cwd=folder, env=env, timeout=300)
        assert done.returncode == 0
        codes = json.loads((folder / "codes.json").read_text())
        files = {
            name: [(folder / f"{k}.{kind}").read_bytes() for kind in ("out", "err")] for k, name in enumerate(codes)
        }
        return {name: Printed(code, *files[name]) for name, code in codes.items()}

    return run_all


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("verb", ["select", "fit"])
def test_words_are_printed_in_any_encoding(verb, encoding, printed):
    done = printed(encoding)[verb]
    assert (done.code, b"Traceback" in done.err) == (0, False)
    text = done.out.decode(encoding)
    assert "\\u65e5\\u672c" in text or "gr" in text
    assert "\\u2018" not in text  # our own quotes are written plainly


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("verb", ["select", "fit"])
def test_json_says_the_same_in_any_encoding(verb, encoding, printed):
    done = printed(encoding)[f"{verb} --json"]
    assert done.code == 0
    assert json.loads(done.out.decode(encoding))["question"]["target"] == "blüht"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_complaints_and_help_are_printed_in_any_encoding(encoding, printed):
    complaint, help_page = (printed(encoding)[name] for name in ("complaint", "help"))
    assert (complaint.code, complaint.err.count(b"\n")) == (2, 1)
    assert (help_page.code, b"Traceback" in help_page.err) == (0, False)


def test_predictions_that_lose_characters_come_with_a_note(printed):
    assert b"lacks characters" in printed("ascii")["predict"].err
    whole = printed("utf-8")["predict"]
    assert b"lacks characters" not in whole.err
    assert "нет" in whole.out.decode()


@pytest.fixture
def no_text(tmp_path, monkeypatch):
    """A name for files that is no text, in the current directory."""
    name = os.fsdecode(b"\xff")
    try:
        (tmp_path / name).touch()
    except OSError:
        pytest.skip("file names are text here")
    (tmp_path / name).unlink()
    monkeypatch.chdir(tmp_path)
    return name


def test_table_whose_name_is_no_text_is_refused(no_text, tmp_path, capfd):
    plants(tmp_path / "plants.csv").rename(tmp_path / f"{no_text}.csv")
    assert_one_line(*run(capfd, "select", f"{no_text}.csv", "-t", "bloom"), "rename")


@pytest.mark.parametrize("words", ["select", "select --json", "fit", "fit --json", "select --resume r.sqlite"])
def test_output_whose_name_is_no_text_is_written(words, no_text, tmp_path, capfd):
    plants(tmp_path / "plants.csv")
    verb, *options = words.split()
    assert run(capfd, verb, "plants.csv", "-t", "bloom", "--out", f"{no_text}.out", *options)[0] == 0
    assert (tmp_path / f"{no_text}.out").stat().st_size > 1000
