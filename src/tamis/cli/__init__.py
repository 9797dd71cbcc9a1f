"""The command line: parse, call, print; one file per verb."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``tamis`` and return its exit code: 0; 2 for anything that cannot be used; 130 for Ctrl-C."""
    try:  # imports included: they take the most part of a second, in which Ctrl-C may come
        from tamis.cli.encoding import write_what_can_be_written
        from tamis.cli.run import run

        write_what_can_be_written()
        return run(argv)
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.stderr.write(f"tamis: the command line needs {error.name}: pip install 'tamis[app]'\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("tamis: interrupted\n")
        return 130
