"""Measurements y = Φ x (11.19): fewer numbers than the signal has, each a sum over all of it.

A measurement is told once how many numbers to take and with which seed; ``operator(shape)`` is Φ for signals of a
length or images of a shape, which are vectors row by row. Φ is never stored where a transform makes it.
"""

from __future__ import annotations

import inspect
import math
from itertools import starmap
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.checks import as_object, check_choice, check_count, check_number
from tamis._core.errors import InputError
from tamis._core.memory import require_memory
from tamis._core.parameters import constructor, keyword
from tamis._core.random import as_rng
from tamis.operators import DCT, DFT, Hadamard, RandomSigns, Restriction, as_operator, mirrored_frequencies
from tamis.operators import Bernoulli as RandomSignMatrix
from tamis.operators.base import Linear
from tamis.operators.grid import check_grid
from tamis.sensing.sampling import draw_positions, frequency_weights, radial_positions

RATE = inspect.Parameter("rate", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=0.25)


class Measurement(BaseEstimator):
    """What all measurements share: how many numbers are taken.

    A subclass gives ``_draw(grid, m, rng)``, the operator of m measurements of signals with these axes. Parameters of
    its own are keywords of the class, ``class Own(Measurement, pattern="uniform")``, and stand before ``random_state``.
    """

    rate: float
    n_measurements: int | None
    random_state: Any

    def __init_subclass__(cls, **own: Any) -> None:
        super().__init_subclass__()
        if "__init__" not in vars(cls):
            cls.__init__ = constructor(  # type: ignore[method-assign]
                [RATE, keyword("n_measurements", None), *starmap(keyword, own.items()), keyword("random_state", None)]
            )

    def __init__(self, rate: float = 0.25, **parameters: Any) -> None:
        raise TypeError("Measurement draws nothing of its own: derive from it")

    def count(self, shape: Any) -> int:
        """m for signals of this shape: ``n_measurements``, or ``rate`` times their numbers, at least 1."""
        n = math.prod(check_grid("shape", shape))
        if self.n_measurements is None:
            return max(1, round(check_number("rate", self.rate, above=0.0, at_most=1.0) * n))
        m = check_count("n_measurements", self.n_measurements)
        if m > n:
            raise InputError(f"n_measurements must be at most {n}, the size of the signals, got {m}",
                             argument="n_measurements")  # fmt: skip
        return m

    def operator(self, shape: Any) -> Any:
        """Φ, (m, n), for signals of a length or images of a shape."""
        grid = check_grid("shape", shape)
        return self._draw(grid, self.count(grid), as_rng(self.random_state))

    def _draw(self, grid: tuple[int, ...], m: int, rng: np.random.Generator) -> Any:
        raise NotImplementedError


class Gaussian(Measurement):
    """Φ with independent entries N(0, 1/m): columns have about unit length, whatever the basis.

    Parameters
    ----------
    rate : float
        Measurements per number of the signal.
    n_measurements : int or None
        m, instead of ``rate``.
    random_state : None, int, Generator or RandomState
        The same seed and shape give the same matrix.

    Notes
    -----
    No transform makes it, so that its m · n numbers are stored. ``Bernoulli`` has the same guarantees and stores none,
    ``PartialHadamard`` and ``PartialDCT`` are also fast.

    Examples
    --------
    >>> from tamis.sensing import Gaussian
    >>> Gaussian(n_measurements=20, random_state=0).operator(100).shape
    (20, 100)
    """

    def _draw(self, grid: tuple[int, ...], m: int, rng: np.random.Generator) -> Any:
        n = math.prod(grid)
        require_memory(8.0 * m * n, f"a Gaussian matrix of {m:,} × {n:,}", "measure by PartialDCT or PartialHadamard")
        return as_operator(rng.standard_normal((m, n)) / np.sqrt(m))


class Bernoulli(Measurement):
    """Φ with independent entries ±1/√m, made anew whenever it is multiplied and never stored.

    Parameters
    ----------
    rate : float
        Measurements per number of the signal.
    n_measurements : int or None
        m, instead of ``rate``.
    random_state : None, int, Generator or RandomState
        The same seed and shape give the same matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import Bernoulli
    >>> A = Bernoulli(n_measurements=4, random_state=0).operator(6)
    >>> np.abs(A.columns([0])).ravel()
    array([0.5, 0.5, 0.5, 0.5])
    """

    def _draw(self, grid: tuple[int, ...], m: int, rng: np.random.Generator) -> Any:
        return RandomSignMatrix(m, math.prod(grid), rng) / np.sqrt(m)


