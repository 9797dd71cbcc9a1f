"""Well-known dictionaries, each a composition of a coder and an update."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from tamis.dictionary.coders import LassoCoder, OMPCoder, ThresholdCoder
from tamis.dictionary.coders.base import Coder
from tamis.dictionary.learner import AlternatingLearner
from tamis.dictionary.updates import KSVDUpdate, OnlineUpdate, ProcrustesUpdate


@dataclass(eq=False, repr=False)
class KSVD(AlternatingLearner):
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

    n_atoms: int
    n_nonzero: int
    _: KW_ONLY
    exact: bool = False
    positive: bool = False
    unused: str = "replace"
    n_jobs: int | None = None

    def _coder(self) -> Coder:
        return OMPCoder(self.n_nonzero, positive=self.positive, n_jobs=self.n_jobs)

    def _update(self) -> KSVDUpdate:
        return KSVDUpdate(self.exact)


@dataclass(eq=False, repr=False)
class OnlineDictionary(AlternatingLearner):
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

    n_atoms: int
    alpha: float
    _: KW_ONLY
    batch_size: int | None = 512
    forgetting: float = 1.0
    positive: bool = False
    unused: str = "replace"
    n_jobs: int | None = None

    def _coder(self) -> Coder:
        return LassoCoder(self.alpha, positive=self.positive, n_jobs=self.n_jobs)

    def _update(self) -> OnlineUpdate:
        return OnlineUpdate(self.batch_size, self.forgetting)


@dataclass(eq=False, repr=False)
class OrthogonalDictionary(AlternatingLearner):
    """A dictionary of orthonormal atoms, learned by alternating exact steps.

    As many orthonormal atoms as columns; codes are the ``n_nonzero`` largest entries of each row of X Dᵀ, atoms UVᵀ
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

    n_nonzero: int
    _: KW_ONLY
    init: Any = "svd"
    max_iter: int = 100
    tol: float = 1e-6
    n_jobs: int | None = None

    def _check_size(self) -> None:
        """As many atoms as columns, once these are known."""

    def _n_atoms(self, p: int) -> int:
        return p

    def _coder(self) -> Coder:
        return ThresholdCoder(self.n_nonzero, n_jobs=self.n_jobs)

    def _update(self) -> ProcrustesUpdate:
        return ProcrustesUpdate()
