"""What a recovery returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tamis._core.evidence import Certificate, Diagnostics, Status

WORSE = (Status.CONVERGED, Status.STALLED, Status.MAX_ITER, Status.TIME_LIMIT, Status.INTERRUPTED)


@dataclass(frozen=True)
class Recovery:
    """The code s of one signal or of several, y ≈ A s, how the recovery ended, and the evidence.

    Attributes
    ----------
    code : (n,) or (n, signals)
        s.
    signal : (n,) or (n, signals)
        The signal Ψ s; s itself where no basis was given.
    residual_norm : float or (signals,)
        ‖y − A s‖₂.
    status : Status
        Of the signal that ended worst; ``statuses`` has all of them. "converged" is decided from the code as it is
        here; "stalled" says that nothing improves any more and what was asked is not reached.
    n_iter : int
        The most that a signal took.
    certificate : Certificate or None
        What is proved; None where nothing is.
    diagnostics : Diagnostics
        What was measured. The trace is that of one signal's residual norms.
    path : (n, steps) sparse array, list of them, or None
        Codes after each step, in columns, from a pursuit that was asked for them; of several signals a list.
    """

    code: np.ndarray
    signal: np.ndarray
    residual_norm: Any
    status: Status
    n_iter: int
    certificate: Certificate | None = None
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    statuses: tuple[Status, ...] = ()
    path: Any = None

    @property
    def support(self) -> Any:
        """Positions of the non-zeros; of several signals a list of them."""
        if self.code.ndim == 1:
            return np.flatnonzero(self.code)
        return [np.flatnonzero(s) for s in self.code.T]


def worst(statuses: Any) -> Status:
    """The status of several signals together."""
    return max(statuses, key=WORSE.index, default=Status.CONVERGED)
