"""``random_state`` becomes a generator here, once in each fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.errors import InputError

SOURCES = (int, np.integer, np.random.Generator, np.random.RandomState)


def as_rng(random_state: Any) -> np.random.Generator:
    """None, a seed, a Generator or a RandomState → a Generator. The same seed gives the same stream."""
    check_random_state(random_state)
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    return np.random.default_rng(random_state)


def check_random_state(random_state: Any) -> None:
    """It is one of those, drawn from or not."""
    if random_state is not None and not isinstance(random_state, SOURCES):
        raise InputError(
            f"random_state must be None, a whole number, a Generator or a RandomState; got {random_state!r}"
        )
    if isinstance(random_state, (int, np.integer)) and random_state < 0:
        raise InputError(f"random_state must be ≥ 0, got {random_state!r}")
