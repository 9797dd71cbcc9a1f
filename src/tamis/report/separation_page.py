"""The page of ``tamis separate``: three frames, each beside its background and its foreground."""

from __future__ import annotations

import base64
from importlib import resources
from typing import Any

from tamis._core.optional import need


def render_separation(summary: dict[str, Any], frames: list[tuple[int, bytes, bytes, bytes]]) -> str:
    """One self-contained HTML file."""
    jinja2 = need("jinja2", extra="app", purpose="the page")
    text = resources.files("tamis.report").joinpath("separate.html").read_text(encoding="utf-8")
    pages = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    rows = [(number, [base64.b64encode(png).decode("ascii") for png in pictures]) for number, *pictures in frames]
    return pages.from_string(text).render(s=summary, rows=rows)
