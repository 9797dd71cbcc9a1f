"""Codes on atoms that are given."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.checks import as_object, check_choice
from tamis._core.errors import InputError
from tamis.base.fitting import all_or_nothing
from tamis.base.training_data import table_data
from tamis.dictionary.coders import CODERS
from tamis.dictionary.coders.base import Coder
from tamis.dictionary.coding import CodingMixin
from tamis.dictionary.fixed_atoms import dct_atoms, haar_atoms, patch_shape

FIXED = {"dct": dct_atoms, "haar": haar_atoms}


class SparseCoder(CodingMixin, BaseEstimator):
    """Codes on atoms that are given; ``fit`` looks at the columns only.

    Parameters
    ----------
    dictionary : array (n_atoms, n_features), a fitted learner, "dct" or "haar"
        Atoms in rows, of any length; the names stand for as many atoms as columns.
    coder : {"omp", "lasso", "fista", "threshold"} or Coder
    n_nonzero : int, optional
        For "omp" and "threshold".
    alpha : float, optional
        For "lasso", "fista" and "threshold".

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import SparseCoder
    >>> SparseCoder(np.eye(3), n_nonzero=1).fit_transform([[3.0, 1.0, 0.5]]).toarray()
    array([[3., 0., 0.]])
    """

    def __init__(
        self, dictionary: Any, coder: Any = "omp", n_nonzero: int | None = None, alpha: float | None = None
    ) -> None:
        self.dictionary = dictionary
        self.coder = coder
        self.n_nonzero = n_nonzero
        self.alpha = alpha

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the atoms and that X has their columns."""
        del y
        self._coder().check()
        data = table_data(self, X)
        D = self._atoms(data.p)
        if D.shape[1] != data.p:
            raise InputError(
                f"X has {data.p} features, but the atoms of dictionary have {D.shape[1]}", argument="dictionary"
            )
        self.components_ = np.ascontiguousarray(D, dtype=data.dtype)
        return self

    def _atoms(self, p: int) -> np.ndarray:
        if isinstance(self.dictionary, str):
            return FIXED[check_choice("dictionary", self.dictionary, list(FIXED))](p, patch_shape(p))
        D = np.asarray(getattr(self.dictionary, "components_", self.dictionary))
        if D.ndim != 2 or D.dtype.kind not in "fiub" or not np.isfinite(D).all() or D.size == 0:
            raise InputError(
                "dictionary must hold atoms in rows, finite numbers of shape (n_atoms, n_features), a fitted learner, "
                f"'dct' or 'haar'; got {_shown(self.dictionary)}",
                argument="dictionary",
            )
        return D

    def _coder(self) -> Coder:
        coder = as_object("coder", self.coder, CODERS, Coder)
        given = {name: getattr(self, name) for name in ("n_nonzero", "alpha") if getattr(self, name) is not None}
        if not given:
            return coder
        if not isinstance(self.coder, str):
            raise InputError(f"give {' and '.join(given)} to the coder object itself", argument=next(iter(given)))
        unknown = [name for name in given if name not in coder.get_params()]
        if unknown:
            raise InputError(f"coder={self.coder!r} takes no {unknown[0]}: leave it out", argument=unknown[0])
        return coder.set_params(**given)


def _shown(given: Any) -> str:
    return f"shape {np.shape(given)}" if np.ndim(given) else repr(given)
