"""Plain dictionary → one self-contained HTML page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import resources
from typing import Any

from tamis._core.optional import need
from tamis.report import bundle
from tamis.report.charts import charts
from tamis.report.readable import readable
from tamis.report.words import score

MOST_ROWS = 300  # of the ranking: a page with more is slow on a phone, and nobody reads it


def render(summary: dict[str, Any]) -> str:
    """The page of ``tamis select``."""
    summary = readable(summary)
    specs = charts(summary)
    return page(
        "select.html",
        specs,
        s=summary,
        shown=[c for i, c in enumerate(summary["columns"]) if i < MOST_ROWS or c["chosen"]],
        drawn=specs["search"] is not None,
        charted=specs["judged"] is not None,
        errors=any(c["judged_error"] is not None for c in summary["columns"]),
        pvalues=any(c["judged_p"] is not None for c in summary["columns"]),
        spreads=any(r["spread"] is not None for r in summary["search"]["rounds"]),
    )


def page(template: str, specs: dict[str, Any], **values: Any) -> str:
    """A template of this folder, filled in. Whatever came from the user's table is escaped, in the text and inside the
    inlined JSON; ``specs`` are the charts, by the id of their box unless the template's script draws them otherwise.
    ``s.made`` (when, versions) is needed by the layout that all pages extend.
    """
    jinja2 = need("jinja2", extra="app", purpose="the report")
    pages = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters.update(number=number, signed=signed, bits=bits, score=score, count=count, size=size, percent=percent)
    pages.filters.update(breakable=breakable(jinja2.utils.markupsafe.Markup))
    safe = jinja2.utils.markupsafe.Markup
    inlined = {"bundle": safe(bundle.javascript()), "charts_json": safe(script_json(specs))}
    return pages.get_template(template).render(**inlined, **values)


def _template(name: str) -> str:
    return resources.files("tamis.report").joinpath(name).read_text(encoding="utf-8")


def breakable(markup: Any) -> Callable[[str], Any]:
    """A filter for names: lines may break after the signs that join their words, and not inside words."""
    return lambda name: markup(re.sub(r"([_./:,=-])(?=\w)", r"\1<wbr>", str(markup.escape(name))))


def script_json(value: Any) -> str:
    """JSON that cannot end the script element it stands in, whatever its strings hold."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def number(value: float) -> str:
    """Three significant digits, in words people read."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def bits(value: float) -> str:
    return f"{value:.3f}"


def percent(share: float) -> str:
    return f"{round(100 * share)} %"


def signed(value: float) -> str:
    return f"{'+' if value > 0 else '−'}{number(abs(value))}"


def count(value: int) -> str:
    return f"{value:,}"


def size(value: float | None) -> float | str:
    """What a column of coefficients is sorted by."""
    return "" if value is None else abs(value)
