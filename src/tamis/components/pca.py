"""Principal component analysis: orthogonal directions of largest variance."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import check_choice, check_number
from tamis._core.errors import InputError
from tamis._core.progress import reports_progress
from tamis._core.random import as_rng
from tamis._core.warn import warn
from tamis.base.fitting import all_or_nothing, batch_or_nothing
from tamis.base.new_rows import new_rows, require_finite
from tamis.base.training_data import TrainingData, table_data
from tamis.components.base import CentredComponents
from tamis.components.covariance import as_covariance, covariance_of, gram_of_rows
from tamis.components.likelihood import RowModel
from tamis.components.missing import MissingRows, expectation_maximisation
from tamis.components.n_components import (
    check_n_components,
    count_for_share,
    gavish_donoho,
    parallel_analysis,
)
from tamis.components.pca_strategy import SOLVERS, decompose
from tamis.components.spectrum import Spectrum, of_covariance
from tamis.sources import Source
from tamis.sources.base import gather
from tamis.stats.gram import Gram


class PCA(CentredComponents):
    """Orthogonal directions v₁, v₂, … of largest variance: the eigenvectors of the covariance of the columns.

    Scores are (x − mean)/scale · vₖ. The largest entry of every direction is positive, so signs are the same in every
    run. Sparse X stays sparse; a file is read once.

    Parameters
    ----------
    n_components : int, float in (0, 1], "auto", "parallel", "gavish_donoho" or None
        How many: a number; the fewest that explain a share of the variance (0.9: the 90 % rule); or those that stand
        out from noise, by parallel analysis ("auto" is the same; Horn 1965) or by the threshold of Gavish & Donoho
        (2014), which may be none. None: all.
    whiten : bool
        Divide scores by their standard deviations.
    standardize : bool
        Divide columns by theirs first: the correlations are analysed instead of the covariances, which is what to do
        when columns have different units. PCA is not invariant to it.
    missing : "refuse" or "em"
        What missing values (NaN) do: an error; or the fit of probabilistic PCA to the entries there are, by
        expectation and maximisation (Roweis 1998; Tipping & Bishop 1999), for which ``n_components`` is a number.
    solver : "auto", "covariance", "svd" or "krylov"
        Eigenvectors of the covariance matrix (one pass over the rows), SVD of the rows, or a Krylov space for few
        components of large data. "auto" chooses by size; ``strategy_`` says which and why.
    tol : float, optional
        Of "krylov": residuals relative to the largest singular value (1e-9; 1e-5 in float32). Of "em": gain of the
        loglikelihood per entry in a round, 1e-7.
    n_jobs, random_state
        Threads; and the seed of the Krylov space's start and of parallel analysis.

    Attributes
    ----------
    components_ : array (k, p), the directions in rows
    explained_variance_, explained_variance_ratio_, singular_values_ : arrays (k,)
        Variances of the scores, with n − 1 as divisor, their shares of the total, and √((n − 1) variance).
    spectrum_ : array (m,), m ≥ k
        Variances of all directions that were computed on the way, of which the first k are kept: where K was cut.
    noise_variance_ : float
        σ² of the rows as normal draws: the mean variance of the p − k directions left out (Tipping & Bishop 1999).
    mean_, scale_ : arrays (p,), what rows are centred and divided by
    n_components_, n_samples_, n_features_in_, feature_names_in_, strategy_

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tamis import PCA
    >>> pca = PCA(n_components=0.9).fit(load_iris().data)
    >>> pca.explained_variance_ratio_.round(3)
    array([0.925])
    >>> pca.components_.round(2)
    array([[ 0.36, -0.08,  0.86,  0.36]])
    """

    def __init__(
        self,
        n_components: Any = 0.9,
        *,
        whiten: bool = False,
        standardize: bool = False,
        missing: str = "refuse",
        solver: str = "auto",
        tol: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.standardize = standardize
        self.missing = missing
        self.solver = solver
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit on rows X: an array, a sparse array, a frame or a file. y is not used."""
        del y
        self._check()
        data = table_data(self, X, sample_weight)
        if self.missing == "em":
            return self._fit_missing(data)
        most = min(data.n, data.p)
        _require_rows(data.n)
        n_components = check_n_components(self.n_components, most)
        rng = as_rng(self.random_state)
        found, self.mean_, self.scale_, spreads, self.strategy_ = decompose(data, n_components, self, rng)
        return self._keep(found, n_components, data.n, spreads, rng, data.dtype)

    @all_or_nothing
    def fit_covariance(self, C: Any, n_samples: int | None = None) -> Self:
        """Fit from a covariance or correlation matrix (p, p), an array or a frame with its names.

        ``n_samples``, the number of rows it was computed from, is needed for "auto" and its like. ``mean_`` is 0:
        ``transform`` takes centred rows.
        """
        self._check()
        C, n = as_covariance(self, C, n_samples)
        p = len(C)
        n_components = check_n_components(self.n_components, p)
        if isinstance(n_components, str) and n is None:
            raise InputError(
                f"n_components={self.n_components!r} needs n_samples, the number of rows", argument="n_samples"
            )
        spreads = C.diagonal().copy()
        self.mean_, self.scale_ = np.zeros(p), np.ones(p)
        if self.standardize:
            self.scale_ = np.sqrt(np.where(spreads > 0, spreads, 1.0))
            C, spreads = C / np.multiply.outer(self.scale_, self.scale_), np.where(spreads > 0, 1.0, 0.0)
        self.strategy_ = f"covariance: eigenvectors of the {p:,} × {p:,} matrix that was given"
        found = of_covariance(C, n_components if isinstance(n_components, int) else None)
        return self._keep(found, n_components, n, spreads, as_rng(self.random_state), np.dtype(np.float64))

    @batch_or_nothing
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Go on with more rows: the result is that of one fit on all of them. Keeps a matrix of p × p numbers.

        Rows of an earlier ``fit`` are not kept: after it, batches begin anew.
        While there are fewer rows than components are asked for, there are as many components as rows.
        """
        del y
        self._check()
        before: Gram | None = getattr(self, "_gram", None)
        other = PCA(**self.get_params())
        data = table_data(other, X, sample_weight)
        self._require_same_columns(other, before)
        gram = gram_of_rows(data, self.n_jobs)
        gram = gram if before is None else before.copy().merge(gram)
        _require_rows(gram.n_rows)
        self._learn_from(other)
        C, self.mean_, self.scale_, spreads = covariance_of(gram, bool(self.standardize))
        most = min(gram.n_rows, data.p)
        n_components = check_n_components(self.n_components, data.p)
        n_components = min(n_components, most) if isinstance(n_components, int) else n_components
        self.strategy_ = f"covariance: {gram.n_rows:,} rows so far leave a {data.p:,} × {data.p:,} matrix"
        found = of_covariance(C, n_components if isinstance(n_components, int) else None)
        self._gram = gram
        return self._keep(found, n_components, gram.n_rows, spreads, as_rng(self.random_state), data.dtype)

    def transform(self, X: Any) -> Any:
        """Scores (n, k) of rows. After ``missing="em"`` rows may have gaps: the expected scores given the rest."""
        check_is_fitted(self)
        return super().transform(X)

    def score_samples(self, X: Any) -> np.ndarray:
        """Log-likelihoods (n,) of rows as draws of N(mean, ``get_covariance()``): Tipping & Bishop's (1999) model.

        After ``missing="em"`` rows may have gaps: the likelihood is that of the entries there are.
        """
        check_is_fitted(self)
        RowModel.of(self).require_density()
        return np.asarray(self._by_blocks(new_rows(self, X), self._loglikelihoods_of))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of ``score_samples``: on rows that were not fitted, what to choose ``n_components`` by."""
        del y
        return float(self.score_samples(X).mean())

    def get_covariance(self) -> np.ndarray:
        """(p, p) of the model, in the units of the columns: the components' variances, and noise_variance_ across."""
        check_is_fitted(self)
        return RowModel.of(self).covariance()

    def get_precision(self) -> np.ndarray:
        """The inverse of ``get_covariance()``."""
        check_is_fitted(self)
        return RowModel.of(self).precision()

    def _check(self) -> None:
        for name in ("whiten", "standardize"):
            check_choice(name, getattr(self, name), (True, False))
        check_choice("missing", self.missing, ("refuse", "em"))
        check_choice("solver", self.solver, SOLVERS)
        if self.tol is not None:
            check_number("tol", self.tol, at_least=0.0)

    def _keep(
        self, found: Spectrum, n_components: Any, n: int | None, spreads: np.ndarray, rng: np.random.Generator,
        dtype: Any,
    ) -> Self:  # fmt: skip
        """The fitted attributes: the first components, as many as are asked for."""
        if found.total <= 0:
            raise InputError("every column of X is constant: there is no variance to explain", argument="X")
        k = self._count(found, n_components, n, spreads, rng)
        left = found.directions.shape[1] - k
        self.noise_variance_ = found.beyond(k) / left if left > 0 else 0.0
        self.components_ = found.directions[:k].astype(dtype, copy=False)
        self.explained_variance_, self.spectrum_ = found.variances[:k], found.variances
        self.explained_variance_ratio_ = found.shares[:k]
        self.singular_values_ = np.sqrt(found.variances[:k] * ((n or 2) - 1))
        self.n_components_, self.n_samples_ = k, n
        return self

    def _count(self, found: Spectrum, n_components: Any, n: int | None, spreads: np.ndarray, rng: Any) -> int:
        if isinstance(n_components, float):
            return count_for_share(found.shares, n_components)
        if isinstance(n_components, int):
            return min(n_components, len(found.variances))
        assert n is not None
        k = (
            gavish_donoho(found.variances, n, int(np.count_nonzero(spreads)))
            if n_components == "gavish_donoho"
            else parallel_analysis(found.variances, spreads, n, rng)
        )
        if k == 0:
            warn(
                f"no component stands out from noise (n_components={self.n_components!r}): there are no scores; give a "
                "number to have some all the same",
                UserWarning,
            )
        return k

    def _fit_missing(self, data: TrainingData) -> Self:
        _require_rows(data.n)
        if self.standardize or data.weight is not None:
            raise InputError("missing='em' takes no standardize and no sample_weight", argument="missing")
        k = check_n_components(self.n_components, min(data.n - 1, data.p - 1))
        if not isinstance(k, int):
            raise InputError(
                f"missing='em' needs n_components as a number, got {self.n_components!r}", argument="n_components"
            )
        rows = MissingRows.of(gather(data.source).X, data.source)
        tol = 1e-7 if self.tol is None else self.tol
        rng = as_rng(self.random_state)
        found, self.mean_, noise, rounds = expectation_maximisation(rows, k, tol, self._steps)
        self.scale_ = np.ones(data.p)
        self.strategy_ = f"em: {rows.n_missing:,} missing of {data.n * data.p:,} entries, {rounds} rounds"
        self._keep(found, k, data.n, np.ones(data.p), rng, data.dtype)
        self.noise_variance_ = noise
        return self

    def _scores(self, X: Any) -> np.ndarray:
        if self._has_gaps(X):
            Z = MissingRows.of(X).scores(self)
            return (Z / self._deviations() if self.whiten else Z).astype(X.dtype, copy=False)
        return super()._scores(X)

    def _loglikelihoods_of(self, rows: Source) -> np.ndarray:
        model = RowModel.of(self)
        return np.concatenate([self._loglikelihoods(model, block.X) for block in rows.blocks()])

    def _loglikelihoods(self, model: RowModel, X: Any) -> np.ndarray:
        if self._has_gaps(X):
            return model.loglikelihoods_of_the_observed(MissingRows.of(X))
        with np.errstate(invalid="ignore", over="ignore"):
            found = model.loglikelihoods(X)
        if not np.isfinite(found).all():
            require_finite(X)
        return found

    def _has_gaps(self, X: Any) -> bool:
        return self.missing == "em" and not hasattr(X, "nnz") and bool(np.isnan(X).any())

    def _deviations(self) -> np.ndarray:
        """Of the scores; infinite where there is no variance, so that whitened scores beyond the rank are 0."""
        return np.where(self.explained_variance_ > 0, np.sqrt(self.explained_variance_), np.inf)

    def _forward(self) -> np.ndarray:
        forward = super()._forward()
        return forward / self._deviations()[:, None] if self.whiten else forward

    def _back(self) -> np.ndarray:
        return self.components_ * np.sqrt(self.explained_variance_)[:, None] if self.whiten else self.components_

    def _require_same_columns(self, other: PCA, before: Gram | None) -> None:
        if before is not None and other.n_features_in_ != before.n_features:
            raise InputError(
                f"X has {other.n_features_in_} features, but PCA is expecting {before.n_features} features as input",
                argument="X",
            )

    def _learn_from(self, other: PCA) -> None:
        for name in ("n_features_in_", "_target_name", "_frame_library", "feature_names_in_"):
            if hasattr(other, name):
                setattr(self, name, getattr(other, name))


def _require_rows(n: int) -> None:
    if n < 2:
        raise InputError(
            f"X has {n} row{'s' * (n != 1)} (n_samples = {n}, 1 sample): a variance needs at least 2", argument="X"
        )
