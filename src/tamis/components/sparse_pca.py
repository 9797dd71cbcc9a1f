"""Sparse principal components: directions of large variance that use few columns each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import as_object, check_choice, check_count, check_counts, check_number
from tamis._core.errors import ConvergenceWarning, InputError
from tamis._core.evidence import Diagnostics, Status
from tamis._core.progress import reports_progress
from tamis._core.random import as_rng
from tamis._core.warn import warn
from tamis.base.fitting import all_or_nothing
from tamis.base.training_data import TrainingData, table_data
from tamis.components.base import CentredComponents
from tamis.components.covariance import as_covariance, covariance_of, gram_of_rows
from tamis.components.n_components import check_n_components
from tamis.components.pca_strategy import centred_rows
from tamis.components.sparse_certified import Certified
from tamis.components.sparse_data import CovarianceView, MatrixView, ProductsView, RowsView, adjusted_variances
from tamis.components.sparse_methods import Elastic, LassoPCA, Loadings, Power, SparseMethod, Sparsity
from tamis.components.spectrum import of_covariance, of_operator, of_rows
from tamis.operators.products import moments
from tamis.solvers.svd import signed
from tamis.sources.base import where_computed
from tamis.sources.learnable import require_finite_squares

METHODS: dict[str, type[SparseMethod]] = {
    "elastic": Elastic,
    "lasso": LassoPCA,
    "power": Power,
    "certified": Certified,
}
WIDE = 5000  # columns: a covariance matrix of 200 MB


@dataclass(frozen=True)
class SparsityPath:
    """For each number of columns the components (m, k, p) and the shares of the variance that each adds (m, k)."""

    n_nonzero: np.ndarray
    components: np.ndarray
    explained_variance_ratio: np.ndarray


class SparsePCA(CentredComponents):
    """Components with few loadings that are not zero.

    Scores are (x − mean)/scale · vₖ. They may be correlated: ``explained_variance_`` counts what each adds to those
    before it (QR of the scores). The largest entry of every component is positive.

    Parameters
    ----------
    n_components : int
        How many.
    method : "elastic", "lasso", "power", "certified" or an object of tamis.components
        Elastic nets (``Elastic``, with its ridge α₂), lassos one after the other (``LassoPCA``), the generalised power
        method (``Power``, ℓ₁ or ℓ₀, one after the other or all together), or branch and bound with a proof that no
        better component of so many columns exists, for few columns (``Certified``; one after the other, each on what
        those before have left).
    alpha : float, array of n_components floats, or None
        Weight of the ℓ₁ norm, for each component. On a correlation matrix the λ₁ of Zou, Hastie & Tibshirani is 2 α.
    n_nonzero : int, array of n_components ints, or None
        Instead: the number of columns of each component, at most. Neither: ⌈√p⌉ columns.
    standardize : bool
        Divide columns by their standard deviations first.
    n_jobs, random_state
        Threads; and the seed of the start on wide data.

    Attributes
    ----------
    components_ : array (k, p), rows of length 1, or of zeros where alpha is too large
    explained_variance_, explained_variance_ratio_ : arrays (k,)
        What each component adds, adjusted for its correlation with those before.
    alpha_ : array (k,) or None, as given or as found for ``n_nonzero``
    certificate_ : tuple of proofs with method "certified", else None
    diagnostics_, status_, n_iter_, mean_, scale_, n_samples_, n_features_in_, feature_names_in_, strategy_

    Examples
    --------
    >>> from tamis import SparsePCA
    >>> from tamis.datasets import load_pitprops
    >>> pitprops = load_pitprops()
    >>> model = SparsePCA(3, n_nonzero=[5, 3, 2]).fit_covariance(pitprops.correlation)
    >>> (model.components_ != 0).sum(axis=1)
    array([5, 3, 2])
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        method: Any = "elastic",
        alpha: Any = None,
        n_nonzero: Any = None,
        standardize: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.alpha = alpha
        self.n_nonzero = n_nonzero
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit on rows X: an array, a sparse array, a frame or a file. y is not used."""
        del y
        check_choice("standardize", self.standardize, (True, False))
        rng = as_rng(self.random_state)
        data = table_data(self, X, sample_weight)
        _require_rows(data.n)
        k = self._how_many(min(data.n, data.p))
        view, start = self._view(data, k, rng)
        # variances have n − 1 as divisor, the objective n
        return self._search(view, start, data.n, data.n / (data.n - 1), data.dtype)

    @all_or_nothing
    def fit_covariance(self, C: Any, n_samples: int | None = None) -> Self:
        """Fit from a covariance or correlation matrix (p, p), an array or a frame with its names.

        ``mean_`` is 0: ``transform`` takes centred rows. ``n_samples`` is kept as ``n_samples_``.
        """
        check_choice("standardize", self.standardize, (True, False))
        as_rng(self.random_state)
        C, n = as_covariance(self, C, n_samples)
        k = self._how_many(len(C))
        spread = np.sqrt(np.where(C.diagonal() > 0, C.diagonal(), 1.0)) if self.standardize else np.ones(len(C))
        C = C / np.multiply.outer(spread, spread)
        self.mean_, self.scale_ = np.zeros(len(C)), spread
        self.strategy_ = f"covariance: the {len(C):,} × {len(C):,} matrix that was given"
        wide = n is not None and n < len(C)
        return self._search(MatrixView(C, wide), of_covariance(C, k).directions[:k], n, 1.0, np.dtype(np.float64))

    def path(self, X: Any, n_nonzeros: Any, sample_weight: Any = None) -> SparsityPath:
        """Components at several numbers of columns, from one reading of the rows; what was fitted stays as it is."""
        counts = check_counts("n_nonzeros", n_nonzeros)
        check_choice("standardize", self.standardize, (True, False))
        model = clone(self).set_params(alpha=None)
        data = table_data(model, X, sample_weight)
        _require_rows(data.n)
        k = model._how_many(min(data.n, data.p))
        view, start = model._view(data, k, as_rng(self.random_state))
        found = [
            model.set_params(n_nonzero=m)._search(view, start, data.n, 1.0, data.dtype).__dict__.copy() for m in counts
        ]
        V, shares = ([one[name] for one in found] for name in ("components_", "explained_variance_ratio_"))
        return SparsityPath(np.array(counts), np.array(V), np.array(shares))

    def _how_many(self, most: int) -> int:
        if isinstance(self.n_components, float):
            raise InputError(f"n_components must be a whole number, got {self.n_components!r}", argument="n_components")
        return int(check_n_components(self.n_components, most, rules=False))

    def _view(self, data: TrainingData, k: int, rng: np.random.Generator) -> tuple[CovarianceView, np.ndarray]:
        """The covariance, as a matrix or behind rows, and its first k eigenvectors."""
        n, p = data.n, data.p
        dense = data.in_memory and not sp.issparse(data.matrix)
        if p > WIDE and not dense:
            B, self.mean_, self.scale_, spreads = centred_rows(data, self.n_jobs, self.standardize)
            self.strategy_ = f"products: with {n:,} × {p:,} rows, which stay as they are"
            start = of_operator(B, k, 1.0, 1.0, rng).directions
            return ProductsView(B, spreads * ((n - 1) / n), np.zeros((p, 0))), np.asarray(start, dtype=np.float64)
        if p <= n or not dense:
            gram = gram_of_rows(data, self.n_jobs, self._steps)
            C, self.mean_, self.scale_, _ = covariance_of(gram, bool(self.standardize))
            C *= (n - 1) / n
            where = where_computed(data.source)
            self.strategy_ = f"covariance: one pass over {n:,} rows ({where}) leaves a {p:,} × {p:,} matrix"
            return MatrixView(C, p > n), of_covariance(C, k).directions[:k]
        share = np.full(n, 1 / n) if data.weight is None else data.weight / data.weight.sum()
        with np.errstate(invalid="ignore", over="ignore"):
            self.mean_, variance = moments(data.matrix, share)
        require_finite_squares(data.source, variance)
        variance = variance * (n / (n - 1))
        self.scale_ = np.sqrt(np.where(variance > 0, variance, 1.0)) if self.standardize else np.ones(p)
        Y = (data.matrix - self.mean_) / self.scale_ * np.sqrt(share)[:, None]
        Y[:, variance == 0] = 0.0
        self.strategy_ = f"rows: {n:,} × {p:,}, of which no {p:,} × {p:,} matrix is made"
        few = 10 * k <= n
        start = of_operator(Y, k, 1.0, 1.0, rng).directions if few else of_rows(Y.copy(), 1.0).directions[:k]
        return RowsView(np.asarray(Y, dtype=np.float64)), np.asarray(start, dtype=np.float64)

    def _search(self, view: CovarianceView, start: np.ndarray, n: int | None, factor: float, dtype: Any) -> Self:
        """Loadings by the method, and what they explain."""
        total = float(view.variances.sum())
        if total <= 0:
            raise InputError("every column of X is constant: there is no variance to explain", argument="X")
        method = as_object("method", self.method, METHODS, SparseMethod)
        found = method.loadings(view, start, self._sparsity(len(start), view.p))
        self._warn(found)
        V = signed(found.V)
        self.components_ = V.astype(dtype, copy=False)
        self.explained_variance_ = adjusted_variances(view, V) * factor
        self.explained_variance_ratio_ = self.explained_variance_ / (total * factor)
        self.alpha_, self.certificate_ = found.alpha, found.certificate
        self.n_iter_, self.status_ = found.n_iter, found.status
        self.diagnostics_ = Diagnostics({"change": found.change})
        self.n_components_, self.n_samples_ = len(V), n
        return self

    def _sparsity(self, k: int, p: int) -> Sparsity:
        if self.alpha is not None and self.n_nonzero is not None:
            raise InputError("alpha and n_nonzero are both given: give one", argument="n_nonzero")
        if self.alpha is not None:
            alpha = [check_number("alpha", a, at_least=0.0) for a in _each("alpha", self.alpha, k)]
            return Sparsity(np.array(alpha), None)
        if self.n_nonzero is None:
            return Sparsity(None, np.full(k, int(np.ceil(np.sqrt(p)))))
        counts = [check_count("n_nonzero", m, at_most=p) for m in _each("n_nonzero", self.n_nonzero, k)]
        return Sparsity(None, np.array(counts))

    def _warn(self, found: Loadings) -> None:
        zero = np.flatnonzero(~found.V.any(axis=1))
        if len(zero) and np.isfinite(found.alpha_max[zero[0]]):
            first = int(zero[0])
            which = f"component {first} has" if len(zero) == 1 else f"{len(zero)} components have"
            remedy = (
                f"alpha must be below {found.alpha_max[first]:.3g} there; try "
                f"alpha={0.3 * found.alpha_max[first]:.2g}, or give n_nonzero instead"
                if self.alpha is not None and found.alpha_max[first] > 0
                else f"those before leave no variance; ask for n_components={first}" + " or fewer" * (first > 1)
            )
            warn(f"{which} no loadings: {remedy}", UserWarning)
        if found.status is Status.MAX_ITER and found.certificate is not None:
            warn(
                f"the search for the best component ended at max_nodes with a relative gap of {found.change:.2g}: give "
                "method Certified(max_nodes=...) with more of them, or with a larger gap",
                ConvergenceWarning,
            )
        elif found.status is Status.MAX_ITER:
            warn(
                f"SparsePCA still changed loadings by {found.change:.2g} after max_iter rounds: give method an object "
                "with a larger max_iter or tol",
                ConvergenceWarning,
            )

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows (n, p) nearest to the scores in the span of the components, by least squares."""
        check_is_fitted(self)
        return super().inverse_transform(X)

    def _back(self) -> np.ndarray:
        return np.linalg.pinv(np.asarray(self.components_, dtype=np.float64)).T


def _require_rows(n: int) -> None:
    if n < 2:
        raise InputError(f"X has {n} row (n_samples = {n}, 1 sample): at least 2 are needed", argument="X")


def _each(name: str, given: Any, k: int) -> list[Any]:
    """One value for every component."""
    if isinstance(given, str) or np.ndim(given) == 0:
        return [given] * k
    if np.ndim(given) != 1 or len(given) != k:
        raise InputError(
            f"{name} must be a number or {k} of them, one per component; got shape {np.shape(given)}", argument=name
        )
    return [v.item() if isinstance(v, np.generic) else v for v in given]
