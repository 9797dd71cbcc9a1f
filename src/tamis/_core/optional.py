"""Optional packages: imported where needed, with an error that says what to install."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from tamis._core.errors import InputError


@functools.cache
def need(module: str, *, extra: str, purpose: str) -> Any:
    """The module, or an InputError that names the extra which brings it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise InputError(f"{purpose} needs {package}: pip install 'tamis[{extra}]'") from None
