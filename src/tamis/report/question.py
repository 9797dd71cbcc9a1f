"""What ``tamis select`` is asked of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Question:
    """None, and what is empty, was not asked for: then the method has its own way."""

    target: str
    task: str = "auto"
    method: str = "search"
    n_features: int | tuple[int, int] | None = None
    search: str | None = None
    evaluation: str | None = None
    estimator: str | None = None
    patience: int | None = None
    trials: int | None = None
    keep: Sequence[str] = ()
    feature_groups: Sequence[str] = ()
    drop: Sequence[str] = ()
    time_limit: float | None = None
    checkpoint: Any = None
    settings: Sequence[str] = ()  # of --set