class PartialDCT(Measurement, pattern="uniform"):
    """Some rows of the orthonormal cosine transform, the mean (row 0) always among them.

    Parameters
    ----------
    rate : float
        Measurements per number of the signal.
    n_measurements : int or None
        m, instead of ``rate``.
    pattern : {"uniform", "density"}
        Rows with equal chances, for signals sparse in time; or, for signals sparse in wavelets, low frequencies more
        often: the chance falls with the frequency as 1/|k| on a line and 1/|k|² in images [krahmer2014]_.
    random_state : None, int, Generator or RandomState
        The same seed and shape give the same rows.

    References
    ----------
    .. [krahmer2014] Krahmer & Ward, Stable and robust sampling strategies for compressive imaging, 2014.

    Examples
    --------
    >>> from tamis.sensing import PartialDCT
    >>> PartialDCT(rate=0.2, random_state=0).operator((16, 16)).shape
    (51, 256)
    """

    pattern: str

    def _draw(self, grid: tuple[int, ...], m: int, rng: np.random.Generator) -> Any:
        pattern = check_choice("pattern", self.pattern, ["uniform", "density"])
        weights = frequency_weights(grid, wraps=False) if pattern == "density" else None
        rows = draw_positions(math.prod(grid), m, rng, weights=weights, always=0)
        return Restriction(math.prod(grid), rows) @ DCT(grid)


class PartialFourier(Measurement, pattern="uniform", n_lines=None, mirrored=True):
    """Some samples of the unitary Fourier transform, complex: of a line, or of the frequency plane of an image.

    Parameters
    ----------
    rate : float
        Measurements per number of the signal.
    n_measurements : int or None
        m, instead of ``rate``.
    pattern : {"uniform", "density", "radial"}
        Frequencies with equal chances, for signals sparse in time; low ones more often, for signals sparse in wavelets
        (1/|k| on a line, 1/|k|² in images [krahmer2014]_); or lines through frequency 0, as many as ``rate`` allows.
    n_lines : int or None
        Lines of the radial pattern, instead of ``rate`` and ``n_measurements``.
    mirrored : bool
        Whether each frequency is sampled with its mirror −k, whose sample is known where signals are real: then m
        samples say as much as m real numbers. False draws them one by one, for complex signals.
    random_state : None, int, Generator or RandomState
        The same seed and shape give the same frequencies.

    Notes
    -----
    Frequency 0, the mean, is always sampled. A mirrored pair that would be one too many is left out, so that m may be
    one less than asked for.

    References
    ----------
    .. [krahmer2014] Krahmer & Ward, Stable and robust sampling strategies for compressive imaging, 2014.

    Examples
    --------
    >>> from tamis.sensing import PartialFourier
    >>> PartialFourier(rate=0.25, pattern="radial").operator((64, 64)).shape
    (1010, 4096)
    """

    pattern: str
    n_lines: int | None
    mirrored: bool

    def frequencies(self, shape: Any) -> np.ndarray:
        """The positions sampled, in the order of ``DFT(shape)``: of a seed that is kept, as ``operator`` has them."""
        grid = check_grid("shape", shape)
        return self._frequencies(grid, self.count(grid), as_rng(self.random_state))

    def _frequencies(self, grid: tuple[int, ...], m: int, rng: np.random.Generator) -> np.ndarray:
        pattern = check_choice("pattern", self.pattern, ["uniform", "density", "radial"])
        if pattern == "radial":
            return radial_positions(grid, m, self.n_lines)
        if self.n_lines is not None:
            raise InputError(f"n_lines is for pattern='radial', got pattern={pattern!r}", argument="n_lines")
        weights = frequency_weights(grid, wraps=True) if pattern == "density" else None
        mirror = mirrored_frequencies(grid) if check_choice("mirrored", self.mirrored, [True, False]) else None
        return draw_positions(math.prod(grid), m, rng, weights=weights, always=0, mirror=mirror)

    def _draw(self, grid: tuple[int, ...], m: int, rng: np.random.Generator) -> Any:
        return Restriction(math.prod(grid), self._frequencies(grid, m, rng)) @ DFT(grid)


