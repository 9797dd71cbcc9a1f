"""What a column follows from, how, and the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

EXACT = 1e-6  # of a column's spread: what float32 tables leave of an identity
NOTHING = 1e-6  # of the largest coefficient: an intercept that is not shown
VERBS = {"monotone": "", "constant": "is", "steps": "goes by"}
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Relation:
    """A column as a function of others.

    Attributes
    ----------
    column, sources : names, or positions without names
    kind : "constant", "copy", "linear", "product", "monotone", "function" or "steps"
        A copy has the same values, or the same labels under other names. Linear is b + Σ cᵢ xᵢ, a product
        b Π xᵢ^cᵢ; monotone columns have the same order, or the reverse; a function is a table of values; a
        column of steps has one value in each of a few intervals of its source.
    explained : float
        Of rows that were left out: R² of a linear relation, of a product on logarithms, of a monotone one on ranks.
        Of a function and of steps, the share of wrong guesses saved over guessing the most frequent value.
    residual : float
        What is left of the column on all rows looked at, as a share of its spread (of a product on logarithms, of a
        monotone relation on ranks); of a function, the share of rows that it contradicts.
    coefficients : tuple of floats
        c, one per source; +1 or −1 of a monotone relation, empty of others.
    intercept : float
        b.
    weights : tuple of floats
        How much of the relation hangs on each source, 0 to 1: |c| times the spread of the source, the largest being 1.
    """

    column: Any
    sources: tuple[Any, ...]
    kind: str
    explained: float
    residual: float
    coefficients: tuple[float, ...] = ()
    intercept: float = 0.0
    weights: tuple[float, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether it holds to six digits in every row looked at; of a function, without exception."""
        return self.residual <= EXACT if self.kind != "function" else self.residual == 0.0

    @property
    def simplicity(self) -> tuple[int, int]:
        """How many sources, and how many of them come in otherwise than once and with a plus."""
        if self.kind == "product":
            return len(self.sources), sum(abs(c - 1.0) > 0.01 for c in self.coefficients)
        return len(self.sources), sum(c < 0 for c in self.coefficients)

    @property
    def formula(self) -> str:
        """In letters: ``length × width``, ``2 a − b + 3``, ``function of day``."""
        if self.kind in ("constant", "copy", "function", "steps"):
            return " of ".join([self.kind, *([", ".join(str(s) for s in self.sources)] if self.sources else [])])
        if self.kind == "monotone":
            return f"{'rises' if self.coefficients[0] > 0 else 'falls'} with {self.sources[0]}"
        return _sum(self) if self.kind == "linear" else _product(self)

    def __str__(self) -> str:
        is_formula = self.kind in ("linear", "product")
        verb = "=" if is_formula else VERBS.get(self.kind, "is a")
        sure = "exactly" if self.exact else f"{self.explained:.4g} explained"
        return f"{' '.join([str(self.column), *([verb] if verb else []), self.formula])} ({sure})"


def _sum(relation: Relation) -> str:
    words = ""
    for name, c in zip(relation.sources, relation.coefficients, strict=True):
        minus, plus = ("−", "") if not words else (" − ", " + ")
        size = _number(abs(c))
        words += (minus if c < 0 else plus) + (f"{name}" if size == "1" else f"{size} {name}")
    b = relation.intercept
    if abs(b) > NOTHING * max(abs(c) for c in relation.coefficients):
        words += f" {'−' if b < 0 else '+'} {_number(abs(b))}"
    return words


def _product(relation: Relation) -> str:
    over = [_power(n, c) for n, c in zip(relation.sources, relation.coefficients, strict=True) if c > 0]
    under = [_power(n, -c) for n, c in zip(relation.sources, relation.coefficients, strict=True) if c < 0]
    b = _number(relation.intercept)
    top = " × ".join(over if b == "1" and over else [b, *over])
    bottom = " × ".join(under)
    return top if not under else f"{top} / {bottom}" if len(under) == 1 else f"{top} / ({bottom})"


def _power(name: Any, exponent: float) -> str:
    words = _number(exponent)
    if words == "1":
        return f"{name}"
    return f"{name}{words.translate(RAISED)}" if words.isdigit() else f"{name}^{words}"


def _number(value: float) -> str:
    """Three digits; whole numbers as such where they are meant."""
    nearest = float(np.rint(value))
    if nearest and abs(value - nearest) <= 1e-5 * abs(nearest) and abs(nearest) < 1e6:
        return f"{nearest:.0f}".replace("-", "−")
    return f"{value:.3g}".replace("-", "−") if value < 0 else f"{value:.3g}"
