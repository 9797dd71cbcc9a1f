"""Terminals, pipes and file names that are not UTF-8."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from cli.tables import plants, write_csv
from cli.test_bad_tables import assert_one_line, run

ENCODINGS = ("latin-1", "ascii", "cp1252", "cp437")


@pytest.fixture
def flowers(tmp_path):
    """Names and labels that no old encoding has all of."""
    rows = [(f"{i * 7 % 11}.5", ("日本", "café")[i % 2], ("да", "нет")[i * 7 % 11 > 5]) for i in range(60)]
    return write_csv(tmp_path / "t.csv", ("größe", "Ort", "blüht"), rows)


def in_encoding(encoding, *arguments):
    arguments += ("--method", "search") if arguments[0] == "select" else ()
    return subprocess.run(
        [sys.executable, "-m", "tamis", *map(str, arguments)],
        capture_output=True,
        timeout=120,
        env=os.environ | {"PYTHONIOENCODING": encoding},
    )


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("verb", ["select", "fit"])
def test_words_are_printed_in_any_encoding(verb, encoding, flowers, tmp_path):
    done = in_encoding(encoding, verb, flowers, "-t", "blüht", "--out", tmp_path / "out")
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    text = done.stdout.decode(encoding)
    assert "\\u65e5\\u672c" in text or "gr" in text
    assert "\\u2018" not in text  # our own quotes are written plainly


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("verb", ["select", "fit"])
def test_json_says_the_same_in_any_encoding(verb, encoding, flowers):
    done = in_encoding(encoding, verb, flowers, "-t", "blüht", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout.decode(encoding))["asked"]["target"] == "blüht"


def test_complaints_and_help_are_printed_in_ascii(flowers):
    assert in_encoding("ascii", "select", flowers, "-t", "bluht").stderr.count(b"\n") == 1
    assert in_encoding("ascii", "fit", "--help").returncode == 0


def test_predictions_that_lose_characters_come_with_a_note(flowers, tmp_path):
    words = ("fit", flowers, "-t", "blüht", "--predict", flowers)
    assert b"lacks characters" in in_encoding("ascii", *words).stderr
    whole = in_encoding("utf-8", *words)
    assert b"lacks characters" not in whole.stderr
    assert "нет" in whole.stdout.decode()


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
