"""Results as frames: of the library the user works with."""

from __future__ import annotations

from typing import Any

LIBRARIES = ("pandas", "polars", "pyarrow")


def frame_library(X: Any) -> str | None:
    """The frame library X comes from; None for arrays, files and all else."""
    library = type(X).__module__.partition(".")[0]
    return library if library in LIBRARIES else None


def as_frame(columns: dict[str, list[Any]], library: str | None) -> Any:
    """A frame of the library, else of the first of pandas, polars and pyarrow that is there, else the dict itself."""
    import narwhals.stable.v2 as nw

    for name in (library,) if library else LIBRARIES:
        try:
            return nw.from_dict(columns, backend=name).to_native()
        except ImportError:
            continue
    return columns
