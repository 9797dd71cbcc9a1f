"""Which problems are solved, against Donoho and Tanner's curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.plots.axes import FONT_SIZE, chosen_axes
from tamis.sensing import PhaseTransition

NOT_TRIED = "#d9d9d9"


def phase(result: Any, ax: Any = None) -> Any:
    """Draw the share of problems solved over δ = m/n and ρ = k/m.

    The darker, the more are solved; what was not tried is grey. The dots are where half of them are, by the logistic
    curve of each δ; the line is where ℓ₁ changes from all to none as n grows.

    Parameters
    ----------
    result : PhaseTransition
        From ``phase_transition``.
    ax : matplotlib axes
        Where to draw; None: a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from tamis.plots import phase
    >>> from tamis.sensing import phase_transition
    >>> ax = phase(phase_transition(40, [0.3, 0.6], [0.1, 0.4, 0.8], n_trials=4, random_state=0))
    >>> ax.get_xlabel()
    'δ = m/n, measurements per unknown'
    """
    if not isinstance(result, PhaseTransition):
        raise InputError(f"{type(result).__name__} has no phase transition to draw: use that of phase_transition")
    ax = chosen_axes(ax, (6.4, 4.6))
    x = np.broadcast_to(_edges(result.delta)[:, None], (len(result.delta) + 1, result.rho.shape[1] + 1))
    y = np.array([_edges(row) for row in (*result.rho, result.rho[-1])])
    ax.set_facecolor(NOT_TRIED)
    drawn = ax.pcolormesh(x, y, result.success, cmap="Blues", vmin=0.0, vmax=1.0)
    ax.figure.colorbar(drawn, ax=ax, label="share of problems solved")
    ax.plot(result.delta, result.line, "o", color="#d55e00", markersize=5, label="half are solved")
    ax.plot(result.delta, result.theory, color="black", linewidth=1.6, label="Donoho–Tanner, ℓ₁")
    ax.set_xlabel("δ = m/n, measurements per unknown")
    ax.set_ylabel("ρ = k/m, non-zeros per measurement")
    ax.set_title(f"n = {result.n}", fontsize=FONT_SIZE + 1)
    ax.set_ylim(0.0, min(1.0, float(y.max())))
    ax.legend(loc="upper left", fontsize=FONT_SIZE, framealpha=0.9)
    return ax


def _edges(values: np.ndarray) -> np.ndarray:
    """Between the values, and as far beyond the ends."""
    values = np.asarray(values, dtype=float)
    if len(values) == 1:
        return np.array([values[0] - 0.05, values[0] + 0.05])
    middle = (values[1:] + values[:-1]) / 2
    return np.concatenate([[2 * values[0] - middle[0]], middle, [2 * values[-1] - middle[-1]]])
