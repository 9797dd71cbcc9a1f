"""Where a verb prints: the answer to stdout, notes to stderr."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from tamis._core.text import one_line, visible
from tamis.cli.encoding import can_carry

WIDE = 10_000  # nobody wraps a pipe


def stdout_console() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=WIDE)


def stderr_console() -> Console:
    return Console(stderr=True, highlight=False)


def print_notes(notes: list[str], messages: Console) -> None:
    for note in notes:
        messages.print(Text(one_line(f"Note: {note}")), soft_wrap=not messages.is_terminal)


def as_json(document: dict[str, Any], *, file: bool = False) -> str:
    """One JSON document; where standard output lacks a character, with escapes, which say the same."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)
    plain = can_carry(text, None if file else sys.stdout)
    return (text if plain else json.dumps(document, allow_nan=False, indent=1)) + "\n"


def print_rows(text: str, messages: Console) -> None:
    """Rows as CSV, and a note where standard output lacks some of their characters."""
    sys.stdout.write(text)
    if not can_carry(text, sys.stdout):
        lacking = f"standard output is {sys.stdout.encoding}, which lacks characters of these rows: they are replaced"
        print_notes([f"{lacking}; PYTHONIOENCODING=utf-8 keeps them"], messages)


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
