"""What a solver needs of a problem, checked once."""

from __future__ import annotations

from typing import Any, get_args

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError


def unmet(solver: Any, *parties: Any) -> list[Any]:
    """Those of ``solver.needs`` that none of the parties keeps. A need is a type, or several of which one is enough."""
    return [need for need in solver.needs if not any(isinstance(party, need) for party in parties)]


def require(solver: Any, problem: Any) -> None:
    """Each of ``solver.needs`` is kept by the problem, its datafit or its penalty, or the error names both parties."""
    given = (problem, getattr(problem, "datafit", None), getattr(problem, "penalty", None))
    parties = [party for party in given if party is not None]
    for need in unmet(solver, *parties)[:1]:
        names = " or ".join(option.__name__ for option in get_args(need) or (need,))
        article = "an" if names[0] in "AEIOU" else "a"
        classes = ", ".join(type(party).__name__ for party in parties)
        raise InputError(
            f"{type(solver).__name__} needs {article} {names}, which none of {classes} is: give it its methods, or use "
            "another solver (Fista runs on any datafit and penalty)"
        )
    check_options(solver)


def check_options(solver: Any) -> None:
    """The options of a solver are the numbers they stand for; ``n_jobs`` and ``screening`` are checked where they
    are read.
    """
    check_number("tol", solver.tol, at_least=0)
    check_count("max_iter", solver.max_iter, at_least=0)
    if hasattr(solver, "seed"):
        check_count("seed", solver.seed, at_least=-1)
