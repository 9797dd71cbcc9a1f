"""Progress bars on stderr, through scikit-learn's callbacks, where stderr is a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

ROOT, STAGE = 0, 1  # depth of a task: the fit itself, its stages, then the steps of a stage


@contextmanager
def progress_bars(console: Console, seconds: float | None = None) -> Iterator[Any]:
    """A function that attaches bars to an estimator; where stderr is no terminal it returns the estimator as it is.

    The time that is left is that of the stage, or of ``seconds`` in all, where there is such a limit.
    """
    if not console.is_terminal:
        yield lambda estimator: estimator
        return
    left: ProgressColumn = TimeRemainingColumn() if seconds is None else TimeLeft(seconds)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), left)
    with Progress(*columns, console=console, transient=True) as progress:
        yield lambda estimator: estimator.set_callbacks(StageBars(progress))


@contextmanager
def stage_bars(console: Console) -> Iterator[Any]:
    """A function that draws a bar of a stage, steps done and steps in all; None where stderr is no terminal."""
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bars: dict[str, TaskID] = {}

        def show_stage(stage: str, done: int, total: int) -> None:
            if stage not in bars:
                bars[stage] = progress.add_task(stage, total=total)
            progress.update(bars[stage], completed=done, total=total)

        yield show_stage


class TimeLeft(ProgressColumn):
    """Seconds until the limit of the whole."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.end = time.monotonic() + seconds

    def render(self, task: Any) -> Text:
        del task
        return Text(f"at most {max(0, round(self.end - time.monotonic()))} s left")


class StageBars:
    """One bar per stage of a fit."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self._bars: dict[Any, TaskID] = {}

    def setup(self, estimator: Any, context: Any) -> None: ...

    def teardown(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        if _depth(context) == STAGE:
            kind = type(estimator).__name__
            name = context.task_name if kind.startswith("_") else f"{kind}: {context.task_name}"
            self._bars[context.task_id] = self.progress.add_task(name, total=context.max_subtasks)

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        depth = _depth(context)
        if depth == STAGE:
            self.progress.remove_task(self._bars.pop(context.task_id))  # with many classes bars would pile up
        elif depth > STAGE and context.parent.task_id in self._bars:
            self.progress.advance(self._bars[context.parent.task_id])


def _depth(context: Any) -> int:
    depth = ROOT
    while context.parent is not None:
        context, depth = context.parent, depth + 1
    return depth
