"""The alphas of a path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis._core.memory import require_memory


def choose_alphas(alphas: Any, find_max: Callable[[], float], eps: float) -> np.ndarray:
    """Descending alphas: those given, or so many from α_max, which costs passes to find, down to eps · α_max."""
    if np.ndim(alphas) == 0:
        count = check_count("alphas", alphas)
        check_number("eps", eps, above=0, at_most=1)
        alpha_max = find_max()
        if not np.isfinite(alpha_max):
            raise InputError(
                f"alphas={count} asks for a grid from α_max down, but without an ℓ₁ or group term (l1_ratio = 0) no α "
                "makes every coefficient zero: give the alphas themselves"
            )
        least = float(np.finfo(float).resolution)
        if alpha_max <= least:  # there is nothing to find: as in scikit-learn, no α below what can be told from 0
            return np.full(count, least)
        return np.geomspace(alpha_max, alpha_max * eps, count) if count > 1 else np.array([alpha_max])
    try:
        _require_numbers(alphas)
        if np.ndim(alphas) > 1:
            raise ValueError
        given = np.sort(np.asarray(alphas, dtype=np.float64).ravel())[::-1].copy()
    except (TypeError, ValueError):
        raise InputError(f"alphas must be a whole number or numbers ≥ 0, got {alphas!r}") from None
    if not len(given) or not np.isfinite(given).all() or given[-1] < 0:
        raise InputError(f"alphas must be finite numbers ≥ 0, got {alphas!r}")
    return given


def require_room(alphas: Any, n_coefs: int) -> None:
    """Complain, before any work is done, about more alphas than there is room for: a path keeps n_coefs for each."""
    count = check_count("alphas", alphas, at_most=2**53) if np.ndim(alphas) == 0 else np.size(alphas)
    require_memory(8.0 * count * (1 + n_coefs), f"a path of {count:,} alphas", "give fewer, such as alphas=100")


def _require_numbers(alphas: Any) -> None:
    """Neither strings, which NumPy would read as numbers, nor booleans."""
    given = np.asarray(alphas)
    values = given.ravel().tolist() if given.dtype.kind == "O" else ()
    if given.dtype.kind in "USb" or any(isinstance(value, (str, bytes, bool)) for value in values):
        raise TypeError
