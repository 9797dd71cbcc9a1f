"""The signal that was recovered, and the original where it is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.plots.axes import FONT_SIZE, chosen_axes
from tamis.sensing import Recovery


def recovery(result: Any, ax: Any = None, *, original: Any = None) -> Any:
    """Draw a recovered signal as a line, or an image in grey; the title tells how it ended and how far it is off.

    Parameters
    ----------
    result : Recovery
        From ``recover`` or ``CompressedSensor.recover``, of one signal or image.
    ax : matplotlib axes
        Where to draw; None: a new figure.
    original : array or None
        The signal as it was, drawn behind and compared.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.plots import recovery
    >>> from tamis.sensing import recover
    >>> A, s = np.random.default_rng(0).standard_normal((20, 40)), np.zeros(40)
    >>> s[[3, 30]] = 1.0, -2.0
    >>> ax = recovery(recover(A, A @ s), original=s)
    >>> len(ax.lines)
    2
    """
    if not isinstance(result, Recovery):
        raise InputError(f"{type(result).__name__} is no recovery to draw: use the result of recover")
    signal = np.real(result.signal)
    if signal.ndim > 2 or (original is not None and np.shape(original) != signal.shape):
        raise InputError(f"one signal or image can be drawn with an original of its shape, got {signal.shape}"
                         f"{'' if original is None else f' and {np.shape(original)}'}")  # fmt: skip
    ax = chosen_axes(ax, (7.0, 3.0) if signal.ndim == 1 else (4.6, 4.6))
    if signal.ndim == 2:
        ax.imshow(signal, cmap="gray")
        ax.set_axis_off()
    else:
        _lines(ax, signal, original)
    ax.set_title(_words(result, signal, original), fontsize=FONT_SIZE + 1)
    return ax


def _lines(ax: Any, signal: np.ndarray, original: Any) -> None:
    if original is not None:
        ax.plot(np.real(original), color="0.7", linewidth=2.5, label="original")
    ax.plot(signal, color="#0072b2", linewidth=1.0, label="recovered")
    ax.set_xlabel("sample")
    if original is not None:
        ax.legend(loc="upper right", fontsize=FONT_SIZE, frameon=False)


def _words(result: Recovery, signal: np.ndarray, original: Any) -> str:
    words = f"{np.count_nonzero(result.code):,} non-zeros, {result.status}"
    if original is None or not np.any(original):
        return words
    return f"{words}, error {np.linalg.norm(signal - original) / np.linalg.norm(original):.2g}"
