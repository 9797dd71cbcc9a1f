"""The rank of an NMF by entries that were held out: what is hidden from the fit tells whether it has learned."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from tamis._core.checks import check_count, check_counts, check_number
from tamis._core.errors import ConvergenceWarning, InputError
from tamis._core.random import as_rng
from tamis._kernels.interruption import check_interrupted
from tamis.base.training_data import table_data
from tamis.components.nmf import NMF
from tamis.components.nmf_data import divergence
from tamis.sources.base import gather


@dataclass(frozen=True)
class RankChoice:
    """Errors per held-out entry, mean and standard error over the repeats, for every rank that was tried.

    ``rank`` is the least within one standard error of the best. The error chose it: it is no estimate of performance.
    """

    ranks: np.ndarray
    errors: np.ndarray
    spreads: np.ndarray
    rank: int


def choose_rank(
    X: Any,
    ranks: Sequence[int] = range(1, 11),
    *,
    model: NMF | None = None,
    share: float = 0.1,
    n_repeats: int = 3,
    random_state: Any = 0,
) -> RankChoice:
    """The rank at which an NMF predicts entries of X best that it has not seen.

    Parameters
    ----------
    X : array (n, p)
        Dense and not negative; NaN is missing and stays so.
    ranks : whole numbers to try
    model : NMF, whose other parameters are used
    share : share of the entries that is held out each time, one at least
    n_repeats : how often
    random_state : seed of the choice of entries

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.components import choose_rank
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(60, 2)) @ rng.uniform(size=(2, 20)) + 0.01 * rng.uniform(size=(60, 20))
    >>> choose_rank(X, range(1, 5)).rank
    2
    """
    if sp.issparse(X):
        raise InputError("choose_rank takes dense X: held-out entries of a sparse one would be zeros", argument="X")
    tried = np.array(check_counts("ranks", ranks))
    share = check_number("share", share, above=0.0, at_most=0.5)
    n_repeats, rng = check_count("n_repeats", n_repeats, at_least=2), as_rng(random_state)
    made = NMF() if model is None else model
    if not isinstance(made, NMF):
        raise InputError(f"model must be an NMF, got {made!r}", argument="model")
    X = np.asarray(gather(table_data(clone(made), X).source).X, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(X))
    if len(known) < 2:
        raise InputError(
            f"X has {len(known)} entries that are not missing: at least 2 are needed, one to learn from and one to "
            "hold out",
            argument="X",
        )
    n_hidden = min(max(1, round(share * len(known))), len(known) - 1)
    errors = np.empty((n_repeats, len(tried)))
    for r in range(n_repeats):
        hidden = np.zeros(X.shape, dtype=bool)
        hidden.flat[rng.choice(known, n_hidden, replace=False)] = True
        errors[r] = [_held_out_error(clone(made).set_params(n_components=int(k)), X, hidden) for k in tried]
    mean, spread = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(n_repeats)
    best = int(mean.argmin())
    eligible = np.flatnonzero(mean <= mean[best] + spread[best])
    return RankChoice(tried, mean, spread, int(tried[eligible].min()))


def _held_out_error(model: NMF, X: np.ndarray, hidden: np.ndarray) -> float:
    check_interrupted()
    seen = np.where(hidden, np.nan, X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # ranks beyond the right one end late
        W = model.fit(seen).transform(seen)
    x, z = X[hidden], model.inverse_transform(W)[hidden]
    loss = 0.5 * (x - z) ** 2 if model.datafit == "squared" else divergence(x, np.maximum(z, 1e-12))
    return float(loss.mean())
