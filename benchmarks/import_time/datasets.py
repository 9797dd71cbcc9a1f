"""There is no data: only NumPy, imported before the clock starts."""

from benchmarks.question import Dataset


def datasets(quick: bool) -> list[Dataset]:
    return [Dataset("after import numpy", lambda: None)]
