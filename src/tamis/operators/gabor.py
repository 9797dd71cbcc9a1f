"""The Gabor transform: short pieces of a signal, each seen in frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.threads import thread_count
from tamis.operators.base import HasEntries
from tamis.operators.grid import WORTH_THREADS


class Gabor(HasEntries):
    """A tight Gabor frame: c_{l,k} = 1/√M Σ_τ g_τ x_{l·hop + τ} exp(−2πi k τ / M), the signal going round.

    The window is divided by the square root of its hops' sum of squares, so that Aᴴ A = I: ``A.H`` makes the signal of
    its coefficients, and the columns of ``A.H`` are the atoms. Coefficients are ordered by piece, then by frequency
    (``coefficients_shape``). A length that is no multiple of ``hop`` is one that was followed by zeros.

    Parameters
    ----------
    n : int
        Length of the signals.
    window : int or array
        The window g, or the length of a Gaussian one, three standard deviations to each side.
    hop : int or None
        Samples from one piece to the next; None: a quarter of the window.
    n_frequencies : int or None
        M, at least the length of the window; None: that length.
    n_jobs : int or None
        Threads.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import Gabor
    >>> A = Gabor(100, window=16, hop=4)
    >>> x = np.sin(np.arange(100.0))
    >>> c = A @ x
    >>> c.shape, np.allclose(A.H @ c, x)
    ((400,), True)
    """

    def __init__(
        self,
        n: int,
        window: Any,
        hop: int | None = None,
        n_frequencies: int | None = None,
        *,
        n_jobs: int | None = None,
    ) -> None:
        n = check_count("n", n)
        g = _window(window)
        self.hop = max(1, len(g) // 4) if hop is None else check_count("hop", hop)
        self.n_frequencies = len(g) if n_frequencies is None else check_count("n_frequencies", n_frequencies)
        if self.n_frequencies < len(g):
            raise InputError(
                f"n_frequencies={self.n_frequencies} is less than the window's length {len(g)}: give at least as many"
            )
        self.n_pieces = -(-n // self.hop)
        if len(g) > self.n_pieces * self.hop:
            raise InputError(f"window of length {len(g)} is longer than the signals, n={n}: give a shorter one")
        self.window = _tight(g, self.hop)
        self.coefficients_shape = (self.n_pieces, self.n_frequencies)
        self.n_threads = thread_count(n_jobs)
        self.shape = (self.n_pieces * self.n_frequencies, n)
        self.dtype = np.dtype(np.complex128)

    def forward(self, x: np.ndarray) -> np.ndarray:
        parts = self._padded(x).reshape(self.n_pieces, self.hop, *x.shape[1:])
        pieces = np.zeros((self.n_pieces, self.n_frequencies, *x.shape[1:]), x.dtype)
        for k, inside in self._hops():
            pieces[:, inside] = np.roll(parts, -k, axis=0)[:, : inside.stop - inside.start]
        pieces[:, : len(self.window)] *= self._along(x)
        c = scipy.fft.fft(pieces, axis=1, norm="ortho", workers=self._workers(pieces), overwrite_x=True)
        return c.reshape(self.shape[0], *x.shape[1:])

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        c = r.reshape(self.n_pieces, self.n_frequencies, *r.shape[1:])
        pieces = scipy.fft.ifft(c, axis=1, norm="ortho", workers=self._workers(c))[:, : len(self.window)]
        pieces *= self._along(r)
        out = np.zeros((self.n_pieces, self.hop, *r.shape[1:]), pieces.dtype)
        for k, inside in self._hops():
            out[:, : inside.stop - inside.start] += np.roll(pieces[:, inside], k, axis=0)
        return out.reshape(self.n_pieces * self.hop, *r.shape[1:])[: self.shape[1]]

    def entries(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        M, L = self.n_frequencies, len(self.window)
        piece, k = np.divmod(rows, M)
        tau = np.subtract.outer(-piece * self.hop, -columns) % (self.n_pieces * self.hop)
        turn = np.exp(-2j * np.pi / M * np.arange(M)) / np.sqrt(M)
        return np.where(tau < L, self.window[np.minimum(tau, L - 1)] * turn[k[:, None] * tau % M], 0.0)

    def _hops(self) -> list[tuple[int, slice]]:
        """A window covers several hops: their numbers, and which samples of the window lie in each."""
        L = len(self.window)
        return [(k, slice(start, min(L, start + self.hop))) for k, start in enumerate(range(0, L, self.hop))]

    def _along(self, x: np.ndarray) -> np.ndarray:
        return self.window if x.ndim == 1 else self.window[:, None]

    def _padded(self, x: np.ndarray) -> np.ndarray:
        missing = self.n_pieces * self.hop - len(x)
        return x if not missing else np.concatenate([x, np.zeros((missing, *x.shape[1:]), x.dtype)])

    def _workers(self, pieces: np.ndarray) -> int:
        return self.n_threads if pieces.size >= WORTH_THREADS else 1


def _window(window: Any) -> np.ndarray:
    if np.ndim(window) == 0:
        length = check_count("window", window)
        t = np.arange(length) - (length - 1) / 2
        return np.exp(-0.5 * (6 * t / length) ** 2)
    g = np.asarray(window)
    if g.ndim != 1 or g.dtype.kind not in "fiub" or not np.isfinite(g).all():
        raise InputError(f"window must be a length or a vector of real numbers, got {g.dtype} of shape {g.shape}")
    return g.astype(np.float64)


def _tight(g: np.ndarray, hop: int) -> np.ndarray:
    """g_τ / √(Σ_l g²_{τ + l·hop}): what all windows that cover a sample have of it sums to 1."""
    place = np.arange(len(g)) % hop
    cover = np.bincount(place, weights=g**2, minlength=hop)
    if not (cover > 0).all():
        raise InputError(f"window leaves samples uncovered with hop={hop}: give a shorter hop or a longer window")
    return g / np.sqrt(cover[place])
