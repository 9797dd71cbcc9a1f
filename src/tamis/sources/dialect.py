"""How a CSV file is written: separator, decimal sign, header; and what is wrong when it cannot be read."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from tamis._core.errors import InputError

SAMPLE = 1 << 16
SEPARATORS = ",;\t"
DAMAGED = (OSError, EOFError, zlib.error)  # what reading a file raises, a compressed one among them


class Dialect(NamedTuple):
    separator: str
    decimal: str
    names: list[str]
    has_rows: bool


def dialect_of(path: Path) -> Dialect:
    """Found at the beginning of the file, which must be UTF-8 text with a first line of names."""
    text = _beginning(path)
    lines = text.splitlines()
    if not lines or not lines[0].strip():
        raise InputError(f"{path} has no header: the first line must name the columns")
    separator = max(SEPARATORS, key=lambda s: _outside_quotes(lines[0]).count(s))
    if ".tsv" in path.suffixes[-2:]:
        separator = "\t"
    names = next(csv.reader(lines, delimiter=separator))
    decimal = "," if separator == ";" and _has_comma_decimals(text) else "."
    has_rows = len(text) > SAMPLE // 4 or any(line.strip() for line in lines[1:])
    return Dialect(separator, decimal, names, has_rows)


def separator_hint(names: Sequence[str]) -> str:
    """Why a column may be missing: all names became one, for they are separated by something else."""
    if len(names) > 1 or not re.search(r"\S[\s|:^~]+\S", names[0]):
        return ""
    return ": the separator was not recognised, it must be a comma, a semicolon or a tab"


def complaint(path: Path, dialect: Dialect, error: Exception) -> InputError:
    """What is wrong, in one line, found by reading again, slowly."""
    try:
        found = _not_utf8(path) or _ragged(path, dialect)
    except DAMAGED as damage:
        return InputError(f"{path} cannot be read: {_one_line(damage)}")
    return found or InputError(f"{path} cannot be read as CSV: {_one_line(error)}")


def _beginning(path: Path) -> str:
    try:
        with _binary(path) as file:
            data = file.read(SAMPLE)
    except DAMAGED as error:
        raise InputError(f"{path} cannot be read: {_one_line(error)}") from None
    if not data:
        raise InputError(f"{path} is empty (0 bytes)")
    if b"\0" in data:
        wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        what = "is written in UTF-16: save it as UTF-8" if wide else "is not a table: it holds binary data, not text"
        raise InputError(f"{path} {what}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(data) - 4:  # else a character was cut in two by the end of the sample
            raise _not_utf8(path) or InputError(f"{path} is not UTF-8") from None
        return data[: error.start].decode("utf-8-sig")


def _binary(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path, "rb")) if path.suffix == ".gz" else path.open("rb")


def _outside_quotes(line: str) -> str:
    return re.sub(r'"[^"]*"', "", line)


def _has_comma_decimals(text: str) -> bool:
    commas, points = (re.search(rf"(^|;)\s*-?\d+{sign}\d+\s*(;|$)", text, re.M) for sign in (",", r"\."))
    return commas is not None and points is None


def _not_utf8(path: Path) -> InputError | None:
    with _binary(path) as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                byte = f"byte {line[error.start]:#04x} in line {number:,}"
                return InputError(
                    f"{path} is not written in UTF-8 ({byte}): save it as UTF-8, say with iconv -f latin1 -t utf-8"
                )
    return None


def _ragged(path: Path, dialect: Dialect) -> InputError | None:
    expected = len(dialect.names)
    try:
        for line, fields in _fields(path, dialect):
            if fields and len(fields) != expected:
                return InputError(
                    f"{path}, line {line:,}, has {len(fields)} fields where the header has {expected}: correct it"
                )
    except csv.Error as error:
        return InputError(f"{path} cannot be read as CSV: {_one_line(error)}")
    return None


def _fields(path: Path, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=dialect.separator)
        line = 1
        for fields in reader:
            yield line, fields
            line = reader.line_num + 1


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
