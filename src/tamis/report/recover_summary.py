"""Answer of ``tamis recover`` → plain dictionary → page."""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np

from tamis.report.charts import GREY, PALETTE, Spec
from tamis.report.html import page
from tamis.report.provenance import made
from tamis.sensing import Samples
from tamis.studies.images import data_uri
from tamis.studies.recover_answer import RecoverAnswer, measurement_name, seen
from tamis.studies.sounds import sound_bytes

STRETCH = 600  # samples of a signal that are drawn
HEIGHT = 220


def summarise_recovery(answer: RecoverAnswer) -> dict[str, Any]:
    """Numbers and words, for JSON, the terminal and the page."""
    measure = "PSNR" if answer.signal.kind == "image" else "SNR"
    taken, n = _counts(answer)
    return {
        "question": {"file": answer.question.file.name, "command": answer.question.command, "kind": answer.signal.kind},
        "answer": _sentences(answer, measure),
        "measured": {
            "numbers": n,
            "measurements": taken,
            "rate": taken / n,
            "measurement": measurement_name(answer.measurement),
            "pattern": getattr(answer.measurement, "pattern", None),
            "seed": answer.question.seed,
            "basis": answer.basis,
            "window": getattr(answer.sensor.basis, "window", None),
        },
        "recovered": {
            "error": measure,
            "decibels": _finite(answer.decibels),
            "without_sparsity": _finite(answer.direct_decibels),
            "method": answer.question.method,
            "alpha": answer.alpha,
            "time_limit": answer.question.time_limit,
            "status": str(answer.recovery.status),
            "n_iter": answer.recovery.n_iter,
            "non_zeros": int(np.count_nonzero(answer.recovery.code)),
            "seconds": round(answer.seconds, 3),
        },
        "made": made(),
    }


ENDED = {
    "time_limit": "The recovery was ended after {} s, before it converged: --time-limit gives it more.",
    "max_iter": "The recovery took all its iterations before it converged.",
    "stalled": "The recovery stalled before it converged: nothing improved any more.",
    "interrupted": "The recovery was interrupted before it converged.",
}


def _sentences(answer: RecoverAnswer, measure: str) -> list[str]:
    taken, n = _counts(answer)
    first = (
        f"From {taken:,} measurements of {n:,} numbers ({100 * taken / n:.0f} %) the {answer.signal.kind} comes back "
        f"{_with(measure, answer.decibels)}."
    )
    ended = ENDED.get(str(answer.recovery.status), "").format(f"{answer.question.time_limit:g}")
    return [first, _beside(answer, measure), *([ended] if ended else [])]


def _beside(answer: RecoverAnswer, measure: str) -> str:
    """What the measurements give without sparsity, and why sparsity did not help where it did not."""
    better = answer.decibels - answer.direct_decibels
    direct = _with(measure, answer.direct_decibels)
    if answer.direct_decibels > NO_ERROR:
        return "The measurements determine it without sparsity."
    if math.isnan(better) or better > 0:
        return f"The same measurements without sparsity give it {direct}."
    why = ": it is not sparse enough in this basis at this rate" if answer.recovery.status == "converged" else ""
    return f"That is no better than the same measurements without sparsity, {direct}{why}."


def _counts(answer: RecoverAnswer) -> tuple[int, int]:
    """Measurements and numbers, of all channels."""
    return answer.y.size, answer.signal.values.size


def _with(measure: str, decibels: float) -> str:
    return f"with {measure} {_db(decibels)}" if decibels < NO_ERROR or math.isnan(decibels) else "without any error"


NO_ERROR = 150.0  # decibels: what is left is rounding


def render_recovery(answer: RecoverAnswer, summary: dict[str, Any]) -> str:
    """The page: original, measurements and recovery side by side."""
    image = answer.signal.kind == "image"
    specs = {} if image else {"signals": _signals(answer), "measurements": _measured(answer)}
    pictures = _pictures(answer) if image else []
    sounds = _sounds(answer) if answer.signal.kind == "sound" else []
    return page("recover.html", specs, s=summary, pictures=pictures, sounds=sounds, image=image)


