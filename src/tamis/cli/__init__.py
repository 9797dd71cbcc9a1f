"""The command line: parse, call, print; one file per verb."""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``tamis`` and return its exit code: 0; 2 for anything that cannot be used; 130 for Ctrl-C."""
    from tamis.cli.run import run

    return run(argv)
