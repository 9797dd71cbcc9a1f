"""Where a verb prints: the answer to stdout, notes to stderr."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from tamis._core.text import one_line, visible

WIDE = 10_000  # nobody wraps a pipe


def stdout_console() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=WIDE)


def stderr_console() -> Console:
    return Console(stderr=True, highlight=False)


def print_notes(notes: list[str], messages: Console) -> None:
    for note in notes:
        messages.print(Text(one_line(f"Note: {note}")), soft_wrap=not messages.is_terminal)


def print_path(what: str, path: Path, messages: Console) -> None:
    """Where something was written."""
    messages.print(visible(f"{what}: {path}"), markup=False, highlight=False, soft_wrap=True)


def data_notes(summary: dict[str, Any]) -> list[str]:
    """Columns left out, and what to be careful about."""
    by_reason: dict[str, list[str]] = {}
    for item in summary["data"]["left_out"]:
        by_reason.setdefault(item["reason"], []).append(item["column"])
    left = [f"left out {_some(names)}: {reason}" for reason, names in by_reason.items()]
    return left + summary["data"]["warnings"]


def _some(names: list[str], most: int = 6) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
