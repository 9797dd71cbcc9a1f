"""Rows to codes and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csr_array
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from tamis._core.errors import InputError
from tamis.base.new_rows import new_rows, require_no_infinity
from tamis.base.saved import SavedMixin
from tamis.dictionary.alternation import objective
from tamis.dictionary.coders.base import Coder
from tamis.sources import gather
from tamis.stats.code_statistics import CodeStatistics


class CodingMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin, SavedMixin):
    """Rows to codes and back, for whoever has atoms (``components_``) and a coder (``_coder``)."""

    components_: np.ndarray
    n_features_in_: int
    statistics_: CodeStatistics | None

    def _coder(self) -> Coder:
        raise NotImplementedError

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def transform(self, X: Any) -> Any:
        """Codes Z (n, k) in CSR, in the type of the rows; a frame where ``set_output`` asks for one. NaN is a missing
        entry.
        """
        check_is_fitted(self)
        Z = self._encode(rows_of(gather(new_rows(self, X)).X, None))
        frames = _get_output_config("transform", self)["dense"] != "default"
        return Z.toarray() if frames else Z

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Z D (n, p): what the codes say the rows were."""
        check_is_fitted(self)
        Z = csr_array(Z) if sp.issparse(Z) else np.asarray(Z)
        if Z.dtype.kind not in "fiub" or not np.isfinite(Z.data if sp.issparse(Z) else Z).all():
            raise InputError("Z must hold finite numbers", argument="Z")
        Z = Z if Z.dtype in (np.float32, np.float64) else Z.astype(np.float64)
        if Z.ndim != 2 or Z.shape[1] != len(self.components_):
            raise InputError(
                f"Z must be (n, {len(self.components_)}), a column for each atom, got shape {Z.shape}", argument="Z"
            )
        return Z @ self.components_.astype(Z.dtype, copy=False)

    def score(self, X: Any, y: Any = None) -> float:
        """−(1/n) Σᵢ [½‖xᵢ − zᵢD‖² + penalty] of these rows, over the entries that are observed; higher is better."""
        del y
        check_is_fitted(self)
        X = rows_of(gather(new_rows(self, X)).X, None)
        return -objective(self._coder(), X, self._encode(X), self.components_)

    def _encode(self, X: Any) -> csr_array:
        return self._coder().encode(X, self.components_.astype(X.dtype, copy=False))


def rows_of(X: Any, dtype: Any) -> Any:
    """Checked rows as coders take them: floats, CSR where sparse. NaN is a missing entry, but not in a sparse array."""
    if sp.issparse(X):
        dtype = dtype or (np.float32 if X.dtype == np.float32 else np.float64)
        X = csr_array(X.astype(dtype, copy=False))
        if not np.isfinite(X.data).all():
            raise InputError("X is sparse and contains NaN or infinity: leave such entries out", argument="X")
        return X
    dtype = dtype or (np.float32 if X.dtype == np.float32 else np.float64)
    X = np.ascontiguousarray(X, dtype=dtype)
    require_no_infinity(X)
    return X
