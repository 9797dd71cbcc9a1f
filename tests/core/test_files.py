"""Files are written whole or not at all, links stay, pipes and devices are written into, inputs are never replaced."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tamis._core.errors import InputError
from tamis._core.files import check_output, write_file

LARGE = 1 << 26  # bytes: takes long enough to be interrupted in the middle


def test_file_is_replaced(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    write_file(path, "new ✓")
    assert path.read_text(encoding="utf-8") == "new ✓"
    assert os.listdir(tmp_path) == ["report.html"]


def test_what_cannot_be_encoded_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_file(path, "half\ud800")  # a lone surrogate cannot be written
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_new_file_has_the_usual_mode(tmp_path):
    write_file(tmp_path / "report.html", "x")
    (tmp_path / "plain").write_text("x")
    assert (tmp_path / "report.html").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o775])
def test_replaced_file_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "report.html"
    path.write_text("old")
    path.chmod(mode)
    write_file(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_replaced_file_keeps_its_owner(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    os.chown(path, 1234, 4321)
    write_file(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 4321)


@pytest.mark.parametrize("there", [True, False])
def test_link_stays_and_its_target_is_replaced(tmp_path, there):
    (tmp_path / "elsewhere").mkdir()
    target, middle, link = tmp_path / "elsewhere" / "real.html", tmp_path / "middle", tmp_path / "report.html"
    if there:
        target.write_text("old")
    middle.symlink_to(os.path.join("elsewhere", "real.html"))
    link.symlink_to(middle)
    assert check_output(link) == link
    write_file(link, "new")
    assert link.is_symlink()
    assert middle.is_symlink()
    assert target.read_text() == "new"
    assert os.listdir(tmp_path / "elsewhere") == ["real.html"]


def test_pipe_is_written_into(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    check_output(pipe)
    write_file(pipe, "through " * 20_000)  # more than a pipe holds at once
    reader.join(10)
    assert read == [b"through " * 20_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_full_device_is_an_error_and_stays_a_device(full_device):
    check_output(full_device)
    with pytest.raises(OSError, match="No space left"):
        write_file(full_device, "x")
    assert stat.S_ISCHR(full_device.stat().st_mode)


HEAD = "import sys\nfrom pathlib import Path\nfrom tamis._core.files import check_output, write_file\n"


def in_child(code: str, *arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", HEAD + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=60, check=False, **options)  # type: ignore[call-overload]


STANDARD = "print('before', flush=True); write_file(check_output(Path(sys.argv[1])), 'content\\n'); print('after')"


@pytest.mark.parametrize("name", ["link", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_is_written_into_in_order(standard_output, name):
    assert in_child(STANDARD, standard_output if name == "link" else name).stdout == b"before\ncontent\nafter\n"


@pytest.mark.parametrize("name", ["link", "the file itself"])
def test_standard_output_that_is_a_file_is_not_cut_off(tmp_path, standard_output, name):
    path = tmp_path / "log"
    with path.open("wb") as log:
        command = [
            sys.executable,
            "-c",
            f"import sys\nfrom pathlib import Path\nfrom tamis._core.files import *\n{STANDARD}",
        ]
        subprocess.run([*command, str(path if "file" in name else standard_output)], stdout=log, timeout=60, check=True)
    assert path.read_text() == "before\ncontent\nafter\n"


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="has no name here")
def test_inherited_pipe_is_written_into():
    """As a shell's >(command) hands it over."""
    read, write = os.pipe()
    in_child("write_file(check_output(Path(sys.argv[1])), 'content')", f"/dev/fd/{write}", pass_fds=[write])
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        assert pipe.read() == b"content"


def test_file_that_grows_too_large_leaves_the_old_one_and_no_other(tmp_path):
    """As on a full disk: the write itself fails."""
    path = tmp_path / "report.html"
    path.write_text("old")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))\n"
    child = in_child(f"{limit}write_file(Path(sys.argv[1]), b'x' * (1 << 20))", path)
    assert b"File too large" in child.stderr
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_interrupt_while_writing_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.002)
        with pytest.raises(KeyboardInterrupt):
            write_file(path, bytes(LARGE))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_kill_while_writing_leaves_the_old_file_and_says_whose_the_other_is(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    code = "write_file(Path(sys.argv[1]), bytes(1 << 28))"
    child = subprocess.Popen([sys.executable, "-c", HEAD + code, str(path)])
    end = time.monotonic() + 60
    while len(os.listdir(tmp_path)) < 2 and time.monotonic() < end:
        time.sleep(0.001)
    child.kill()
    child.wait()
    assert path.read_text() == "old"
    left = [name for name in os.listdir(tmp_path) if name != "report.html"]
    assert [(name.startswith(".report.html."), name.endswith(".part")) for name in left] == [(True, True)]


@pytest.mark.parametrize(
    ("path", "why"),
    [("missing/report.html", "does not exist"), ("folder", "is a folder"), ("file/report.html", "is a file"),
     ("x" * 300, "too long"), ("nul\0", "null"), ("loop", "symbolic links"), ("socket", "is a socket"),
     ("astray", "does not exist")],
)  # fmt: skip
def test_unwritable_paths_say_why(tmp_path, monkeypatch, path, why):
    import socket

    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "astray").symlink_to("missing/report.html")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        with pytest.raises(InputError, match=why):
            check_output(tmp_path / path)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="a folder that not even root may write into")
def test_unwritable_folder_says_so():
    with pytest.raises(InputError, match="cannot write into '/proc/self'"):
        check_output(Path("/proc/self/report.html"))


def test_check_leaves_nothing_behind(tmp_path):
    assert check_output(tmp_path / "report.html") == tmp_path / "report.html"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("way", ["itself", "symbolic link", "hard link", "other spelling"])
def test_input_is_refused_as_output_by_any_name(tmp_path, way):
    table = tmp_path / "t.csv"
    table.write_text("a,b\n")
    out = {"itself": table, "other spelling": tmp_path / "." / ".." / tmp_path.name / "t.csv"}.get(
        way, tmp_path / "out"
    )
    if way == "symbolic link":
        out.symlink_to(table)
    if way == "hard link":
        os.link(table, out)
    with pytest.raises(InputError, match="it is what is read"):
        check_output(out, [tmp_path / "gone", table])
    assert table.read_text() == "a,b\n"
