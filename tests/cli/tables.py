"""Tables for the command line: good ones, and every bad one a user may bring, each with what the complaint must say."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def plants(path: Path, n: int = 120, seed: int = 0) -> Path:
    """bloom is yes where height is large; colour helps a little, noise does not; a date and a note come along."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        height, noise = rng.normal(10, 2), rng.normal()
        colour = ("red", "blue", "white")[rng.integers(3)]
        bloom = "yes" if height + (colour == "red") > 10 else "no"
        note = " ".join(f"{w:06x}" for w in rng.integers(0, 1 << 24, 5))
        rows.append(
            (f"{height:.4f}", f"{noise:.4f}", colour, 7, f"2024-{i % 12 + 1:02d}-{i % 28 + 1:02d}", note, bloom)
        )
    return write_csv(path, ("height", "noise", "colour", "seven", "seen", "note", "bloom"), rows)


class Bad(NamedTuple):
    """A table that cannot be used, and words of the complaint."""

    make: Callable[[Path], Path]
    says: Sequence[str]


def _rows(n: int = 40) -> list[list[Any]]:
    rng = np.random.default_rng(1)
    return [[f"{rng.normal():.3f}", f"{rng.normal():.3f}", i % 2] for i in range(n)]


def _text(name: str, content: str | bytes) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def _table(header: Sequence[str], rows: list[list[Any]]) -> Callable[[Path], Path]:
    return lambda folder: write_csv(folder / "t.csv", header, rows)


def _with(column: int, value: Callable[[int, Any], Any], n: int = 40) -> list[list[Any]]:
    rows = _rows(n)
    for i, row in enumerate(rows):
        row[column] = value(i, row[column])
    return rows


A_B_Y = ("a", "b", "y")

BAD = {
    "missing file": Bad(lambda folder: folder / "nothing.csv", ["nothing.csv"]),
    "not a table": Bad(_text("t.pdf", b"%PDF-1.7\x00\x01\x02"), ["t.pdf"]),
    "not a table, named csv": Bad(_text("t.csv", bytes(range(256)) * 40), ["t.csv"]),
    "empty": Bad(_text("t.csv", ""), ["t.csv", "empty"]),
    "header only": Bad(_text("t.csv", "a,b,y\n"), ["row"]),
    "one row": Bad(_text("t.csv", "a,b,y\n1,2,0\n"), ["row"]),
    "duplicate columns": Bad(_table(("a", "a", "y"), _rows()), ["'a'"]),
    "target misspelt": Bad(_table(("a", "b", "yy"), _rows()), ["'y'", "did you mean 'yy'"]),
    "target constant": Bad(_table(A_B_Y, _with(2, lambda i, v: 1)), ["'y'", "constant"]),
    "target all missing": Bad(_table(A_B_Y, _with(2, lambda i, v: "")), ["'y'", "missing"]),
    "class with one row": Bad(_table(A_B_Y, _with(2, lambda i, v: "once" if i == 9 else f"c{v}")), ["'y'", "'once'"]),
    "all features constant": Bad(_table(A_B_Y, [[1, 2, i % 2] for i in range(40)]), ["constant"]),
    "column entirely missing": Bad(_table(A_B_Y, _with(0, lambda i, v: "")), ["'a'", "missing"]),
    "infinities": Bad(_table(A_B_Y, _with(1, lambda i, v: "inf" if i == 5 else v)), ["'b'", "inf"]),
    "not UTF-8": Bad(_text("t.csv", "a,b,y\n1,caf\xe9,0\n2,th\xe9,1\n".encode("latin-1") * 20), ["UTF-8"]),
    "ragged": Bad(_text("t.csv", "a,b,y\n" + "1,2,0\n" * 20 + "1,2,0,9,9\n" + "3,4,1\n" * 20), ["line 22", "5 fields"]),
    "zero-byte Parquet": Bad(_text("t.parquet", b""), ["t.parquet"]),
    "not Parquet": Bad(_text("t.parquet", b"a,b,y\n1,2,0\n"), ["t.parquet"]),
    "empty folder": Bad(lambda folder: _made(folder / "tables"), ["tables"]),
}  # fmt: skip


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
