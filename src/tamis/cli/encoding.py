"""Terminals and pipes that are not UTF-8: what they cannot carry is written in other characters."""

from __future__ import annotations

import codecs
import sys
from typing import Any

HANDLER = "tamis.plain"
PLAIN = {
    "‘": "'", "’": "'", "…": "...", "–": "-", "−": "-", "±": "+/-", "✓": "x", "α": "alpha", "ρ": "rho", "²": "^2",
    "≥": ">=", "≤": "<=", "→": "->", "×": "x", "·": "*", "ℓ": "l", "₁": "1", "₂": "2", "•": "*",
}  # fmt: skip


def write_what_can_be_written() -> None:
    """Have standard output and error write the characters that their encoding lacks in plain ones, or as escapes."""
    codecs.register_error(HANDLER, _plain)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and not is_unicode(stream):
            stream.reconfigure(errors=HANDLER)


def is_unicode(stream: Any) -> bool:
    """Whether a stream can carry every character."""
    try:
        return codecs.lookup(stream.encoding).name.startswith("utf")
    except (LookupError, TypeError):  # a stream without an encoding takes strings as they are
        return True


def can_carry(text: str, stream: Any) -> bool:
    """Whether a stream writes the text as it is."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lacking), error.end
