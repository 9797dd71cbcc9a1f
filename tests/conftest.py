"""Special files for the tests of what is written: made anew, for a mistake would replace those of the machine."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest


@pytest.fixture
def full_device(tmp_path: Path) -> Path:
    """A device like /dev/full, on which nothing can be written; where we may not make one, we cannot harm that one."""
    path = tmp_path / "full"
    if not os.path.exists("/dev/full"):
        pytest.skip("a device of Linux")
    if os.geteuid() != 0:
        path.symlink_to("/dev/full")
        return path
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.stat("/dev/full").st_rdev)
        os.close(os.open(path, os.O_WRONLY))
    except OSError:
        pytest.skip("root here may not make devices")
    return path


@pytest.fixture
def standard_output(tmp_path: Path) -> Path:
    """Another name of what /dev/stdout is a name of."""
    path = tmp_path / "standard_output"
    if not os.path.exists("/proc/self/fd/1"):
        pytest.skip("has no name here")
    path.symlink_to("/proc/self/fd/1")
    return path
