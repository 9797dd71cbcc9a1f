"""Progress through sklearn.callback, behind this one file.

An estimator derives from ``ProgressMixin``, decorates ``fit`` with ``@reports_progress`` and walks each stage of its
work through ``self._steps(items, "name")``. Then ``LassoCV().set_callbacks(ProgressBar()).fit(X, y)`` shows a bar for
each stage.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from sklearn.callback import CallbackSupportMixin, with_callbacks

T = TypeVar("T")


class Steps(Protocol):
    """``ProgressMixin._steps`` or ``silent``: yields the items of a stage while somebody may be watching."""

    def __call__(self, items: Iterable[T], name: str, total: int | None = None) -> Iterator[T]: ...


def silent(items: Iterable[T], name: str, total: int | None = None) -> Iterator[T]:
    """Nobody watches."""
    del name, total
    yield from items


class ProgressMixin(CallbackSupportMixin):
    """Adds ``set_callbacks``, and ``_steps`` for the stages of a fit."""

    def _steps(self, items: Iterable[T], name: str, total: int | None = None) -> Iterator[T]:
        """Yield the items of one stage and tell the callbacks where each begins and ends; they may end the stage."""
        root = getattr(self, "_callback_fit_ctx", None)
        if root is None:
            yield from items
            return
        if total is None and hasattr(items, "__len__"):
            total = len(items)  # type: ignore[arg-type]
        stage = root.subcontext(task_name=name, max_subtasks=total)
        stage.call_on_fit_task_begin(estimator=self)
        for item in items:
            step = stage.subcontext(task_name=name)
            step.call_on_fit_task_begin(estimator=self)
            yield item
            if step.call_on_fit_task_end(estimator=self):
                break
        stage.call_on_fit_task_end(estimator=self)


def reports_progress(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates ``fit`` of a ProgressMixin: opens and closes the root task where somebody watches."""

    @functools.wraps(fit)
    def fit_with_progress(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not (getattr(self, "_skl_callbacks", None) or hasattr(self, "_parent_callback_ctx")):
            return fit(self, *args, **kwargs)
        return managed(self, *args, **kwargs)

    @with_callbacks
    @functools.wraps(fit)
    def managed(self: Any, *args: Any, **kwargs: Any) -> Any:
        root = self._init_callback_context(max_subtasks=None)
        root.call_on_fit_task_begin(estimator=self)
        result = fit(self, *args, **kwargs)
        root.call_on_fit_task_end(estimator=self)
        return result

    return fit_with_progress
