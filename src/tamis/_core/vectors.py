"""Rows as vectors."""

from __future__ import annotations

import numpy as np


def unit_rows(D: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of unit length and the lengths they had; zero rows stay zero."""
    lengths = np.linalg.norm(D, axis=1)
    return D / np.where(lengths > 0, lengths, 1)[:, None], lengths
