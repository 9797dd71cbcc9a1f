"""The exceptions and warnings a user meets."""

from sklearn.exceptions import ConvergenceWarning, NotFittedError

from tamis._core.text import one_line

__all__ = ["ConvergenceWarning", "InputError", "NotFittedError"]


class InputError(ValueError):
    """Something given cannot be used: the message names it, says what was given and what to do, on one line."""

    def __init__(self, message: str = "") -> None:
        super().__init__(one_line(message))
