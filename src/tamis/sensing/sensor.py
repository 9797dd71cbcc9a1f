"""Measure a signal or an image, and recover it: y = Φ x = Φ Ψ s with s sparse."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.checks import as_object, check_choice, check_finite
from tamis._core.errors import InputError
from tamis.operators import real_form, split
from tamis.operators.base import is_complex
from tamis.operators.grid import check_grid
from tamis.sensing.bases import as_basis
from tamis.sensing.measurements import as_measurement
from tamis.sensing.recoveries import RECOVERIES, RecoveryMethod, TotalVariation
from tamis.sensing.recovery import Recovery


class CompressedSensor(BaseEstimator):
    """A signal is a basis times a sparse code, seen through a measurement, found by a recovery.

    Parameters
    ----------
    measurement : str, Measurement, array or operator
        Φ: "gaussian", "bernoulli", "partial_dct", "partial_fourier", "partial_hadamard", "samples", an object such as
        ``PartialDCT(rate=0.2)``, or Φ itself.
    basis : str, Basis, array or None
        Ψ: "identity", "dct", "fourier", "wavelet", "gabor", the name of a wavelet such as "sym8", an object such as
        ``Wavelet("db4")``, or atoms in the rows of an array. None: the signal itself is sparse, or its differences are,
        for ``TotalVariation``.
    recovery : str or RecoveryMethod
        "basis_pursuit", "omp", "bpdn", …, or an object such as ``OMP(n_nonzero=20)``.
    shape : int, tuple of int or None
        Length of the signals, or the shape of images; None: that of what is measured first. With a shape given, signals
        may come several at a time, along one more axis at the end: the colours of an image, for instance.
    complex_signals : bool
        Whether signals are complex. Real signals are recovered real, also from complex measurements.

    Attributes
    ----------
    shape_ : tuple of int
        The shape of the signals, once it is known.
    measurement_operator_ : Operator
        Φ, (m, n), drawn once and kept until signals of another shape are measured.

    Notes
    -----
    Complex measurements of real signals are given to the recovery as their real and imaginary parts, with the same
    ‖y − A s‖. ``recover`` in another process finds the same Φ where ``random_state`` of the measurement is a number.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import CompressedSensor, PartialDCT
    >>> x = np.zeros(200)
    >>> x[[20, 90, 150]] = 3.0, -2.0, 1.0
    >>> sensor = CompressedSensor(PartialDCT(rate=0.2, random_state=0), "identity", "basis_pursuit")
    >>> y = sensor.measure(x)
    >>> y.shape, bool(np.allclose(sensor.recover(y).signal, x))
    ((40,), True)
    """

    def __init__(
        self,
        measurement: Any = "gaussian",
        basis: Any = "wavelet",
        recovery: Any = "basis_pursuit",
        *,
        shape: Any = None,
        complex_signals: bool = False,
    ) -> None:
        self.measurement = measurement
        self.basis = basis
        self.recovery = recovery
        self.shape = shape
        self.complex_signals = complex_signals

    def measure(self, x: Any) -> np.ndarray:
        """y = Φ x of a signal or an image: (m,), or (m, signals) where there are several."""
        x = self._numbers("x", x)
        grid = self._grid(x.shape)
        several = x.shape[len(grid) :]
        Phi = self._drawn(grid)
        y: np.ndarray = Phi @ x.reshape(math.prod(grid), *several)
        return y

    def recover(self, y: Any, **options: Any) -> Recovery:
        """The signal that was measured as y, in its shape, with its code and the evidence.

        ``options`` take the place of parameters of the recovery, as in ``recover(y, noise=0.1)``.
        """
        y = self._numbers("y", y, complex_ok=True)
        if not hasattr(self, "shape_") and self.shape is None:
            raise InputError("shape must be given to recover what this sensor has not measured: CompressedSensor(…, "
                             "shape=(h, w))", argument="shape")  # fmt: skip
        grid = self.shape_ if self.shape is None else check_grid("shape", self.shape)
        self._require_seed(grid)
        A, y = self._system(self._drawn(grid), y)
        method: RecoveryMethod = as_object("recovery", self.recovery, RECOVERIES, RecoveryMethod)
        if isinstance(method, TotalVariation):
            Psi, options = None, {"shape": grid, **options}  # of the image itself
            if self.basis not in (None, "identity"):
                raise InputError("total variation is that of the image itself: give basis=None", argument="basis")
        else:
            Psi = as_basis(self.basis).operator(grid, complex_signals=self._complex())
        unknown = set(options) - set(method.get_params(deep=False)) - {"start"}
        if unknown:
            raise InputError(f"{min(unknown)} means nothing to {type(method).__name__}", argument=min(unknown))
        found = method.recover(A, y, basis=Psi, **options)
        return dataclasses.replace(found, signal=found.signal.reshape(*grid, *y.shape[1:]))

    def _system(self, Phi: Any, y: np.ndarray) -> tuple[Any, np.ndarray]:
        """Real numbers where the signals are real."""
        if len(y) != Phi.shape[0]:
            raise InputError(f"y must have {Phi.shape[0]} measurements, got shape {y.shape}", argument="y")
        if self._complex():
            return Phi, y
        if y.dtype.kind == "c" and not is_complex(Phi):
            raise InputError("y is complex, but the measurement of real signals is real: give complex_signals=True",
                             argument="y")  # fmt: skip
        return (real_form(Phi), split(y)) if is_complex(Phi) else (Phi, y)

    def _complex(self) -> bool:
        allowed: bool = check_choice("complex_signals", self.complex_signals, [True, False])
        return allowed

    def _grid(self, given: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of one signal."""
        if self.shape is None:
            if len(given) > 2:
                raise InputError(f"x has {len(given)} axes: give the shape of one signal, such as shape={given[:2]}",
                                 argument="x")  # fmt: skip
            return given
        grid = check_grid("shape", self.shape)
        if given[: len(grid)] != grid or len(given) > len(grid) + 1:
            raise InputError(f"x must have the shape {grid}, or one more axis for several signals, got {given}",
                             argument="x")  # fmt: skip
        return grid

    def _require_seed(self, grid: tuple[int, ...]) -> None:
        """Measurements that were not made here come from the same Φ only if a seed says so."""
        if self._is_drawn(grid) or getattr(as_measurement(self.measurement), "random_state", 0) is not None:
            return
        raise InputError(
            "y was not measured by this sensor, and its measurement has no seed: give the random_state that y was "
            "measured with, as in PartialDCT(0.25, random_state=0)",
            argument="measurement",
        )

    def _is_drawn(self, grid: tuple[int, ...]) -> bool:
        drawn = getattr(self, "_drawn_for", None)
        return (
            drawn is not None
            and drawn[:1] == (grid,)
            and drawn[1] is self.measurement
            and drawn[2] == repr(self.measurement)
        )

    def _drawn(self, grid: tuple[int, ...]) -> Any:
        """Φ, the one that was used before where it fits: a seed that is None must not be drawn from twice."""
        if not self._is_drawn(grid):
            self.measurement_operator_ = as_measurement(self.measurement).operator(grid)
            self.shape_, self._drawn_for = grid, (grid, self.measurement, repr(self.measurement))
        return self.measurement_operator_

    def _numbers(self, name: str, given: Any, complex_ok: bool = False) -> np.ndarray:
        x = np.asarray(given)
        if x.dtype.kind not in "fiubc" or x.ndim == 0 or x.size == 0:
            raise InputError(f"{name} must be an array of numbers, got {x.dtype} of shape {x.shape}", argument=name)
        check_finite(name, x, "replace them, or leave out those measurements")
        if x.dtype.kind == "c" and not (complex_ok or self._complex()):
            raise InputError(f"{name} is complex: give complex_signals=True, or its real part", argument=name)
        return x
