"""Ctrl-C during a selection: the best so far where there is one, else the selector as it was before."""

import numpy as np
import pytest

from tamis import Lasso
from tamis._core.errors import InputError
from tamis.selection import FCBF, CrossValidated, EmbeddedSelector, Evaluation, ReliefF, SubsetSelector, TreeSelector


class Interrupted(Evaluation):
    """Ctrl-C at the third subset."""

    def prepare(self, source, *, n_jobs=None, steps=None):
        self.n_calls = 0

    def score(self, state, subset):
        self.n_calls += 1
        if self.n_calls == 3:
            raise KeyboardInterrupt
        return float(len(subset))


def rows():
    rng = np.random.default_rng(0)
    return rng.standard_normal((40, 5)), np.arange(40) % 2


def test_a_search_interrupted_before_it_has_a_subset_of_the_size_asked_for():
    """It complained that the search had asked about none."""
    selector = SubsetSelector("forward", Interrupted(), n_features=4)
    before = dict(vars(selector))
    with pytest.raises(KeyboardInterrupt):
        selector.fit(*rows())
    assert vars(selector) == before


def test_a_search_interrupted_with_a_subset_at_hand_keeps_it():
    selector = SubsetSelector("forward", Interrupted(), n_features=(1, 4)).fit(*rows())
    assert selector.status_ == "interrupted"
    assert selector.selected_features_ == [0]  # of the two that were scored alike, the first
    assert len(selector.history_) == 2


@pytest.mark.parametrize(
    "selector",
    [
        SubsetSelector(n_features=2),
        FCBF(),
        ReliefF(n_neighbors=3),
        TreeSelector(),
        EmbeddedSelector(Lasso(alpha=0.01)),
        SubsetSelector("forward", CrossValidated(Lasso(alpha=0.01)), n_features=2),
    ],
    ids=lambda s: type(s).__name__,
)
def test_a_fit_that_fails_leaves_what_was_fitted_before(selector):
    X, y = rows()
    selector.fit(X, y)
    before = dict(vars(selector))
    with pytest.raises((InputError, ValueError)):
        selector.fit(X[:, :2], np.r_[y[:-1], np.nan])
    assert vars(selector).keys() == before.keys()
    assert all(vars(selector)[name] is value for name, value in before.items())
