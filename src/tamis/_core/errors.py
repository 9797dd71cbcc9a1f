"""The exceptions and warnings a user meets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tamis._core.text import one_line

if TYPE_CHECKING:
    from sklearn.exceptions import ConvergenceWarning, NotFittedError

__all__ = ["ConvergenceWarning", "InputError", "NotFittedError", "about"]


def __getattr__(name: str) -> Any:
    """Those of scikit-learn, which takes a second to import, when somebody asks for them."""
    if name in ("ConvergenceWarning", "NotFittedError"):
        import sklearn.exceptions

        return getattr(sklearn.exceptions, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class InputError(ValueError):
    """Something given cannot be used: the message names it, says what was given and what to do, on one line.

    ``argument`` is the name of the argument it is about, so that a command line can name its option;
    None: no single one.
    """

    def __init__(self, message: str = "", *, argument: str | None = None) -> None:
        super().__init__(one_line(message))
        self.argument = argument

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows instead of the frames of this package: the one line says what to do."""
        return [f"{type(self).__name__}: {self}"]


@contextmanager
def about(argument: str) -> Iterator[None]:
    """Complaints from within that name no argument are about this one."""
    try:
        yield
    except InputError as error:
        error.argument = error.argument or argument
        raise
