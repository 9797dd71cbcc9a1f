"""``compare_selectors``: which columns, how sure, at what cost."""

from __future__ import annotations

import inspect
import time
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.errors import InputError, about
from tamis._core.progress import ProgressMixin, reports_progress
from tamis._core.random import as_rng
from tamis.base.frames import frame_library
from tamis.base.splits import Split
from tamis.selection.checkpoint import ResultsCheckpoint
from tamis.selection.comparison.comparison_steps import ComparisonSteps
from tamis.selection.comparison.configurations import Comparer, as_choice, as_sizes
from tamis.selection.comparison.executor import Executor, require_work
from tamis.selection.comparison.folds import as_row_groups, make_splits, remembered_splits
from tamis.selection.comparison.learners import as_learners
from tamis.selection.comparison.methods import Method, as_methods
from tamis.selection.comparison.result import Comparison
from tamis.selection.comparison.scores import as_score
from tamis.selection.comparison.table import ComparisonTable
from tamis.selection.comparison.table_input import read_table
from tamis.selection.fingerprint import described, fingerprint


def compare_selectors(
    X: Any,
    y: Any = None,
    *,
    estimator: Any = "auto",
    methods: Any = "auto",
    sizes: Any = "auto",
    n_features: Any = None,
    cv: Any = 5,
    n_repeats: int = 1,
    scoring: Any = None,
    groups: Any = None,
    keep: Any = None,
    feature_groups: Any = None,
    sample_weight: Any = None,
    n_shuffles: int = 0,
    time_limit: float | None = None,
    checkpoint: Any = None,
    n_jobs: int | None = None,
    random_state: Any = 0,
    task: str = "auto",
    callbacks: Any = None,
) -> Comparison:
    """Which columns, how sure, at what cost: methods of selection compared on rows that chose nothing.

    In each training fold every method orders the columns; learners are fitted to the first k of them, for many k, and
    predict the rows left out. Whatever learns, learns there: bins, the mean that fills a gap, the labels that a column
    has, the order itself. A **configuration** is a method, a size k and a learner; no column (the mean, or the shares
    of the classes) and all columns are configurations too.

    **The rule** takes the smallest size with a configuration whose paired difference to the best one over the J splits
    is within one standard error, s_d √(1/J + n_test/n_train) (Nadeau and Bengio 2003); of that size the best.

    **Its score** is that of the whole procedure, corrected for having chosen (Tsamardinos, Greasidou and Borboudakis
    2018): in each of 1,000 resamples of the rows (of whole groups where given; a row is drawn with all its repeats)
    the rule runs again on the out-of-fold predictions of the rows drawn, and its choice is scored on the others. The
    mean is the estimate, the 2.5 and 97.5 % points its interval. ``better_than_none`` says that the low end of the
    difference to no column is above 0. The **score while choosing** beside it is what people usually quote.

    **How sure of each column**: 50 half-samples, 25 times both halves, choose again with the recommended method and
    size; ``frequencies()`` and the stability index of Nogueira, Sechidis and Brown (2018) are theirs. ``noise_floor_``
    tells of each column by itself whether it stands out of shuffled targets (see ``column_noise_floor``).

    Parameters
    ----------
    X : anything that ``as_source`` takes
        Rows are held in memory. Of a file that would take more than an eighth of the free memory, a random sample of
        the rows is: the file is read in a stream, and ``notes_`` says how many rows were drawn of how many.
    y : labels, numbers, or the name of a column of X
        Labels and few whole numbers are classes, unless ``estimator`` is a regressor or ``task`` says otherwise.
    estimator : "auto", "linear", "boosting", an estimator, a list of these, or a dict by name
        Who predicts from the chosen columns. "auto": a linear model (ridge regression whose strength is chosen by
        leaving out each training row; logistic regression with C = 1) and scikit-learn's histogram gradient boosting
        with its own defaults. A learner without ``predict_proba`` is scored by its decision function, or by the classes
        it predicts; it has no log loss. Accuracy and scorers of classes see those that ``predict`` gives. A learner
        that takes no gaps gets the mean of the training rows in them; columns of labels are handed over as one 0/1
        column per label of the training rows, but as they are to a learner that transforms columns itself.
    methods : "auto", a name, a selector, a list of these, or a dict of selectors by name
        "lasso" (the order in which columns enter the path of the lasso or of sparse logistic regression), "mrmr"
        (forward search by relevance less redundancy; after 100 columns the others follow by their last scores),
        "linear" (forward search by cross-validated least squares among the 1,000 columns most correlated with the
        target; for classes by the score test of logistic regression, up to 50 columns, the others following by their
        last scores; 2 million cells are drawn of more), "relief" (ReliefF, RReliefF; 2,000 rows are drawn of
        more), "forest" (importance in 200 extremely randomised trees). A selector of Tamis or scikit-learn gives its
        own choice first, then the others by its history, ranking, scores or weights; one that tells no order has one
        configuration, its own choice in each fold, at their mean size.
    sizes : "auto" or numbers
        How many columns, or groups of them, kept ones counted. "auto": 1 to 20, then doubling.
    n_features : None, int or (low, high)
        How many of them may be recommended. None: as many as the rule takes.
    cv : int, splitter or splits
        An int is shuffled folds, stratified by class, groups kept together; at least two rows in each and at most as
        many folds as groups (``notes_`` says so where there are fewer than asked). Any scikit-learn splitter, one for
        time order too; rows that are in no test fold are not scored.
    n_repeats : int
        How often the folds of an int ``cv`` are drawn anew.
    scoring : None, str or callable
        None: for classes the AUC, from pairs of rows within a fold (of more than two classes the mean over each
        against the others), for numbers R² against the mean of the training fold; folds count by their pairs or
        squares, so that a fold of one class does no harm. "accuracy", "neg_log_loss", "neg_mean_squared_error",
        "neg_mean_absolute_error" and "neg_root_mean_squared_error" are as quick. Any other scorer of scikit-learn is
        called on stored predictions, with 100 resamples instead of 1,000; folds then count alike, and no column means
        the best of the shares of the classes and of each class (always to say "yes" has a high recall).
    groups : one label per row
        Rows of one group stay together in folds, resamples and half-samples; shuffles stay within groups.
    keep, feature_groups
        As in ``SubsetSelector``: columns in every subset, and columns that come together. With ``keep`` "none" means
        the kept columns alone.
    sample_weight : array-like
        Weights ≥ 0 of the rows, for methods, learners and scores. A learner that takes none is an error, a selector
        that takes none is named in ``notes_``. Whole weights count rows; of others only the ratios matter.
    n_shuffles : int
        How often the whole comparison is run on a shuffled target: ``pvalue_`` = (1 + #)/(B + 1), # counting shuffles
        whose choice is as much better than none. It costs as many comparisons. 0: ``pvalue_`` is None, not computed.
    time_limit : float or None
        Seconds. Orders of columns are found in the first half, cheap methods first; then a cheap learner fits up to 20
        columns, and all; costly ones fit few sizes; larger subsets and other sizes follow. From three quarters on there
        are the noise floor, half-samples and swaps. A fit that has begun is finished.
        The noise floor is left out where it would take too long. What is not finished is named in ``unfinished_``; only
        configurations that are finished in every fold can be chosen. Ctrl-C does the same.
    checkpoint : path or None
        An SQLite file that remembers every order and every prediction: a run that was killed, started again with the
        same data and arguments, does none of them again and ends with the same result.
    n_jobs : int or None
        Processes, through joblib. None: one for the first seconds of a stage, then as many as there are cores. The
        result does not depend on it.
    random_state : None, int, Generator or RandomState
        0 by default, so that the answer is the same each time.
    task : "auto", "classification" or "regression"
        What the target is; "auto": what ``estimator`` is for, else what its values look like.
    callbacks : callbacks of scikit-learn, such as ``ProgressBar()``
        Told of the stages and their steps.

    Returns
    -------
    Comparison

    Notes
    -----
    A class that is missing from a training fold gets probability 0 there. Where the target of a training fold is
    constant, nothing is fitted: the prediction is that constant, and the columns keep their order. A method or a fit
    that fails is recorded in ``failures_``; its configuration cannot be chosen, the others go on. Where all columns are
    tied, the lowest come first. Where size 0 is chosen, ``selector_`` selects nothing and its ``transform`` says so.

    Resamples of rows take rows, or groups, to be independent: give ``groups`` (blocks of time, say) where they are not.
    With groups of which every one has its own target, shuffles within groups change nothing and p is 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from tamis import compare_selectors
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> found = compare_selectors(X, y, methods=["mrmr"], estimator="linear", sizes=[1, 2, 4, 8])
    >>> found.recommended_.better_than_none
    True
    """
    arguments = {k: v for k, v in locals().items() if k not in ("X", "y", "callbacks")}
    run = comparison_run(**arguments)
    if callbacks is not None:
        run.set_callbacks(callbacks if not isinstance(callbacks, (list, tuple)) else [*callbacks])
    return run.fit(X, y).comparison_


