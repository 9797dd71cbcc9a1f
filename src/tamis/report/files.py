"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from tamis._core.errors import InputError


def replace_file(path: Path, content: str | bytes) -> None:
    """Write beside the path and rename, so that nobody ever meets half a file."""
    handle, beside = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.chmod(beside, _mode(path))
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def check_writable(path: Path) -> Path:
    """The path if a file can be put there, else an InputError: asked before the work starts, not after."""
    folder = path.parent
    if path.is_dir():
        raise InputError(f"cannot write {str(path)!r}: it is a folder; give the name of a file in it")
    if not folder.exists():
        raise InputError(f"cannot write {str(path)!r}: the folder {str(folder)!r} does not exist; create it first")
    if not folder.is_dir():
        raise InputError(f"cannot write {str(path)!r}: {str(folder)!r} is a file, not a folder")
    try:
        handle, probe = tempfile.mkstemp(prefix=".tamis.", suffix=".part", dir=folder)
        os.close(handle)
        os.unlink(probe)
    except OSError as error:
        raise InputError(f"cannot write into {str(folder)!r}: {error.strerror or error}") from None
    return path


def _mode(path: Path) -> int:
    """The mode of the file replaced, or what a plain open would have given."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
