"""Recoveries as objects: the parameters of a function, kept until there is something to recover.

``OMP(n_nonzero=10).recover(A, y)`` is ``omp(A, y, n_nonzero=10)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from tamis._core.parameters import constructor, keywords_of
from tamis.sensing.recovery import Recovery

GIVEN_LATER = ("A", "y", "basis", "start")  # with the measurements


class RecoveryMethod(BaseEstimator):
    """The parameters of a recovery; ``function(A, y, **parameters)`` is what runs.

    ``class Own(RecoveryMethod, function=own)`` has the parameters of ``own(A, y, …, *, basis, start)``, by keyword.
    """

    function: ClassVar[Callable[..., Recovery]]

    def __init_subclass__(cls, function: Callable[..., Recovery] | None = None, **others: Any) -> None:
        super().__init_subclass__(**others)
        if function is not None:
            cls.function = staticmethod(function)
            cls.__init__ = constructor(keywords_of(function, without=GIVEN_LATER))  # type: ignore[method-assign]

    def __init__(self, **parameters: Any) -> None:
        raise TypeError("RecoveryMethod has no function of its own: derive from it with function=…")

    def recover(self, A: Any, y: Any, *, basis: Any = None, start: Any = None, **others: Any) -> Recovery:
        """The recovery with these parameters; ``others`` take the place of parameters of the same name."""
        return type(self).function(A, y, basis=basis, start=start, **{**self.get_params(deep=False), **others})