def comparison_run(**arguments: Any) -> _Run:
    """The comparison with these arguments, not yet begun: ``fit(X, y).comparison_``."""
    return _Run(**({k: v.default for k, v in _PARAMETERS.items()} | arguments))


class _Run(ProgressMixin, BaseEstimator):
    """The arguments of one comparison; ``fit`` leaves ``comparison_``."""

    def __init__(
        self,
        estimator: Any,
        methods: Any,
        sizes: Any,
        n_features: Any,
        cv: Any,
        n_repeats: int,
        scoring: Any,
        groups: Any,
        keep: Any,
        feature_groups: Any,
        sample_weight: Any,
        n_shuffles: int,
        time_limit: float | None,
        checkpoint: Any,
        n_jobs: int | None,
        random_state: Any,
        task: str,
    ) -> None:
        self.estimator = estimator
        self.methods = methods
        self.sizes = sizes
        self.n_features = n_features
        self.cv = cv
        self.n_repeats = n_repeats
        self.scoring = scoring
        self.groups = groups
        self.keep = keep
        self.feature_groups = feature_groups
        self.sample_weight = sample_weight
        self.n_shuffles = n_shuffles
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.task = task

    @reports_progress
    def fit(self, X: Any, y: Any) -> _Run:
        limit = None if self.time_limit is None else check_number("time_limit", self.time_limit, above=0)
        shuffles = check_count("n_shuffles", self.n_shuffles, at_least=0)
        require_work(self.n_jobs)
        methods = as_methods(self.methods)
        executor = Executor(self.n_jobs, time.time(), limit, steps=self._steps)
        seed = int(as_rng(self.random_state).integers(2**31 - 1))
        model = None if isinstance(self.estimator, (str, list, tuple, dict)) else self.estimator
        table, notes, sampled = read_table(
            X, y, self.sample_weight, self.keep, self.feature_groups, seed, "compare_selectors", model,
            check_choice("task", self.task, ("auto", "classification", "regression")),
        )  # fmt: skip
        if self.checkpoint is not None:
            with about("checkpoint"):
                executor.checkpoint = ResultsCheckpoint(self.checkpoint, self._fingerprint(table), seed)
            seed = executor.checkpoint.seed
        try:
            groups = _groups(self.groups, sampled, table)
            splits, more_notes = make_splits(
                self.cv, self.n_repeats, table.target, table.classes is not None, groups, seed
            )
            if executor.checkpoint is not None:
                splits = remembered_splits(self.cv, splits, executor.checkpoint)
            _require_weights(table.weight, splits)
            weighted = table.weight is not None
            learners = as_learners(self.estimator, table.task, sp.issparse(table.X), weighted, seed)
            score = as_score(self.scoring, table, learners)
            learners = [replace(one, decisions=not score.fast) for one in learners]
            notes += more_notes + _weight_notes(methods, weighted)
            n_features = as_choice(self.n_features, table.candidates)
            comparer = Comparer(
                executor,
                table,
                splits,
                methods,
                learners,
                as_sizes(self.sizes, table.candidates, n_features),
                seed,
                n_features,
            )
            comparer.each_class = not score.fast
            steps = ComparisonSteps(
                comparer, score, groups, notes, frame_library(X), shuffles, self.keep, self.feature_groups
            )
            self.comparison_ = steps.result()
        finally:
            if executor.checkpoint is not None:
                executor.checkpoint.close()
        return self

    def _fingerprint(self, table: ComparisonTable) -> dict[str, str]:
        """What a checkpoint must agree in; workers, limits and shuffles may differ."""
        named = ("estimator", "methods", "sizes", "cv", "n_repeats", "scoring", "keep", "feature_groups", "task")
        arguments = {name: getattr(self, name) for name in (*named, "random_state")}
        arguments["groups"] = None if self.groups is None else list(self.groups)
        return {"data": fingerprint(table.source), **{k: described(v) for k, v in arguments.items()}}


def _groups(groups: Any, sampled: np.ndarray | None, table: ComparisonTable) -> np.ndarray | None:
    if sampled is None or groups is None:
        return as_row_groups(groups, table.n)
    return np.asarray(groups)[sampled]


def _require_weights(weight: np.ndarray | None, splits: list[Split]) -> None:
    for j, (train, _) in enumerate(splits):
        if weight is not None and not weight[train].any():
            raise InputError(
                f"sample_weight is 0 in all training rows of split {j}: there is nothing to learn from; give more rows "
                "a weight, or other splits",
                argument="sample_weight",
            )


def _weight_notes(methods: list[Method], weighted: bool) -> list[str]:
    return [
        f"{method.name} takes no weights: it chose its columns from rows counted alike"
        for method in methods
        if weighted and not method.takes_weights
    ]


_PARAMETERS = {
    name: parameter
    for name, parameter in inspect.signature(compare_selectors).parameters.items()
    if name not in ("X", "y", "callbacks")
}
