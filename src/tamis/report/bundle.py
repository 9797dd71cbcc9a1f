"""The JavaScript that draws Vega-Lite charts, taken from vl-convert, so that a report loads nothing from the network.

Bundling costs vl-convert two seconds, so the text is kept in the user's cache folder, one file per vl-convert version.
"""

from __future__ import annotations

import functools
import os
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tamis._core.files import write_file
from tamis._core.optional import need

MARK = "window.vegaEmbed="  # the bundle hands itself over by assigning this name


@functools.cache
def javascript() -> str:
    """The bundle: from the cache folder if it is there, otherwise made and kept."""
    kept = cache_folder() / f"vega-{_maker()}.js"
    with suppress(OSError, UnicodeDecodeError):
        text = kept.read_text(encoding="utf-8")
        if _usable(text):
            return text
    made = need("vl_convert", extra="app", purpose="the report").javascript_bundle()
    with suppress(OSError):  # a cache that cannot be written only costs time
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_file(kept, made)
    return made


def cache_folder() -> Path:
    """Where this system's user keeps files that may be lost."""
    folder = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else None)
    return (Path(folder) if folder else Path(os.path.expanduser("~")) / ".cache") / "tamis"


def _maker() -> str:
    try:
        return version("vl-convert-python")
    except PackageNotFoundError:
        return "unknown"


def _usable(text: str) -> bool:
    return MARK in text and "</script" not in text.lower()
