"""Warnings that point at the user's line, however deep in the library they are given."""

from __future__ import annotations

import sys
import warnings


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line that called Tamis, or scikit-learn where that called Tamis."""
    warnings.warn(message, category, stacklevel=_stacklevel())


def _stacklevel() -> int:
    """Of the first frame outside of both, for a warning of the function that calls this."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(("tamis.", "sklearn.")):
        frame, level = frame.f_back, level + 1
    return level
