"""What ``--out`` leads to: inputs are refused before any work, links stay, pipes and devices are written into."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cli.tables import plants
from cli.test_bad_tables import assert_one_line, run
from tamis.cli import main

WAYS = ("itself", "symbolic link", "hard link")


def by_another_way(path, way, folder):
    if way == "itself":
        return path
    other = folder / f"other{path.suffix}"
    other.symlink_to(path) if way == "symbolic link" else os.link(path, other)
    return other


@pytest.fixture
def table(tmp_path):
    return plants(tmp_path / "plants.csv")


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A model, made once; each test gets a copy that it may harm."""
    folder = tmp_path_factory.mktemp("fitted")
    words = ["--target", "bloom", "--no-nested", "--out", str(folder / "m.skops"), "--report", str(folder / "m.html")]
    assert main(["fit", str(plants(folder / "plants.csv")), *words]) == 0
    return folder / "m.skops"


@pytest.fixture
def model(tmp_path, fitted):
    return Path(shutil.copy(fitted, tmp_path / "m.skops"))


@pytest.fixture
def parts(tmp_path, table):
    """A folder of two tables."""
    folder = tmp_path / "parts"
    folder.mkdir()
    for name in ("a.csv", "b.csv"):
        shutil.copy(table, folder / name)
    return folder


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("verb", ["select", "fit"])
def test_table_is_not_replaced(verb, way, table, tmp_path, capfd):
    before = table.read_bytes()
    out = by_another_way(table, way, tmp_path)
    assert_one_line(*run(capfd, verb, table, "--target", "bloom", "--out", out), "it is what is read")
    assert table.read_bytes() == before


@pytest.mark.parametrize("verb", ["select", "fit"])
@pytest.mark.parametrize("name", ["b.csv", "new.csv", "deep/new.parquet"])
def test_folder_of_tables_is_not_touched(verb, name, parts, capfd):
    (parts / "deep").mkdir()
    before = {path: path.read_bytes() for path in parts.rglob("*.csv")}
    message = run(capfd, verb, parts, "--target", "bloom", "--out", parts / name)
    assert_one_line(*message, "it is what is read" if name == "b.csv" else "would become one of the tables")
    assert {path: path.read_bytes() for path in parts.rglob("*") if path.is_file()} == before


def test_report_may_stand_beside_the_tables(parts, capfd):
    """As it does where the folder is the current one: it is not read."""
    for _ in range(2):
        assert run(capfd, "select", parts, "--target", "bloom", "--out", parts / "report.html")[0] == 0
    assert sorted(os.listdir(parts)) == ["a.csv", "b.csv", "report.html"]


@pytest.mark.parametrize(
    "verb", [("select", "--method", "search", "--no-nested", "--target", "bloom"), ("components",)]
)
def test_report_names_the_page_of_every_verb_with_a_table(verb, table, tmp_path, capfd):
    assert run(capfd, verb[0], table, *verb[1:], "--report", tmp_path / "page.html")[0] == 0
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("which", ["model", "rows"])
def test_neither_model_nor_rows_to_predict_are_replaced(which, way, model, table, tmp_path, capfd):
    rows = tmp_path / "new.csv"
    shutil.copy(table, rows)
    given = model if which == "model" else rows
    before = given.read_bytes()
    out = by_another_way(given, way, tmp_path)
    assert_one_line(*run(capfd, "fit", "--model", model, "--predict", rows, "--out", out), "it is what is read")
    assert given.read_bytes() == before


def test_rows_to_predict_are_not_replaced_by_the_model(table, tmp_path, capfd):
    rows = tmp_path / "new.csv"
    shutil.copy(table, rows)
    message = run(capfd, "fit", table, "--target", "bloom", "--predict", rows, "--out", rows)
    assert_one_line(*message, "it is what is read")
    assert rows.read_bytes() == table.read_bytes()


