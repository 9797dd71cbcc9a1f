"""The exceptions and warnings a user meets."""

from sklearn.exceptions import ConvergenceWarning, NotFittedError

__all__ = ["ConvergenceWarning", "InputError", "NotFittedError"]


class InputError(ValueError):
    """Something given cannot be used: the message names it, says what was given and what to do."""