def _pictures(answer: RecoverAnswer) -> list[dict[str, str]]:
    measured = seen(answer)
    what = "Where its spectrum was sampled" if measured is not None else "Measurements, row by row"
    if isinstance(answer.measurement, Samples):
        what = "The pixels that were seen"
    return [
        {"uri": data_uri(answer.signal.values), "caption": "Original"},
        {"uri": data_uri(_rectangle(answer.y) if measured is None else measured), "caption": what},
        {"uri": data_uri(answer.direct), "caption": f"Without sparsity, {_db(answer.direct_decibels)}"},
        {"uri": data_uri(answer.recovered), "caption": f"Recovered, {_db(answer.decibels)}"},
    ]


def _rectangle(y: np.ndarray) -> np.ndarray:
    """Measurements as grey values, from least to largest, in a square of rows."""
    values = np.abs(y.reshape(len(y), -1)).mean(axis=1) if y.dtype.kind == "c" else y.reshape(len(y), -1).mean(axis=1)
    low, high = np.quantile(values, [0.01, 0.99])
    width = math.isqrt(len(values) - 1) + 1
    out = np.ones(width * width)
    out[: len(values)] = np.clip((values - low) / max(high - low, 1e-300), 0.0, 1.0)
    return out.reshape(width, width)


def _sounds(answer: RecoverAnswer) -> list[dict[str, str]]:
    rate = answer.signal.sample_rate or 1
    return [
        {"uri": "data:audio/wav;base64," + base64.b64encode(sound_bytes(rate, values)).decode(), "caption": caption}
        for values, caption in ((answer.signal.values, "Original"), (answer.recovered, "Recovered"))
        if values.size <= 4_000_000  # a page of more than 10 MB opens slowly
    ]


def _stretch(n: int) -> slice:
    """The middle, where a sound is not silent yet."""
    return slice(0, n) if n <= STRETCH else slice((n - STRETCH) // 2, (n - STRETCH) // 2 + STRETCH)


def _signals(answer: RecoverAnswer) -> Spec:
    one, second = _stretch(answer.signal.shape[0]), answer.signal.sample_rate or 1
    lines = {"original": answer.signal.values, "recovered": answer.recovered}
    rows = [
        {"t": (one.start + i) / second, "line": name, "value": float(f"{v:.5g}")}
        for name, values in lines.items()
        for i, v in enumerate(_first(values)[one])
    ]
    colour = {"field": "line", "type": "nominal", "title": None,
              "scale": {"domain": list(lines), "range": [GREY, PALETTE[0]]}}  # fmt: skip
    mark = {"type": "line", "strokeWidth": 1.4}
    return _chart(rows, {"mark": mark, "encoding": {**_axes(_time(answer)), "color": colour}})


def _measured(answer: RecoverAnswer) -> Spec:
    y = np.abs(_first(answer.y)) if answer.y.dtype.kind == "c" else _first(answer.y)
    if isinstance(answer.measurement, Samples):
        one, at = _stretch(answer.signal.shape[0]), answer.sensor.measurement_operator_.rows
        inside = (at >= one.start) & (at < one.stop)
        second = answer.signal.sample_rate or 1
        rows = [{"t": int(t) / second, "value": float(f"{v:.5g}")} for t, v in zip(at[inside], y[inside], strict=True)]
        mark = {"type": "point", "size": 14, "color": PALETTE[1]}
        return _chart(rows, {"mark": mark, "encoding": _axes(_time(answer))})
    rows = [{"t": i, "value": float(f"{v:.5g}")} for i, v in enumerate(y[_stretch(len(y))], _stretch(len(y)).start)]
    return _chart(rows, {"mark": {"type": "bar", "color": PALETTE[1]}, "encoding": _axes("measurement", zero=True)})


def _time(answer: RecoverAnswer) -> str:
    return "seconds" if answer.signal.sample_rate else "sample"


def _axes(title: str, zero: bool = False) -> Spec:
    x = {"field": "t", "type": "quantitative", "title": title, "scale": {"zero": False, "nice": False}}
    return {"x": x, "y": {"field": "value", "type": "quantitative", "title": None, "scale": {"zero": zero}}}


def _chart(rows: list[dict[str, Any]], layer: Spec) -> Spec:
    size = {"width": "container", "height": HEIGHT, "autosize": {"type": "fit-x", "contains": "padding"}}
    return {"data": {"values": rows}, **size, "layer": [layer]}


def _first(values: np.ndarray) -> np.ndarray:
    return values if values.ndim == 1 else values[:, 0]


def _db(value: float) -> str:
    return f"{value:.1f} dB" if math.isfinite(value) else "without any error" if value > 0 else "−∞ dB"


def _finite(value: float) -> float | None:
    return round(value, 3) if math.isfinite(value) else None
