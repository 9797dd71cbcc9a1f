"""``tamis fit``: read, fit, print, save; or open, predict, write."""

from __future__ import annotations

import csv
import io
import json
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tamis._core.errors import InputError
from tamis._core.files import is_standard_output, write_file
from tamis.cli.described import describe
from tamis.cli.fitting import Wanted, check_options, fit_table
from tamis.cli.output import checked_output
from tamis.cli.printing import notes, print_path, stderr_console, stdout_console
from tamis.cli.printing import tell as print_notes
from tamis.cli.progress import watching
from tamis.cli.saved import TableModel, load, save
from tamis.cli.telling import tell


@dataclass(frozen=True)
class Wish:
    """The options of ``tamis fit``; None and empty lists where the user said nothing."""

    table: Path | None = None
    model: Path | None = None
    out: Path | None = None
    predict: Path | None = None
    as_json: bool = False
    options: dict[str, Any] = field(default_factory=dict)  # of Wanted, by name

    def checked(self) -> Wish:
        """A table to fit with its target, or a saved model: one of them, and no option of the other."""
        said = [name for name, value in self.options.items() if value not in (None, [])]
        if self.table is None and self.model is None:
            raise InputError("give a table to fit and its --target, or a saved --model")
        if self.table is not None and self.model is not None:
            raise InputError("give a table to fit or a saved --model, not both; rows to predict go to --predict")
        if self.model is not None and said:
            raise InputError(f"--{said[0].replace('_', '-')} is for fitting: a saved --model has been fitted")
        if self.model is not None and self.out is not None and self.predict is None:
            raise InputError("--out has nothing to write: with --model it takes the predictions of --predict")
        if self.table is not None and self.options.get("target") is None:
            raise InputError("--target is missing: the column to predict")
        if self.table is not None and is_standard_output(self.out) and (self.as_json or self.predict is not None):
            what = "--json" if self.as_json else "--predict"
            raise InputError(f"--out goes to standard output, where {what} prints too: give --out the name of a file")
        return self

    @property
    def wanted(self) -> Wanted:
        return Wanted(**{name: value for name, value in self.options.items() if value is not None})

    @property
    def command(self) -> str:
        """What to type to do it again."""
        words = ["tamis", "fit", str(self.table)]
        for name, value in self.options.items():
            for item in value if isinstance(value, list) else [value]:
                words += [] if item is None else [f"--{name.replace('_', '-')}", str(item)]
        for name, path in (("out", self.out), ("predict", self.predict)):
            words += [] if path is None else [f"--{name}", str(path)]
        return shlex.join(words)


def fit_model(wish: Wish) -> None:
    """The verb: complaints come before work, files before words."""
    wish = wish.checked()
    out = checked_output(wish.out, [wish.table, wish.predict], [wish.model])
    if wish.model is not None:
        use_saved(wish, load(wish.model), out)
        return
    fit_new(wish, out)


def fit_new(wish: Wish, out: Path | None) -> None:
    from tamis.sources import as_source

    wanted, console = wish.wanted, stderr_console()
    check_options(wanted)
    assert wish.table is not None
    if wish.predict is not None:
        as_source(wish.predict)  # a file that is not there is a complaint before the work, not after
    with watching(console) as watched:
        fitted = fit_table(as_source(wish.table, target=wanted.target), wanted, watched)
    told = describe(fitted, str(wish.table), wish.command)
    predicted = None
    if wish.predict is not None:
        predicted, strange = TableModel(fitted.model, fitted.codebook, told).predict(wish.predict)
        told["data"]["warnings"] += [f"{wish.predict.name}: {note}" for note in strange]
    if out is not None:
        save(out, fitted, told)
    if wish.as_json:
        dump(told if predicted is None else told | {"predictions": predicted})
        print_notes(notes(told), console)
    else:
        tell(told, console if predicted is not None or is_standard_output(out) else stdout_console(), console)
        sys.stdout.write("" if predicted is None else as_csv(predicted))
    if out is not None:
        print_path("Model", out, console)


def use_saved(wish: Wish, saved: TableModel, out: Path | None) -> None:
    """Predict with a saved model, or tell what it is."""
    console = stderr_console()
    if wish.predict is None:
        dump(saved.told) if wish.as_json else tell(saved.told, stdout_console(), console)
        return
    predicted, strange = saved.predict(wish.predict)
    text = as_json(predicted) if wish.as_json else as_csv(predicted)
    if out is None:
        sys.stdout.write(text)
    else:
        write_file(out, text)
        print_path("Predictions", out, console)
    print_notes(strange, console)


def dump(document: dict[str, Any]) -> None:
    sys.stdout.write(as_json(document))


def as_json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def as_csv(columns: dict[str, list[Any]]) -> str:
    """One row per row predicted; numbers as short as they can be read back exactly."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()
