"""Sparse arrays whose indices are wrong: compiled code believes them, and reads beyond the array."""

from __future__ import annotations

from typing import Any

from tamis._core.errors import InputError


def with_valid_indices(X: Any) -> Any:
    """The sparse array itself, as rows (CSR) where it is made of Python objects; an InputError where its parts do not
    fit together. This looks at every index, which costs less than half of a product with a vector.
    """
    X = X.tocsr() if X.format in ("lil", "dok") else X
    try:
        if X.format == "coo":
            _check_coordinates(X)
        elif X.format != "dia":
            X.check_format(full_check=True)
    except ValueError as error:
        raise InputError(f"X is a sparse array whose parts do not fit together ({error}): build it anew") from None
    return X


def _check_coordinates(X: Any) -> None:
    for at, n in zip(X.coords, X.shape, strict=True):
        if len(at) != len(X.data) or at.min(initial=0) < 0 or at.max(initial=-1) >= n:
            raise ValueError("there are coordinates beyond its shape")
