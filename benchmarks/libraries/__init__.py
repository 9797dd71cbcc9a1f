"""Who answers: a file (or a folder of files) for every library, with a class for every question that it answers.

A file imports its library in ``prepare`` only. Imports are timed and weighed, and some change the process: adelie's
binds its thread to one core.
"""

from __future__ import annotations

import importlib

from benchmarks.competitor import OURS, Competitor


def competitors(question: str) -> list[Competitor]:
    """Every class of the library files that names the question; ours first, then file by file."""
    found = [kind() for kind in classes() if kind.question == question]
    return sorted(found, key=lambda competitor: competitor.role != OURS)


def classes() -> list[type[Competitor]]:
    """Every competitor, and every class without a question that they share."""
    import pkgutil  # here: what is imported before a library's import is timed makes that look cheaper

    names = sorted(module.name for module in pkgutil.walk_packages(__path__, f"{__name__}."))
    return [kind for name in names for kind in _defined_in(name)]


def _defined_in(name: str) -> list[type[Competitor]]:
    kinds = [kind for kind in vars(importlib.import_module(name)).values() if isinstance(kind, type)]
    return [kind for kind in kinds if issubclass(kind, Competitor) and kind.__module__ == name]
