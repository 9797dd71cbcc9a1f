"""``tamis demo``."""

from __future__ import annotations

from tamis.cli.select import select
from tamis.studies.demo import DemoQuestion


def demo(question: DemoQuestion) -> None:
    """Run select on a real table: 569 tumours, 30 measurements each, benign or malignant."""
    from tamis.cli.console import stderr_console

    stderr_console().print(question.about)
    select(question.as_selection())
