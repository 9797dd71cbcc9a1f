"""A path solved several alphas at a time on the working set, each batch checked in one reading of all columns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tamis._core.progress import Steps
from tamis.solvers.paths import SolvedPath
from tamis.solvers.working_set_state import WorkingSetState

MOST_AT_ONCE = 4  # alphas between two checks: as many as one reading of the columns serves
NEW_AT_ONCE = (10, 0.05)  # units taken in on suspicion for each α: so many, and this share of those inside


class BatchedPath:
    """Descending alphas in batches; a subclass solves a batch and returns how many of its alphas are done."""

    state: WorkingSetState

    def _advance(self, alphas: np.ndarray, out: SolvedPath, k: int) -> int:
        raise NotImplementedError

    def run(self, alphas: np.ndarray, steps: Steps) -> SolvedPath:
        out = SolvedPath.empty(alphas, self.state.A.shape[1], self.state.screen is not None)
        for _ in steps(self._solve_batches(alphas, out), "path", len(alphas)):
            pass
        return out

    def most_new(self, n_alphas: int) -> int:
        """Units that may join on suspicion for so many alphas."""
        few, share = NEW_AT_ONCE
        return int((few + share * len(self.state.features)) * n_alphas)

    def _solve_batches(self, alphas: np.ndarray, out: SolvedPath) -> Iterator[int]:
        """Number of each α as it is done."""
        k, ahead = 0, MOST_AT_ONCE
        while k < len(alphas):
            part = alphas[k : k + ahead]
            good = self._advance(part, out, k)
            ahead = min(ahead + 1, MOST_AT_ONCE) if good == len(part) else max(1, good)
            for _ in range(good):
                yield k
                k += 1
