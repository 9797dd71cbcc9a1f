"""Files that are written: whole or not at all, and never in the place of something that is no file."""

from __future__ import annotations

import os
import re
import stat
import sys
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tamis._core.errors import InputError

STANDARD = (1, 2)  # descriptors of standard output and error


class WriteError(InputError, OSError):
    """A file that was to be written could not be: the disk is full, the reader of a pipe left."""


def write_file(path: Path, content: str | bytes) -> None:
    """Put the content where the path leads.

    A file, or none yet: it is written beside the file and renamed, so that nobody ever meets half a file; links stay,
    what they lead to is replaced. A pipe or a device: written straight into, for renaming would put a file in its
    place. So is what this process has open already, or ``--out /dev/stdout > file`` would cut off the rest.
    A WriteError names the path; that the reader of standard output left is a BrokenPipeError.
    """
    try:
        _write(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        if isinstance(error, BrokenPipeError) and _descriptor(path) in STANDARD:
            raise
        raise WriteError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def _write(path: Path, data: bytes) -> None:
    descriptor = _descriptor(path)
    if descriptor is not None:
        sys.stdout.flush()
        _write_bytes(os.dup(descriptor), data)
    elif _mode(path) is None or stat.S_ISREG(_mode(path) or 0):
        _replace(Path(os.path.realpath(path)), data)
    else:
        _write_bytes(os.open(path, os.O_WRONLY), data)


def check_output(path: Path, inputs: Iterable[Path] = ()) -> Path:
    """The path if it can be written, else an InputError: checked before the work starts, not after.

    ``inputs`` are the files that the work reads: none of them may be what is written, by whatever name.
    """
    try:
        mode = _mode(path)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot write {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None
    if mode is None:
        _check_folder(path)
        return path
    if stat.S_ISDIR(mode):
        raise InputError(f"cannot write {str(path)!r}: it is a folder; give the name of a file in it")
    for read in inputs:
        if _same(path, read):
            alias = "" if str(path) == str(read) else f", {str(read)!r} by another name"
            raise InputError(f"cannot write {str(path)!r}: it is what is read{alias}; give another name")
    if _descriptor(path) is not None:
        return path
    if stat.S_ISSOCK(mode) or not os.access(path, os.W_OK):
        why = "it is a socket" if stat.S_ISSOCK(mode) else "permission denied"
        raise InputError(f"cannot write {str(path)!r}: {why}")
    if stat.S_ISREG(mode):
        _check_folder(path)
    return path


def is_standard_output(path: Path | None) -> bool:
    """Whether writing there is writing to standard output."""
    return path is not None and _descriptor(path) == STANDARD[0]


def _check_folder(path: Path) -> None:
    folder = Path(os.path.realpath(path)).parent if path.is_symlink() else path.parent
    if not folder.exists():
        raise InputError(f"cannot write {str(path)!r}: the folder {str(folder)!r} does not exist; create it first")
    if not folder.is_dir():
        raise InputError(f"cannot write {str(path)!r}: {str(folder)!r} is a file, not a folder")
    probe = _beside(folder / "tamis")
    try:
        with probe.open("xb"):
            pass
    except OSError as error:
        raise InputError(f"cannot write into {str(folder)!r}: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            probe.unlink()


def _replace(path: Path, data: bytes) -> None:
    beside = _beside(path)  # its name is known before it is there, so that Ctrl-C cannot leave it
    try:
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # some disks tell only now that they are full
        _copy_permissions(path, beside)
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def _beside(path: Path) -> Path:
    """A name in the same folder that nobody has, and that says whose it is should a killed process leave it."""
    return path.with_name(f".{path.name[:40]}.{uuid.uuid4().hex[:12]}.part")


def _copy_permissions(path: Path, beside: Path) -> None:
    """Those of the file replaced, as far as we may; a new one has what a plain open gives."""
    try:
        old = path.stat()
    except FileNotFoundError:
        return
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(beside, old.st_uid, old.st_gid)  # first, for it clears bits of the mode
    os.chmod(beside, stat.S_IMODE(old.st_mode))


def _write_bytes(descriptor: int, data: bytes) -> None:
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


def _mode(path: Path) -> int | None:
    """Of what the path leads to; None where there is nothing yet."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return None  # a file where a folder should be: the folder is what is wrong


def _descriptor(path: Path) -> int | None:
    """The number of the open file that the path stands for: standard output or error by any name, or /dev/fd/3."""
    named = re.fullmatch(r"/(?:dev|proc/self)/fd/(\d+)", os.path.abspath(path))
    candidates = (*STANDARD, int(named[1])) if named else STANDARD
    with suppress(OSError, ValueError):
        there = path.stat()
        for number in candidates:
            with suppress(OSError):
                if os.path.samestat(there, os.fstat(number)):
                    return number
    return None


def _same(path: Path, other: Path) -> bool:
    with suppress(OSError, ValueError):
        return os.path.samefile(path, other)
    return False
