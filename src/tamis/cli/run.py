"""From arguments to an exit code: every complaint is one line on stderr."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from typing import Any

import typer

from tamis.cli.app import app

# Some versions of Typer carry their own copy of click; BadParameter → UsageError → ClickException in all of them.
ClickException: Any = typer.BadParameter.__mro__[2]
PRINTING = (errno.EPIPE, errno.ENOSPC, errno.EFBIG, errno.EIO)  # what printing fails with; files are written by name


def run(argv: Sequence[str] | None) -> int:
    try:
        command = typer.main.get_command(app)
        code = command.main(args=None if argv is None else list(argv), prog_name="tamis", standalone_mode=False)
        sys.stdout.flush()
        return interrupted() if code == 130 else code if isinstance(code, int) else 0
    except ValueError as error:
        from tamis._core.errors import InputError  # brings scikit-learn, which --help and --version do without

        if not isinstance(error, InputError):
            raise
        return complain(error, 2)
    except ClickException as error:
        context = getattr(error, "ctx", None)
        return complain(f"{error.format_message()} ({context.command_path if context else 'tamis'} --help)", 2)
    except (typer.Abort, KeyboardInterrupt):
        return interrupted()
    except OSError as error:
        return complain_of_file(error)


def complain_of_file(error: OSError) -> int:
    """A disk that is full, a file that may not be read; a reader of standard output who left is told nothing."""
    if error.filename is not None:
        return complain(f"{str(error.filename)!r}: {why(error)}", 2)
    if error.errno not in PRINTING:
        return complain(error, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains again at exit
    return 1 if isinstance(error, BrokenPipeError) else complain(f"standard output: {why(error)}", 2)


def why(error: OSError) -> str:
    return error.strerror or str(error)


def interrupted() -> int:
    return complain("interrupted", 130)


def complain(what: object, code: int) -> int:
    """One line that steers no terminal, whatever a column's name may hold."""
    from tamis._core.text import one_line

    sys.stderr.write(f"tamis: {one_line(' '.join(str(what).split()))}\n")
    return code
