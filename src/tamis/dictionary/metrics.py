"""How good atoms and codes are, as far as that can be measured."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from tamis._core.checks import check_number
from tamis._core.errors import InputError
from tamis._core.vectors import unit_rows


def recovered_atoms(D: Any, found: Any, *, threshold: float = 0.99) -> float:
    """The share of the atoms of D (k, p) that ``found`` has, up to sign, order and length: |⟨dᵢ, d̂⟩| > threshold.

    Atoms are matched one to one, so that the sum of |⟨dᵢ, d̂⟩| is largest.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.dictionary import recovered_atoms
    >>> D = np.eye(3)
    >>> recovered_atoms(D, [[0.0, -2.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
    0.6666666666666666
    """
    truth, found = _atoms("D", D), _atoms("found", found)
    if truth.shape[1] != found.shape[1]:
        raise InputError(f"D and found must have atoms of one length, got {truth.shape[1]} and {found.shape[1]}")
    likeness = np.abs(truth @ found.T)
    rows, columns = linear_sum_assignment(-likeness)
    above = likeness[rows, columns] > check_number("threshold", threshold, at_least=0.0, at_most=1.0)
    return float(above.sum() / len(truth))


def atom_coherence(D: Any) -> float:
    """max |⟨dᵢ, dⱼ⟩| over pairs of atoms, scaled to unit length; 0 for orthogonal atoms, 1 where two are the same.

    Examples
    --------
    >>> from tamis.dictionary import atom_coherence
    >>> atom_coherence([[1.0, 0.0], [3.0, 4.0]])
    0.6
    """
    D = _atoms("D", D)
    return float(np.abs(np.triu(D @ D.T, 1)).max(initial=0.0))


def atom_usage(Z: Any) -> np.ndarray:
    """How many rows use each atom, (k,).

    Examples
    --------
    >>> from tamis.dictionary import atom_usage
    >>> atom_usage([[2.0, 0.0], [1.0, 3.0]])
    array([2, 1])
    """
    Z = csr_array(Z)
    return np.bincount(Z.indices[Z.data != 0], minlength=Z.shape[1])


def _atoms(name: str, given: Any) -> np.ndarray:
    D = np.asarray(getattr(given, "components_", given), dtype=np.float64)
    if D.ndim != 2 or not np.isfinite(D).all():
        raise InputError(f"{name} must hold atoms in rows, (k, p) finite numbers, got shape {D.shape}", argument=name)
    return unit_rows(D)[0]
