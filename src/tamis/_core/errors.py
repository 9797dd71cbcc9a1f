"""The exceptions and warnings a user meets."""

from sklearn.exceptions import ConvergenceWarning, NotFittedError

__all__ = ["ConvergenceWarning", "InputError", "NotFittedError"]


class InputError(ValueError):
    """Something given cannot be used: the message names it, says what was given and what to do, in one line."""

    def __init__(self, *words: object) -> None:
        # What was given may be shown in several lines: an array, a frame, the message of another library.
        super().__init__(*(" ".join(w.split()) if isinstance(w, str) and "\n" in w else w for w in words))
