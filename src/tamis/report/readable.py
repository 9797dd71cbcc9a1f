"""A document of plain values as people read it: names cut where they are long, invisible characters written out.

The JSON document keeps every name as it is; what is printed or put on a page goes through here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tamis._core.text import MOST, short, visible

NAMES = ("column", "target", "level", "class", "label", "name")  # keys of what comes from the table
EXACT = ("command", "python", "selected_python")  # to be typed again: line breaks and all


def readable(document: Any) -> Any:
    """The same document with every string fit to be read; no two names become one."""
    return _read(document, _cut(set(_names(document))))


def _names(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for k, v in value.items():
            yield from _names(v, k)
    elif isinstance(value, list):
        for v in value:
            yield from _names(v, key)
    elif isinstance(value, str) and key in NAMES and len(visible(value)) > MOST:
        yield value


def _cut(names: set[str]) -> dict[str, str]:
    """Long names and their short forms, the longest first for one may hold another; equal ones are numbered."""
    found: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (-len(name), name)):
        form, k = short(name), 1
        while form in found.values():
            k += 1
            form = f"{short(name)} ({k})"
        found[name] = form
    return found


def _read(value: Any, cut: dict[str, str], key: str = "") -> Any:
    if isinstance(value, dict):
        return {_read(k, cut): _read(v, cut, k) for k, v in value.items()}
    if isinstance(value, list):
        return [_read(v, cut, key) for v in value]
    if not isinstance(value, str):
        return value
    for name, form in cut.items():
        value = value.replace(name, form)
    return value if key in EXACT and _is_text(value) else visible(value)


def _is_text(value: str) -> bool:
    """A file's name may hold bytes that are no text, which no page can."""
    return not any("\ud800" <= c <= "\udfff" for c in value)
