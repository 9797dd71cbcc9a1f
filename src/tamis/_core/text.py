"""Names and labels of any table made fit to be read: on one line, nothing invisible, not too long."""

from __future__ import annotations

import re
import unicodedata

MOST = 80  # characters of a name
MOST_OF_LINE = 2_000
JOINERS = "\u200c\u200d"  # shape letters of some scripts: they belong to the text
_QUOTED = re.compile(rf"""(?<!\w)(['"‘])((?:[^'"’\\]|\\.){{{MOST},}})(['"’])(?!\w)""", re.DOTALL)


def visible(text: str) -> str:
    """Line breaks, escape sequences and other characters that steer a terminal, written out: ``\\n``, ``\\x1b``."""
    return text if text.isprintable() else "".join(c if _is_printable(c) else _written_out(c) for c in text)


def short(text: str, most: int = MOST) -> str:
    """The text made visible, with its middle left out where it is longer than ``most`` characters."""
    text = visible(text)
    return text if len(text) <= most else f"{text[: most - most // 3 - 1]}…{text[len(text) - most // 3 :]}"


def one_line(message: str) -> str:
    """A message whose quoted names are short and visible, and that has an end."""
    return short(_QUOTED.sub(lambda m: m[1] + short(m[2]) + m[3], message), MOST_OF_LINE)


def _is_printable(c: str) -> bool:
    return c.isprintable() or c in JOINERS or unicodedata.category(c) in ("Zs", "Cn", "Co")


def _written_out(c: str) -> str:
    return c.encode("unicode_escape").decode("ascii")
