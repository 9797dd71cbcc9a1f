"""Least squares and ridge on a subset, scored by cross-validation or a criterion, in closed form from Gram matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import check_choice, check_number
from tamis._core.errors import InputError
from tamis._core.far_columns import real_variance
from tamis._core.memory import require_memory
from tamis._core.progress import Steps, silent
from tamis.base.splits import split_rows
from tamis.base.training_data import TrainingData, require_numbers
from tamis.selection.description import ScoreDescription
from tamis.selection.evaluation.base import N_SHUFFLES, Evaluation
from tamis.selection.evaluation.shuffled_residuals import Rows, null_errors
from tamis.selection.search.base import Index
from tamis.sources.base import Source
from tamis.stats import collect
from tamis.stats.fold_grams import fold_grams
from tamis.stats.gram import Gram, checked

DEPENDENT = 1e-11  # of a column's own square: what is left of it beside the subset when it adds nothing
ROUNDED = 64 * np.finfo(float).eps  # of the squares that what is left of a column was subtracted from
CRITERIA = {"aic": "AIC", "bic": "BIC"}


@dataclass
class Folds:
    """For each of F fits the products to train on and to test on, and all fits on one subset, swept in.

    ``A`` (F, p + 1, p + 1) holds the products of the training rows about their mean, y last, ``T`` those of the
    held-out rows about the *training* mean: a fit β then has the squared error T_yy − 2 βᵀT_y + βᵀTβ.

    For every column i, wᵢ = eᵢ − Σ_m V_mi e_m is what is left of it beside the subset, in the metric of A (plus the
    ridge); s = wᵀAw, r = wᵀA_y, u = wᵀTw and t = wᵀ(T_y − Tβ). A column that joins changes all of them by its own
    share, a rank-one update.
    """

    A: np.ndarray
    T: np.ndarray
    size: np.ndarray  # (F,) weight of the held-out rows
    spread: np.ndarray  # (F,) Σ (y − mean)² of the held-out rows
    ridge: float
    whole: np.ndarray  # (p + 1, p + 1) products of all rows about their mean
    rows: Rows | None = None  # what all of this was summed over, to shuffle the target

    def __post_init__(self) -> None:
        self.p = self.A.shape[1] - 1
        self.own = np.einsum("fii->fi", self.A)[:, : self.p] + self.ridge
        self.held_out = np.einsum("fii->fi", self.T)[:, : self.p].copy()
        self.restart()

    def restart(self) -> None:
        p = self.p
        self.members: list[int] = []
        self.V = np.zeros((len(self.A), 0, p))
        self.s, self.r = self.own.copy(), self.A[:, :p, p].copy()
        self.u, self.t = self.held_out.copy(), self.T[:, :p, p].copy()
        self.error = self.T[:, p, p].copy()
        self.open = np.zeros(len(self.A), dtype=bool)  # fits whose training rows leave coefficients open

    def go_to(self, subset: Index) -> None:
        """The fits on this subset, from the last one where that is part of it."""
        if not set(self.members) <= set(subset):
            self.restart()
        for j in subset:
            if j not in self.members:
                self._join(j)

    def errors(self, candidates: np.ndarray) -> np.ndarray:
        """(F, n_candidates) Σ (y − ŷ)² of the held-out rows with each candidate beside the subset."""
        step, t, u = self._steps(candidates), self.t[:, candidates], self.u[:, candidates]
        errors = self.error[:, None] - 2 * step * t + step**2 * u
        for f, i in np.argwhere(self.open[:, None] | self.opens(candidates)):
            errors[f, i] = self._error(int(f), [*self.members, int(candidates[i])])
        return errors

    def opens(self, columns: Any) -> np.ndarray:
        """(F, n_columns) where a column depends on the subset in the training rows but not in those held out: which
        of them has the coefficient then matters, and the smallest ones are taken, as scikit-learn does. A column
        that is constant where it is trained on has none."""
        matters = self.u[:, columns] > DEPENDENT * self.held_out[:, columns]
        return (self.own[:, columns] > 0) & ~self.adds(columns) & matters

    def adds(self, columns: Any) -> np.ndarray:
        """(F, n_columns) where more is left of a column beside the subset than rounding may have: wᵀAw is a sum of
        terms up to Σ_m V_mi² A_mm, which a subset that is nearly dependent itself makes large."""
        made_of = np.einsum("fmi,fm->fi", self.V[:, :, columns] ** 2, self.own[:, self.members])
        own = self.own[:, columns]
        return self.s[:, columns] > np.maximum(DEPENDENT * own, ROUNDED * (own + made_of))

    def errors_without(self, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        """(F, n_candidates) the same for the subset without each candidate: β − M_j β_j / M_jj, M the inverse."""
        S = list(subset)
        places = [S.index(j) for j in candidates]
        return np.array([self._without(f, S, places) for f in range(len(self.A))])

    def _without(self, f: int, S: list[int], places: list[int]) -> np.ndarray:
        A, Ay, T, Ty = self._parts(f, S)
        values, vectors = np.linalg.eigh(A)
        if values[0] <= DEPENDENT:  # no inverse: who goes may be made up for by others
            rests = ([j for i, j in enumerate(S) if i != place] for place in places)
            return np.array([self._error(f, rest) for rest in rests])
        M = (vectors / values) @ vectors.T
        beta = M @ Ay
        g = Ty - T @ beta
        whole = self.T[f, self.p, self.p] - beta @ (Ty + g)
        step = beta / M.diagonal()
        return (whole + 2 * step * (M @ g) + step**2 * np.einsum("ij,ij->i", M @ T, M))[places]

    def _error(self, f: int, S: list[int]) -> float:
        """Of one fit, columns that depend on others taken in by the smallest coefficients Σ w², w = β / size."""
        beta = self.solution(f, S) @ self.A[f][S, self.p]
        T, Ty = self.T[f][np.ix_(S, S)], self.T[f][S, self.p]
        return float(self.T[f, self.p, self.p] - beta @ (2 * Ty - T @ beta))

    def solution(self, f: int, S: list[int]) -> np.ndarray:
        """M of the fit β = M A_y on the columns S."""
        size = self._sizes(f, S)
        if not S:
            return np.zeros((0, 0))
        values, vectors = np.linalg.eigh(self._parts(f, S)[0])
        resolved = values > DEPENDENT * values[-1]
        M = (vectors[:, resolved] / values[resolved]) @ vectors[:, resolved].T
        if not resolved.all():
            free = np.linalg.qr(vectors[:, ~resolved] / size[:, None])[0]
            M -= size[:, None] * (free @ (free.T @ (M / size[:, None])))
        return M / np.outer(size, size)

    def _parts(self, f: int, S: list[int]) -> tuple[np.ndarray, ...]:
        """Products of the columns S, scaled so that A has ones on its diagonal: A with the ridge, A_y, T and T_y."""
        size = self._sizes(f, S)
        A, T = self.A[f][np.ix_(S, S)], self.T[f][np.ix_(S, S)]
        A[np.diag_indices_from(A)] += self.ridge
        both = np.outer(size, size)
        return A / both, self.A[f][S, self.p] / size, T / both, self.T[f][S, self.p] / size

    def _sizes(self, f: int, S: list[int]) -> np.ndarray:
        return np.sqrt(np.where(self.own[f][S] > 0, self.own[f][S], 1.0))

    def _steps(self, columns: Any) -> np.ndarray:
        """The coefficient that each column gets when it joins; 0 for one that adds nothing."""
        s, r = self.s[:, columns], self.r[:, columns]
        return np.divide(r, s, out=np.zeros_like(r), where=self.adds(columns))

    def _join(self, j: int) -> None:
        p, S = self.p, self.members
        v = self.V[:, :, j]  # (F, k)
        e = self.A[:, :p, j] - np.einsum("fim,fm->fi", self.A[:, :p][:, :, S], v)
        h = self.T[:, :p, j] - np.einsum("fim,fm->fi", self.T[:, :p][:, :, S], v)
        F = h - np.einsum("fmi,fm->fi", self.V, h[:, S])
        e[:, S] = 0.0
        e[:, j] = self.s[:, j]
        self.open |= self.opens([j])[:, 0]
        step = self._steps([j])  # (F, 1)
        q = np.divide(e, self.s[:, [j]], out=np.zeros_like(e), where=self.adds([j]))
        t_j, u_j, r_j = self.t[:, [j]].copy(), self.u[:, [j]].copy(), self.r[:, [j]].copy()
        self.error += (step**2 * u_j - 2 * step * t_j)[:, 0]
        self.t += -step * F - q * (t_j - step * u_j)
        self.u += q**2 * u_j - 2 * q * F
        self.r -= q * r_j
        self.s -= q * e
        self.V = np.concatenate([self.V - q[:, None, :] * v[:, :, None], q[:, None, :]], axis=1)
        self.members.append(j)


class LinearFit(Evaluation):
    """How well least squares, or ridge, on the subset does: by cross-validation, or by an information criterion.

    One pass leaves the Gram matrix of every fold; each further column is then a rank-one update, so a round of a
    search takes no look at the rows. Scores are those of scikit-learn's ``cross_val_score`` with LinearRegression or
    Ridge, to rounding.

    Parameters
    ----------
    model : "ols" or "ridge"
    criterion : "cv", "aic" or "bic"
        "aic" is −(n log(RSS/n) + 2k), "bic" −(n log(RSS/n) + k log n), k the columns and the intercept.
    cv : int, splitter or splits
        As in scikit-learn; a number means that many folds in the order of the rows. A splitter that keeps groups of
        rows together gets the ``groups`` that were given to ``fit``. Lists of rows are read as in
        CrossValidated.
    scoring : "r2" or "neg_mean_squared_error"
        The mean over the folds.
    alpha : float
        Of the ridge: ‖y − Xw − b‖² + alpha ‖w‖².

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import SubsetSelector
    >>> from tamis.selection import LinearFit
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> SubsetSelector("forward", LinearFit(), n_features=4).fit(X, y).selected_features_
    ['bmi', 's5', 'bp', 's3']
    """

    has_weights = True
    takes_groups = True

    def __init__(
        self, model: str = "ols", criterion: str = "cv", *, cv: Any = 5, scoring: str = "r2", alpha: float = 1.0
    ) -> None:
        self.model = model
        self.criterion = criterion
        self.cv = cv
        self.scoring = scoring
        self.alpha = alpha

    def describe(self) -> ScoreDescription:
        if self.criterion in CRITERIA:
            name = CRITERIA[self.criterion]
            words = f"minus the {name} of least squares on its columns"
            return ScoreDescription(f"−{name}", words, numbers=True, number_target=True)
        if self.scoring == "neg_mean_squared_error":
            words = "minus the mean squared error of least squares on its columns in rows left out"
            return ScoreDescription("−mean squared error", words, most=0.0, numbers=True, number_target=True)
        return ScoreDescription(
            "cross-validated R²",
            "the share of the target's variance that least squares on its columns explains in rows left out; below 0 "
            "it does worse than the mean",
            most=1.0,
            numbers=True,
            number_target=True,
        )

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent, groups: Any = None) -> Folds:
        model = check_choice("model", self.model, ("ols", "ridge"))
        criterion = check_choice("criterion", self.criterion, ("cv", "aic", "bic"))
        check_choice("scoring", self.scoring, ("r2", "neg_mean_squared_error"))
        alpha = check_number("alpha", self.alpha, at_least=0.0)
        ridge = alpha if model == "ridge" else 0.0
        require_numbers(source, "LinearFit")
        if criterion != "cv":
            if groups is not None:
                raise InputError(f"groups cannot be used: criterion={criterion!r} splits no rows; leave groups out")
            (whole,) = collect(source, Gram(n_jobs=n_jobs), n_jobs=n_jobs, steps=steps)
            checked(whole, source)
            A = _real_products(whole)[None]
            return Folds(A, A, np.array([whole.weight]), A[:, -1, -1].copy(), ridge, A[0], Rows(source, None))
        data = TrainingData(source, source)
        y = data.y if data.in_memory else None
        splits = [
            (np.sort(train), np.sort(test))
            for train, test in split_rows(self.cv, y, data.n, classifier=False, groups=groups)
        ]
        if self.scoring == "r2" and min(len(test) for _, test in splits) < 2:
            raise InputError(f"cv={self.cv!r} holds out single rows, which have no R²: use fewer folds")
        require_memory(
            16 * len(splits) * (data.p + 1) ** 2, f"LinearFit on {data.p:,} columns", "select columns by Ranking first"
        )
        whole, folds = fold_grams(source, splits, data.n, n_jobs=n_jobs, steps=steps)
        A, T = (np.empty((len(folds), data.p + 1, data.p + 1)) for _ in range(2))
        for f, fold in enumerate(folds):
            train = fold.training()
            shift = fold.held_out.mean_minus(train)
            A[f] = _real_products(train)
            T[f] = fold.held_out.scatter + fold.held_out.weight * np.outer(shift, shift)
        spread = np.array([fold.held_out.scatter[-1, -1] for fold in folds])
        weight = np.array([fold.held_out.weight for fold in folds])
        return Folds(A, T, weight, spread, ridge, _real_products(whole), Rows(source, splits))

    def has_folds(self) -> bool:
        return self.criterion == "cv"

    def score(self, state: Folds, subset: Index) -> float:
        return float(self.score_by_fold(state, subset).mean())

    def gains(self, state: Folds, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        return self.gains_by_fold(state, subset, candidates).mean(axis=1)

    def losses(self, state: Folds, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        return self.losses_by_fold(state, subset, candidates).mean(axis=1)

    def score_by_fold(self, state: Folds, subset: Index) -> np.ndarray:
        if not subset:
            return self._scores(state, state.T[:, -1:, -1], 0)[0]
        return self.gains_by_fold(state, subset[:-1], subset[-1:])[0]

    def gains_by_fold(self, state: Folds, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        state.go_to(subset)
        return self._scores(state, state.errors(np.asarray(candidates, dtype=np.intp)), len(subset) + 1)

    def losses_by_fold(self, state: Folds, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        return self._scores(state, state.errors_without(subset, candidates), len(subset) - 1)

    def null_gains(
        self,
        state: Folds,
        subset: Index,
        candidates: Sequence[int],
        rng: np.random.Generator,
        n_shuffles: int = N_SHUFFLES,
    ) -> np.ndarray:
        """The residuals beside the subset are shuffled (Freedman and Lane); weights stay with their rows."""
        assert state.rows is not None, "rows are shuffled"
        state.go_to(subset)
        null = null_errors(state, state.rows, np.asarray(candidates, dtype=np.intp), n_shuffles, rng)
        F, m, B = null.errors.shape
        spread = np.broadcast_to(null.spread[:, None, :], null.errors.shape).reshape(F, m * B)
        scores = self._scores(state, null.errors.reshape(F, m * B), len(subset) + 1, spread)
        return scores.mean(axis=1).reshape(m, B).T

    def n_scores(self, state: Folds) -> int:
        return len(state.A) if self.criterion == "cv" else 1

    def weights(self, state: Folds, subset: Index) -> np.ndarray:
        """|Coefficient| per standard deviation of its column, of the fit on all rows."""
        S, G = list(subset), state.whole
        size = np.sqrt(np.where(G.diagonal()[S] > 0, G.diagonal()[S], 1.0))
        A = G[np.ix_(S, S)] / np.outer(size, size)
        A[np.diag_indices_from(A)] += state.ridge / size**2
        return np.abs(np.linalg.pinv(A, rcond=DEPENDENT, hermitian=True) @ (G[S, -1] / size))

    def _scores(self, state: Folds, errors: np.ndarray, k: int, spread: np.ndarray | None = None) -> np.ndarray:
        """(n_candidates, F) of squared errors (F, n_candidates); k columns in each subset."""
        errors = np.maximum(errors, 0.0)
        n = state.size[:, None]
        if self.criterion != "cv":
            price = 2.0 if self.criterion == "aic" else np.log(n[0, 0])
            with np.errstate(divide="ignore"):
                return -(n * np.log(errors / n) + price * (k + 1)).T
        if self.scoring != "r2":
            return -(errors / n).T
        spread = state.spread[:, None] if spread is None else spread
        perfect = np.where(errors > 0, 0.0, 1.0)  # where y is constant, as scikit-learn has it
        return np.where(spread > 0, 1 - errors / np.where(spread > 0, spread, 1.0), perfect).T


def _real_products(gram: Gram) -> np.ndarray:
    """Products of columns and y about their means, exactly 0 for what rounding left of a constant column: seen as a
    spread it would be as good as any, for scores do not depend on units."""
    scatter = gram.scatter.copy()
    variance = scatter.diagonal()[: gram.n_features] / gram.weight
    constant = np.flatnonzero(real_variance(variance, gram.mean) == 0)
    scatter[constant] = scatter[:, constant] = 0.0
    return scatter
