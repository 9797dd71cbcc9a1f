"""The atoms that learning begins with."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_choice
from tamis._core.errors import InputError
from tamis._core.vectors import unit_rows
from tamis.dictionary.fixed_atoms import dct_atoms, patch_shape

INITS = ("samples", "dct", "svd")


def check_init(init: Any) -> None:
    """A name, or an array-like of atoms."""
    if isinstance(init, str):
        check_choice("init", init, INITS)
    elif np.ndim(init) != 2:
        raise InputError(
            f"init must be one of {', '.join(map(repr, INITS))}, or atoms of shape (n_atoms, n_features), got {init!r}",
            argument="init",
        )


def initial_atoms(init: Any, k: int, sample: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """k atoms of unit length: random rows of the sample, its leading right singular vectors, cosines, or given ones.

    Where there are too few different directions for that, the rest are random. Gaps in the sample are zeros.
    """
    p = sample.shape[1]
    if not isinstance(init, str):
        return _given(init, k, p)
    sample = np.nan_to_num(sample)
    if init == "dct":
        return dct_atoms(k, patch_shape(p))
    if init == "svd":
        return _filled_up(np.linalg.svd(sample, full_matrices=False)[2][:k], k, sample, rng)
    return _filled_up(np.zeros((0, p)), k, sample, rng)


def _given(init: Any, k: int, p: int) -> np.ndarray:
    D = np.asarray(init, dtype=np.float64)
    if D.shape != (k, p) or not np.isfinite(D).all():
        raise InputError(
            f"init must hold {k} atoms of {p} finite numbers each (n_atoms, n_features), got shape {D.shape}",
            argument="init",
        )
    return unit_rows(D)[0]


def _filled_up(atoms: np.ndarray, k: int, sample: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows of the sample follow the atoms, in random order, zero and repeated directions left out; then random ones."""
    rows = unit_rows(sample[rng.permutation(len(sample))])[0]
    rows = rows[np.linalg.norm(rows, axis=1) > 0]
    _, first = np.unique(np.abs(rows).round(9), axis=0, return_index=True)
    rows = rows[np.sort(first)][: k - len(atoms)]
    missing = k - len(atoms) - len(rows)
    drawn = unit_rows(rng.standard_normal((missing, sample.shape[1])))[0]
    return np.concatenate([atoms, rows, drawn])
