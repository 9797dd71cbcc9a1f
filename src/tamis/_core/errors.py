"""The exceptions and warnings a user meets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning, NotFittedError

from tamis._core.text import one_line

__all__ = ["ConvergenceWarning", "InputError", "NotFittedError", "about"]


class InputError(ValueError):
    """Something given cannot be used: the message names it, says what was given and what to do, on one line.

    ``argument`` is the name of the argument it is about, so that a command line can name its option;
    None: no single one.
    """

    def __init__(self, message: str = "", *, argument: str | None = None) -> None:
        super().__init__(one_line(message))
        self.argument = argument


@contextmanager
def about(argument: str) -> Iterator[None]:
    """Complaints from within that name no argument are about this one."""
    try:
        yield
    except InputError as error:
        error.argument = error.argument or argument
        raise
