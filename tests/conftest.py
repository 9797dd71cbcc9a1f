"""Ctrl-C in the background; special files for what is written, made anew: a mistake would replace the machine's."""

from __future__ import annotations

import gc
import os
import signal
import stat
from pathlib import Path

import pytest


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: without this, every full garbage collection would look at all of them."""
    gc.freeze()


def pytest_configure() -> None:
    """A shell starts what runs in its background with Ctrl-C ignored: tests of interruption would go on for ever."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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
