"""Settings of the whole library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real

from tamis._core.errors import InputError

UNITS = {"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
_UNCHANGED = "unchanged"
_settings: dict[str, int | None] = {"memory_limit": None}


def set_config(*, memory_limit: float | str | None = _UNCHANGED) -> None:
    """Change settings of the library, for this process.

    Parameters
    ----------
    memory_limit : number of bytes, str such as ``"1 GB"``, or None
        How much memory a call may take beside the data it is given. Rows of files that would need more are not held
        but read again in each pass, and work that cannot do with it says so before it starts. None, as at first: rows
        are held where they take at most a quarter of the memory that is free, and work is refused only where it needs
        more than all of it.

    Examples
    --------
    >>> import tamis
    >>> tamis.set_config(memory_limit="1 GB")
    >>> tamis.get_config()
    {'memory_limit': 1000000000}
    >>> tamis.set_config(memory_limit=None)
    """
    if not (isinstance(memory_limit, str) and memory_limit == _UNCHANGED):
        _settings["memory_limit"] = None if memory_limit is None else _bytes(memory_limit)


def get_config() -> dict[str, int | None]:
    """The settings as they are."""
    return dict(_settings)


@contextmanager
def config_context(*, memory_limit: float | str | None) -> Iterator[None]:
    """Other settings within a block.

    Examples
    --------
    >>> import tamis
    >>> with tamis.config_context(memory_limit="500 MB"):
    ...     model = tamis.PCA(2).fit([[1.0, 2.0], [3.0, 1.0], [0.0, 4.0]])
    """
    before = get_config()
    set_config(memory_limit=memory_limit)
    try:
        yield
    finally:
        _settings.update(before)


def memory_limit() -> int | None:
    return _settings["memory_limit"]


def _bytes(given: float | str) -> int:
    found: float | None = None
    if isinstance(given, str):
        number = given.strip()
        unit = next((u for u in UNITS if number.lower().endswith(u.lower())), None)
        text = number if unit is None else number[: -len(unit)]
        try:
            found = float(text) * (1.0 if unit is None else UNITS[unit])
        except ValueError:
            found = None
    elif isinstance(given, Real) and not isinstance(given, bool):
        found = float(given)
    if found is None or not 1 <= found < float("inf"):
        raise InputError(
            f"memory_limit must be a number of bytes or a text such as '1 GB', got {given!r}", argument="memory_limit"
        )
    return int(found)
