"""Segments of a lasso path on which no sign changes: coefficients and residuals are linear in α there (Efron et al.
2004).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from tamis.solvers.paths import SolvedPath


@dataclass(frozen=True)
class PathSegments:
    """The segments: their ``ends``, ascending, and for each α ``within`` one where its two ends are and how far
    from the first it is.
    """

    ends: np.ndarray
    within: np.ndarray
    before: np.ndarray
    after: np.ndarray
    share: np.ndarray

    @classmethod
    def of(cls, path: SolvedPath) -> Self:
        signs = np.sign(path.coefs)
        same = (signs[1:] == signs[:-1]).all(axis=1)
        inner = np.zeros(len(signs), bool)
        inner[1:-1] = same[1:] & same[:-1]
        ends, within = np.flatnonzero(~inner), np.flatnonzero(inner)
        place = np.searchsorted(ends, within)
        before, after = ends[place - 1], ends[place]
        length = path.alphas[before] - path.alphas[after]
        share = (path.alphas[before] - path.alphas[within]) / np.where(length > 0, length, 1.0)
        return cls(ends, within, before, after, share[:, None])

    @classmethod
    def single(cls, path: SolvedPath) -> Self:
        """Every α an end: of a path that bends between kinks."""
        none = np.zeros(0, np.intp)
        return cls(np.arange(len(path.alphas)), none, none, none, np.zeros((0, 1)))

    def straighten(self, V: np.ndarray) -> None:
        """Puts rows of V, one for each α, on the line between those at its ends."""
        V[self.within] = (1 - self.share) * V[self.before] + self.share * V[self.after]
