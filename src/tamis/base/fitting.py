"""Fits that succeed whole or change nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def all_or_nothing(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates ``fit``: what it learns replaces all that was learned before, and where it fails nothing changes."""

    @functools.wraps(fit)
    def fitted(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = vars(self).copy()
        for name in before:
            if name.endswith("_") and name != "coef_":  # a warm start begins there
                del vars(self)[name]
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return fitted
