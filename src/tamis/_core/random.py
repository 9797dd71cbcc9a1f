"""``random_state`` becomes a generator here, once in each fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.errors import InputError


def as_rng(random_state: Any) -> np.random.Generator:
    """None, a seed, a Generator or a RandomState → a Generator. The same seed gives the same stream."""
    if random_state is None or isinstance(random_state, (int, np.integer, np.random.Generator)):
        if isinstance(random_state, (int, np.integer)) and random_state < 0:
            raise InputError(f"random_state must be ≥ 0, got {random_state!r}")
        return np.random.default_rng(random_state)
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    raise InputError(f"random_state must be None, a whole number, a Generator or a RandomState; got {random_state!r}")
