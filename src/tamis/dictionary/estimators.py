"""Well-known dictionaries, each a composition of a coder and an update."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.checks import as_object, check_choice
from tamis._core.errors import InputError
from tamis.base.fitting import all_or_nothing
from tamis.base.training_data import table_data
from tamis.dictionary.coders import CODERS, LassoCoder, OMPCoder, ThresholdCoder
from tamis.dictionary.coders.base import Coder
from tamis.dictionary.fixed_atoms import dct_atoms, haar_atoms, patch_shape
from tamis.dictionary.learner import CodingMixin, DictionaryLearner
from tamis.dictionary.updates import KSVDUpdate, OnlineUpdate, ProcrustesUpdate

FIXED = {"dct": dct_atoms, "haar": haar_atoms}


class KSVD(DictionaryLearner):
    """Codes of at most ``n_nonzero`` atoms by OMP, atoms by K-SVD (Aharon, Elad and Bruckstein 2006).

    Parameters
    ----------
    n_atoms, n_nonzero : int
    exact : bool
        Atoms by singular value decomposition; by default one power step does.
    positive : bool
        Codes z ≥ 0.
    init, unused, max_iter, tol, time_limit, random_state
        As in `DictionaryLearner`, whose attributes this has.
    n_jobs : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import KSVD
    >>> X = np.random.default_rng(0).standard_normal((100, 6))
    >>> KSVD(n_atoms=12, n_nonzero=2, max_iter=5, random_state=0).fit(X).transform(X).nnz
    200
    """

    def __init__(
        self,
        n_atoms: int,
        n_nonzero: int,
        *,
        exact: bool = False,
        positive: bool = False,
        init: Any = "samples",
        unused: str = "replace",
        max_iter: int = 50,
        tol: float = 1e-4,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_atoms, init=init, unused=unused, max_iter=max_iter, tol=tol, time_limit=time_limit,
            random_state=random_state,
        )  # fmt: skip
        self.n_nonzero = n_nonzero
        self.exact = exact
        self.positive = positive
        self.n_jobs = n_jobs

    def _coder(self) -> Coder:
        return OMPCoder(self.n_nonzero, positive=self.positive, n_jobs=self.n_jobs)

    def _update(self) -> KSVDUpdate:
        return KSVDUpdate(self.exact)


class OnlineDictionary(DictionaryLearner):
    """Lasso codes, atoms from the statistics ZᵀZ and ZᵀX after every batch (Mairal, Bach, Ponce and Sapiro 2010).

    ``fit`` makes epochs over the rows, be they in memory or in a file; ``partial_fit`` learns from rows as they come.

    Parameters
    ----------
    n_atoms : int
    alpha : float
        Of (1/n) Σᵢ [½‖xᵢ − zᵢD‖² + α‖zᵢ‖₁].
    batch_size, forgetting
        As in `OnlineUpdate`.
    positive : bool
        Codes z ≥ 0.
    init, unused, max_iter, tol, time_limit, random_state
        As in `DictionaryLearner`, whose attributes this has.
    n_jobs : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import OnlineDictionary
    >>> X = np.random.default_rng(0).standard_normal((100, 6))
    >>> OnlineDictionary(n_atoms=12, alpha=0.5, max_iter=5, random_state=0).fit(X).components_.shape
    (12, 6)
    """

    def __init__(
        self,
        n_atoms: int,
        alpha: float,
        *,
        batch_size: int | None = 512,
        forgetting: float = 1.0,
        positive: bool = False,
        init: Any = "samples",
        unused: str = "replace",
        max_iter: int = 50,
        tol: float = 1e-4,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_atoms, init=init, unused=unused, max_iter=max_iter, tol=tol, time_limit=time_limit,
            random_state=random_state,
        )  # fmt: skip
        self.alpha = alpha
        self.batch_size = batch_size
        self.forgetting = forgetting
        self.positive = positive
        self.n_jobs = n_jobs

    def _coder(self) -> Coder:
        return LassoCoder(self.alpha, positive=self.positive, n_jobs=self.n_jobs)

    def _update(self) -> OnlineUpdate:
        return OnlineUpdate(self.batch_size, self.forgetting)


class OrthogonalDictionary(DictionaryLearner):
    """As many orthonormal atoms as columns; codes are the ``n_nonzero`` largest entries of each row of X Dᵀ, atoms UVᵀ
    of ZᵀX = UΣVᵀ. Both steps are exact, so the objective never rises.

    Parameters
    ----------
    n_nonzero : int
    init : {"svd", "dct", "samples"} or array (n_features, n_features)
        Made orthonormal.
    max_iter, tol, time_limit, random_state
        As in `DictionaryLearner`, whose attributes this has.
    n_jobs : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import OrthogonalDictionary
    >>> X = np.random.default_rng(0).standard_normal((100, 6))
    >>> D = OrthogonalDictionary(n_nonzero=2, random_state=0).fit(X).components_
    >>> bool(np.allclose(D @ D.T, np.eye(6)))
    True
    """

    def __init__(
        self,
        n_nonzero: int,
        *,
        init: Any = "svd",
        max_iter: int = 100,
        tol: float = 1e-6,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(1, init=init, max_iter=max_iter, tol=tol, time_limit=time_limit, random_state=random_state)
        del self.n_atoms
        self.n_nonzero = n_nonzero
        self.n_jobs = n_jobs

    n_atoms = 1  # as many as columns, once these are known

    def _n_atoms(self, p: int) -> int:
        return p

    def _coder(self) -> Coder:
        return ThresholdCoder(self.n_nonzero, n_jobs=self.n_jobs)

    def _update(self) -> ProcrustesUpdate:
        return ProcrustesUpdate()


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
