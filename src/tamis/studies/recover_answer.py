"""The work of ``tamis recover``."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tamis._core.checks import check_number
from tamis._core.errors import InputError, about
from tamis._core.files import write_file
from tamis.operators import real_form, split
from tamis.operators.base import is_complex
from tamis.sensing import CompressedSensor, Gabor, PartialDCT, PartialFourier, Recovery, Samples
from tamis.sensing.bases import as_basis
from tamis.sensing.measurements import MEASUREMENTS, Measurement
from tamis.sensing.recoveries import RECOVERIES, RecoveryMethod
from tamis.sources import as_source, gather
from tamis.studies.images import TRANSPARENT, WRITTEN, Picture, check_image_name, read_picture, write_image
from tamis.studies.outputs import check_written
from tamis.studies.recover import RecoverQuestion
from tamis.studies.sounds import Sound, read_sound, write_sound

SHORT = 256  # samples of a sound with no room for windows
WINDOW = 0.064  # seconds in which a sound stays about the same
SHARE = 1e-3  # of the α at which the code is zero: natural signals are nearly sparse, and their coefficients fall fast
LOOSE = 0.1  # of α over the largest: the gap, relative, at which more digits are not seen in a picture
DEFAULTS = {"image": ("partial_fourier", "bior4.4"), "sound": ("samples", "gabor"), "column": ("samples", "dct")}


@dataclass(frozen=True)
class Signal:
    """What a file holds: one image or signal of ``shape``, or several along the last axis of ``values``; and the
    picture or sound that was read, whose kind of numbers the result gets.
    """

    kind: str
    values: np.ndarray
    shape: tuple[int, ...]
    name: str
    picture: Picture | None = None
    sound: Sound | None = None

    @property
    def sample_rate(self) -> int | None:
        return None if self.sound is None else self.sound.rate


@dataclass(frozen=True)
class RecoverAnswer:
    """The original, what was measured, the recovery, and how far each is from the original.

    ``direct`` is what the measurements alone give, without a word of sparsity: the signal of least ℓ₂ norm, Φᴴy scaled
    to fit them. Errors are in decibels: PSNR of images, SNR of signals; infinite where nothing differs.
    """

    question: RecoverQuestion
    signal: Signal
    measurement: Measurement
    basis: str
    sensor: CompressedSensor
    y: np.ndarray
    recovery: Recovery
    recovered: np.ndarray
    direct: np.ndarray
    decibels: float
    direct_decibels: float
    seconds: float

    @property
    def n_measurements(self) -> int:
        return len(self.y)

    @property
    def alpha(self) -> float | None:
        """The one that was used, None where the method has none."""
        return getattr(self.recovery.certificate, "alpha", self.question.alpha)


def check(question: RecoverQuestion) -> None:
    """Complain about files and options before any work."""
    kind = kind_of(question.file)
    check_written(question, {"out": question.out, "report": question.report}, [], [question.file])
    if question.out is not None:
        _check_ending(question.out, kind)
    check_number("rate", question.rate, above=0.0, at_most=1.0)
    check_number("time_limit", question.time_limit, above=0.0)
    if question.column is not None and kind != "column":
        raise InputError(f"column is for tables, and {question.file.name!r} holds one {kind}", argument="column")
    _measurement(question, kind)
    _method(question)
    as_basis(_basis(question, kind))


def answer(question: RecoverQuestion) -> RecoverAnswer:
    signal = read_signal(question.file, question.column)
    measurement, basis = _measurement(question, signal.kind), _basis(question, signal.kind)
    if question.basis is None and basis == "gabor" and signal.shape[0] < SHORT:
        basis = "dct"
    given = Gabor(window_of(signal)) if basis == "gabor" else basis
    sensor = CompressedSensor(measurement, given, _method(question), shape=signal.shape)
    begun = time.monotonic()
    y = sensor.measure(signal.values)
    direct = _least_norm(sensor, y, signal)
    found = _recovered(question, sensor, y)
    seconds = time.monotonic() - begun
    recovered = np.clip(found.signal, 0.0, 1.0) if signal.kind == "image" else found.signal
    direct_error, error = (decibels(signal, values) for values in (direct, recovered))
    return RecoverAnswer(question, signal, measurement, basis, sensor, y, found, recovered, direct, error, direct_error,
                         seconds)  # fmt: skip


def window_of(signal: Signal) -> int:
    """Samples of a window for Gabor frames: a power of two near WINDOW seconds, at most a quarter of the signal.

    The longer a window, the more of its samples are seen, as long as the sound in it is a few steady waves.
    """
    long = signal.sample_rate * WINDOW if signal.sample_rate else signal.shape[0] / 16
    at_most = max(1.0, signal.shape[0] / 4)
    return int(2 ** round(math.log2(max(2.0, min(long, at_most)))))


def kind_of(path: Path) -> str:
    """image, sound or column, by the ending of the name."""
    ending = path.suffix.lower()
    if ending in (".wav", ".wave"):
        return "sound"
    return "image" if ending in WRITTEN or ending in (".gif", ".webp", ".ppm", ".pgm") else "column"


def read_signal(path: Path, column: str | None) -> Signal:
    kind = kind_of(path)
    if kind == "image":
        picture = read_picture(path, argument="file")
        return Signal(kind, picture.pixels / picture.white, picture.pixels.shape[:2], path.name, picture)
    if kind == "sound":
        sound = read_sound(path, argument="file")
        return Signal(kind, sound.samples, sound.samples.shape[:1], path.name, sound=sound)
    with about("file"):
        source = as_source(path)
        name = _column(source, column)
        values = np.asarray(gather(source, [source.names.index(name)]).X, dtype=np.float64).ravel()
        lost = np.flatnonzero(~np.isfinite(values))
        if len(lost):
            raise InputError(
                f"column {name!r} has {len(lost):,} missing or infinite values, the first in row {lost[0] + 1:,}: "
                "fill them in, or leave those rows out",
                argument="column",
            )
    return Signal(kind, values, values.shape, name)


def _column(source: Any, name: str | None) -> str:
    numbers = [c.name for c in source.schema.columns if c.levels is None and c.readable]
    if name is not None:
        if name not in source.names:
            raise InputError(f"column {name!r} is not in the table, which has {', '.join(source.names[:8])}",
                             argument="column")  # fmt: skip
        if name not in numbers:
            raise InputError(f"column {name!r} does not hold numbers", argument="column")
        return name
    if not numbers:
        raise InputError("the table has no column of numbers", argument="file")
    return str(numbers[0])


def write_result(path: Path, answer: RecoverAnswer) -> str:
    """In the kind of numbers that was read, where the format has it; returns what was written, in words."""
    picture, sound = answer.signal.picture, answer.signal.sound
    if picture is not None:
        result = picture.with_shares(answer.recovered)
        bits = write_image(path, result.pixels, result.alpha)
        return f"{bits} bits a channel" + ("" if picture.alpha is None else f", {_transparency(path)}")
    if sound is not None:
        write_sound(path, sound.rate, answer.recovered, sound.dtype)
        return f"samples of {8 * sound.dtype.itemsize} bits" + (", floats" if sound.dtype.kind == "f" else "")
    write_file(path, "\n".join([_quoted(answer.signal.name), *map(repr, answer.recovered.tolist())]) + "\n")
    return "one column"


def _transparency(path: Path) -> str:
    return "transparency as in the original" if WRITTEN[path.suffix.lower()] in TRANSPARENT else "on white"


def decibels(signal: Signal, values: np.ndarray) -> float:
    """PSNR of an image with values between 0 and 1, SNR of anything else."""
    error = float(np.mean((values - signal.values) ** 2))
    power = 1.0 if signal.kind == "image" else float(np.mean(signal.values**2))
    if error == 0.0:
        return float("inf")
    return 10.0 * float(np.log10(power / error)) if power > 0 else float("-inf")


def _measurement(question: RecoverQuestion, kind: str) -> Measurement:
    name = _name(question.measurement, kind, 0)
    settings: dict[str, Any] = {"rate": question.rate, "random_state": question.seed}
    if name in ("partial_fourier", "partial_dct"):
        settings["pattern"] = question.pattern or "density"
    elif question.pattern is not None:
        raise InputError(f"pattern means nothing to {name.replace('_', '-')}", argument="pattern")
    return MEASUREMENTS[name](**settings)


def measurement_name(measurement: Measurement) -> str:
    """As the option has it."""
    found = (name for name, kind in MEASUREMENTS.items() if kind is type(measurement))
    return next(found, type(measurement).__name__).replace("_", "-")


def _name(given: str | None, kind: str, which: int) -> str:
    return DEFAULTS[kind][which] if given is None else given


def _basis(question: RecoverQuestion, kind: str) -> str:
    """Total variation is that of the image itself."""
    return (
        "identity"
        if question.method == "total_variation" and question.basis is None
        else _name(question.basis, kind, 1)
    )


def _method(question: RecoverQuestion) -> RecoveryMethod:
    method = RECOVERIES[question.method]()
    taken = method.get_params(deep=False)
    for name in ("n_nonzero", "alpha"):
        if getattr(question, name) is not None and name not in taken:
            raise InputError(f"{name} means nothing to {question.method.replace('_', '-')}", argument=name)
    return method


def _recovered(question: RecoverQuestion, sensor: CompressedSensor, y: np.ndarray) -> Recovery:
    """The recovery; where it has an α, along falling ones, each from the code of the last: that takes fewer steps."""
    taken = RECOVERIES[question.method]().get_params(deep=False)
    options: dict[str, Any] = {} if question.n_nonzero is None else {"n_nonzero": question.n_nonzero}
    if question.method == "total_variation":
        options = {"noise": 0.0} if question.alpha is None else {"alpha": question.alpha}
    if "alpha" not in taken or question.method == "total_variation":
        return sensor.recover(y, **options, **({"time_limit": question.time_limit} if "time_limit" in taken else {}))
    largest = _largest_alpha(sensor, y)
    alpha = SHARE * largest if question.alpha is None else check_number("alpha", question.alpha, above=0.0)
    end, found = time.monotonic() + question.time_limit, None
    for step in _falling(largest, alpha):
        left = max(1e-9, end - time.monotonic())  # where the time is over, it says so
        found = sensor.recover(
            y, **options, alpha=step, tol=LOOSE * min(1.0, step / largest), time_limit=left, start=found
        )
        if found.status != "converged":
            break
    assert found is not None
    return found


def _falling(largest: float, alpha: float) -> np.ndarray:
    """From a tenth of the α at which the code is zero down to the one that is asked for."""
    steps = max(0, math.ceil(math.log10(max(0.1 * largest / alpha, 1.0)) - 1e-9))
    return np.append(0.1 * largest * 10.0 ** -np.arange(steps, dtype=float), alpha)


def _largest_alpha(sensor: CompressedSensor, y: np.ndarray) -> float:
    """‖Aᴴy‖∞/m, from which on the code is zero."""
    Phi = sensor.measurement_operator_
    A = real_form(Phi) @ as_basis(sensor.basis).operator(sensor.shape_)
    largest = float(np.abs(A.H @ (split(y) if is_complex(Phi) else y)).max())
    return largest / A.shape[0] if largest > 0 else 1.0


def _least_norm(sensor: CompressedSensor, y: np.ndarray, signal: Signal) -> np.ndarray:
    """Φᴴy, with the scale that fits y best: rows of Φ are orthogonal, or nearly so."""
    Phi = sensor.measurement_operator_
    x = np.real(Phi.H @ y)
    image = Phi @ x
    size = np.vdot(image, image).real
    x = x * (np.vdot(image, y).real / size) if size > 0 else x
    x = x.reshape(signal.values.shape)
    return np.clip(x, 0.0, 1.0) if signal.kind == "image" else x


def seen(answer: RecoverAnswer) -> np.ndarray | None:
    """Where an image or its spectrum was sampled, as an array between 0 and 1; None where neither is what was seen."""
    shape = answer.signal.shape
    if isinstance(answer.measurement, (PartialFourier, PartialDCT)) and len(shape) == 2:
        spectrum = np.zeros(shape)
        rows = answer.sensor.measurement_operator_.parts[0].rows
        size = np.log1p(np.abs(answer.y.reshape(len(rows), -1)).mean(axis=1))
        spectrum.flat[rows] = 0.15 + 0.85 * size / max(size.max(), 1e-300)
        return np.fft.fftshift(spectrum) if isinstance(answer.measurement, PartialFourier) else spectrum
    if isinstance(answer.measurement, Samples) and len(shape) == 2:
        mask = np.zeros(shape)
        mask.flat[answer.sensor.measurement_operator_.rows] = 1.0
        return answer.signal.values * (mask if answer.signal.values.ndim == 2 else mask[..., None])
    return None


def _check_ending(out: Path, kind: str) -> None:
    if kind == "image":
        check_image_name(out, "out")
    ending = {"sound": (".wav", ".wave"), "column": (".csv",)}.get(kind)
    if ending is not None and out.suffix.lower() not in ending:
        raise InputError(f"cannot write {str(out)!r}: a {kind} is written to a name that ends with {ending[0]}",
                         argument="out")  # fmt: skip


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',"\n\r') else name
