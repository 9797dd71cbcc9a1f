"""Constructors that only keep their parameters, made from a list of these written once.

``__init__`` has the signature of the list, which scikit-learn's ``get_params``, ``clone`` and ``help`` read.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any


def constructor(parameters: Iterable[inspect.Parameter]) -> Callable[..., None]:
    """An ``__init__`` that keeps each parameter as an attribute of its name."""
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature([itself, *parameters])

    def __init__(self: Any, *args: Any, **given: Any) -> None:
        try:
            bound = signature.bind(self, *args, **given)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}: {error}") from None
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            setattr(self, name, value)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


def keyword(name: str, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)


def keywords_of(function: Callable[..., Any], without: Iterable[str]) -> list[inspect.Parameter]:
    """The parameters of a function but some, keywords only."""
    left = [p for name, p in inspect.signature(function).parameters.items() if name not in set(without)]
    return [keyword(p.name, p.default) for p in left]