def test_file_to_resume_from_is_neither_the_table_nor_the_report(table, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    before = table.read_bytes()
    assert_one_line(*run(capfd, "select", table, "-t", "bloom", "--resume", table), "it is what is read")
    assert_one_line(*run(capfd, "select", table, "-t", "bloom", "--resume", "r", "--out", tmp_path / "r"), "two names")
    os.mkfifo("pipe")
    assert_one_line(*run(capfd, "select", table, "-t", "bloom", "--resume", "pipe"), "is no file")
    assert table.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["pipe", "plants.csv"]


OTHER_NAMES = {
    "through a folder": ("deep/../r.sqlite", "two names"),
    "link": ("link.html", "two names"),
    "link to a folder": ("other/r.sqlite", "two names"),
    "log of SQLite": ("r.sqlite-wal", "SQLite"),
    "shared memory of SQLite": ("r.sqlite-shm", "SQLite"),
    "journal of SQLite": ("deep/../r.sqlite-journal", "SQLite"),
}


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("way", OTHER_NAMES)
def test_report_does_not_replace_the_file_to_resume_from(way, there, table, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep").mkdir()
    (tmp_path / "link.html").symlink_to("r.sqlite")
    (tmp_path / "other").symlink_to(tmp_path)
    before = b""
    if there:
        assert run(capfd, "select", table, "-t", "bloom", "--resume", "r.sqlite", "--json")[0] == 0
        before = (tmp_path / "r.sqlite").read_bytes()
    out, says = OTHER_NAMES[way]
    message = run(capfd, "select", table, "-t", "bloom", "--resume", "r.sqlite", "--out", out)
    assert_one_line(*message, "--out and --resume", says)
    assert (tmp_path / "r.sqlite").exists() == there
    assert not there or (tmp_path / "r.sqlite").read_bytes() == before


def test_report_by_default_is_compared_as_well(table, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r").symlink_to("tamis-report.html")
    assert_one_line(*run(capfd, "select", table, "-t", "bloom", "--resume", "r"), "--out and --resume", "two names")


@pytest.mark.parametrize("what", ["report", "model", "predictions"])
def test_link_stays(what, model, table, tmp_path, capfd):
    real, link = tmp_path / "real", tmp_path / "link"
    link.symlink_to(real)
    assert run(capfd, *_writing(what, table, model), "--out", link)[0] == 0
    assert link.is_symlink()
    assert real.stat().st_size > 0


@pytest.mark.parametrize("what", ["report", "model", "predictions"])
def test_pipe_is_written_into(what, model, table, tmp_path, capfd):
    pipe, plain, read = tmp_path / "pipe", tmp_path / "plain", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert run(capfd, *_writing(what, table, model), "--out", pipe)[0] == 0
    reader.join(30)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    if what == "predictions":
        assert run(capfd, *_writing(what, table, model), "--out", plain)[0] == 0
        assert read == [plain.read_bytes()]
    else:
        assert len(read[0]) > 1000


@pytest.mark.parametrize("what", ["report", "model", "predictions"])
def test_full_device_is_one_line_and_stays(what, model, table, full_device, capfd):
    message = run(capfd, *_writing(what, table, model), "--out", full_device)
    assert_one_line(*message, str(full_device), "No space left")
    assert stat.S_ISCHR(full_device.stat().st_mode)


@pytest.mark.parametrize("what", ["report", "model", "predictions"])
def test_disk_that_fills_is_one_line_with_the_path(what, model, table, tmp_path, monkeypatch, capfd):
    """Found only when the data are flushed, as on network drives."""

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    message = run(capfd, *_writing(what, table, model), "--out", tmp_path / "new")
    assert_one_line(*message, f"cannot write {str(tmp_path / 'new')!r}", "No space left")
    assert not (tmp_path / "new").exists()


def test_reader_of_a_pipe_who_leaves_is_one_line(table, tmp_path, monkeypatch, capfd):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    left, opened = threading.Event(), os.open

    def leave():
        os.close(opened(pipe, os.O_RDONLY))
        left.set()

    def open_late(path, *rest, **more):
        descriptor = opened(path, *rest, **more)
        if path == pipe:
            assert left.wait(30)
        return descriptor

    monkeypatch.setattr("tamis._core.files.os.open", open_late)
    threading.Thread(target=leave, daemon=True).start()
    message = run(capfd, "fit", table, "--target", "bloom", "--no-nested", "--out", pipe)
    assert_one_line(*message, str(pipe), "Broken pipe")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("options", [[], ["--json"], ["--predict"]])
def test_full_standard_output_is_one_line(options, table):
    given = [*options, str(table)] if options == ["--predict"] else options
    words = [sys.executable, "-m", "tamis", "fit", str(table), "--target", "bloom", "--no-nested", *given]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "tamis: standard output: No space left on device"
    assert "Exception" not in done.stderr


@pytest.mark.parametrize("name", ["new/", "new/.", "new//", ".."])
@pytest.mark.parametrize("arguments", ["select --out", "select --resume", "fit --out"])
def test_name_of_a_folder_is_refused(arguments, name, table, tmp_path, capfd):
    verb, option = arguments.split()
    assert_one_line(*run(capfd, verb, table, "-t", "bloom", option, f"{tmp_path}/{name}"), option, "folder")
    assert not (tmp_path / "new").exists()


def _writing(what, table, model):
    if what == "predictions":
        return "fit", "--model", model, "--predict", table
    words = {"report": ("select", table, "--method", "search"), "model": ("fit", table)}[what]
    return *words, "--target", "bloom", "--no-nested"


def test_model_to_standard_output_is_the_model_alone(table, tmp_path, standard_output):
    to = ["--target", "bloom", "--no-nested", "--out", str(standard_output)]
    words = [sys.executable, "-m", "tamis", "fit", str(table), *to]
    piped = subprocess.run(words, capture_output=True, timeout=120, check=True)
    assert b"keeps" in piped.stderr
    (tmp_path / "m.skops").write_bytes(piped.stdout)
    words = [sys.executable, "-m", "tamis", "fit", "--model", str(tmp_path / "m.skops")]
    assert b"keeps" in subprocess.run(words, capture_output=True, timeout=120, check=True).stdout


@pytest.mark.parametrize("verb", ["select", "fit"])
def test_two_documents_do_not_mix_on_standard_output(verb, table, standard_output, capfd):
    message = run(capfd, verb, table, "--target", "bloom", "--json", "--out", standard_output)
    assert_one_line(*message, "standard output")