class PartialHadamard(Measurement, scrambled=True):
    """Some rows of the Walsh–Hadamard transform: patterns of ±1, as the mirrors of a one-pixel camera make them.

    Parameters
    ----------
    rate : float
        Measurements per number of the signal.
    n_measurements : int or None
        m, instead of ``rate``.
    scrambled : bool
        Whether the signal's signs are turned at random first, so that Φ measures as a random matrix does, whatever the
        basis; else the row of the mean is always measured.
    random_state : None, int, Generator or RandomState
        The same seed and shape give the same rows and signs.

    Notes
    -----
    A signal whose length N is no power of two is followed by zeros up to the next one; entries of Φ are ±1/√N with the
    longer length.

    Examples
    --------
    >>> from tamis.sensing import PartialHadamard
    >>> PartialHadamard(rate=0.5, random_state=0).operator(12).shape
    (6, 12)
    """

    scrambled: bool

    def _draw(self, grid: tuple[int, ...], m: int, rng: np.random.Generator) -> Any:
        scrambled = check_choice("scrambled", self.scrambled, [True, False])
        n = math.prod(grid)
        longer = 1 << (n - 1).bit_length()
        rows = draw_positions(longer, m, rng, always=None if scrambled else 0)
        Phi = Restriction(longer, rows) @ Hadamard(longer)
        if longer > n:
            Phi = Phi @ Restriction(longer, np.arange(n)).H
        return Phi @ RandomSigns(n, rng) if scrambled else Phi


class Samples(Measurement, observed=None):
    """Some numbers of the signal itself: instants of a sound, pixels of an image, packets that arrived.

    Parameters
    ----------
    rate : float
        Share of the numbers that are seen.
    n_measurements : int or None
        m, instead of ``rate``.
    observed : array of bool or None
        Which are seen, in the shape of the signals, instead of some at random.
    random_state : None, int, Generator or RandomState
        The same seed and shape give the same numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import Samples
    >>> Samples(observed=np.array([True, False, True])).operator(3) @ np.array([5.0, 6.0, 7.0])
    array([5., 7.])
    """

    observed: Any

    def count(self, shape: Any) -> int:
        return super().count(shape) if self.observed is None else int(self._mask(check_grid("shape", shape)).sum())

    def _mask(self, grid: tuple[int, ...]) -> np.ndarray:
        observed = np.asarray(self.observed)
        if observed.dtype != bool or observed.shape != grid or not observed.any():
            raise InputError(
                f"observed must be booleans of shape {grid}, some of them True, got {observed.dtype} of shape "
                f"{observed.shape}",
                argument="observed",
            )
        return observed

    def _draw(self, grid: tuple[int, ...], m: int, rng: np.random.Generator) -> Any:
        n = math.prod(grid)
        if self.observed is not None:
            return Restriction(n, self._mask(grid).ravel())
        return Restriction(n, draw_positions(n, m, rng))


class GivenMeasurement(Measurement):
    """Φ as an array or operator that the user has."""

    def __init__(self, A: Any) -> None:
        self.A = A

    def count(self, shape: Any) -> int:
        return int(self.operator(shape).shape[0])

    def operator(self, shape: Any) -> Any:
        A = self.A if isinstance(self.A, Linear) else as_operator(self.A, complex_ok=True)
        n = math.prod(check_grid("shape", shape))
        if A.shape[1] != n:
            raise InputError(
                f"measurement has {A.shape[1]} columns and the signals have {n} numbers: give one column for each",
                argument="measurement",
            )
        return A


MEASUREMENTS: dict[str, type[Measurement]] = {
    "gaussian": Gaussian,
    "bernoulli": Bernoulli,
    "partial_fourier": PartialFourier,
    "partial_dct": PartialDCT,
    "partial_hadamard": PartialHadamard,
    "samples": Samples,
}


def as_measurement(given: Any) -> Measurement:
    """The object that a short name stands for; an array or operator is Φ itself."""
    if isinstance(given, (str, Measurement, type)):
        return as_object("measurement", given, MEASUREMENTS, Measurement)
    if hasattr(given, "shape"):
        return GivenMeasurement(given)
    return as_object("measurement", given, MEASUREMENTS, Measurement)
