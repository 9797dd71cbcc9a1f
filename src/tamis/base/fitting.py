"""Fits that succeed whole or change nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# What a fit leaves where it is: scikit-learn's own settings, and where a warm start begins.
KEPT = ("_skl", "_metadata", "_callback", "_parent_callback", "coef_")


def all_or_nothing(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates ``fit``: what it learns replaces all that was learned before, and where it fails nothing changes."""

    @functools.wraps(fit)
    def fitted(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _restored(self):
            for name in [name for name in vars(self) if _is_learned(name)]:
                del vars(self)[name]
            return fit(self, *args, **kwargs)

    return fitted


def batch_or_nothing(partial_fit: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates ``partial_fit``: what it learns goes on from what was learned; where it fails nothing changes.

    Learned arrays and statistics are replaced, never changed in place.
    """

    @functools.wraps(partial_fit)
    def fitted(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _restored(self):
            return partial_fit(self, *args, **kwargs)

    return fitted


@contextmanager
def _restored(estimator: Any) -> Iterator[None]:
    """Whatever fails inside leaves the attributes as they were."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def _is_learned(name: str) -> bool:
    """Names that end with ``_``, and private ones; parameters are neither."""
    return (name.endswith("_") or name.startswith("_")) and not name.startswith(KEPT)
