"""Warnings point at the user's line, whichever part of the library gives them."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.callback import ProgressBar
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tamis import NMF, Lasso, LasVegasWrapper, ReliefF, RobustPCA, SparseClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4))
LABELS = (X[:, 0] > 0).astype(int)


class Slow(SparseClassifier):
    """Longer than any time limit here."""


CALLS = {
    "sources": lambda: Lasso().fit(X, X[:, :1]),
    "labels": lambda: SparseClassifier().fit(X, LABELS[:, None]),
    "selection": lambda: ReliefF().fit(X, LABELS[:, None]),
    "linear": lambda: SparseClassifier(alpha=0.01, max_iter=1, tol=1e-14).fit(X, rng.permutation(LABELS)),
    "search": lambda: LasVegasWrapper(Slow(), time_limit=1e-6, random_state=0).fit(X, LABELS),
    "fit_transform of scikit-learn": lambda: NMF(3, max_iter=1).fit_transform(np.abs(X)),
    "progress": lambda: RobustPCA(max_iter=1).set_callbacks(ProgressBar()).fit(X),
    "pipeline": lambda: make_pipeline(FunctionTransformer(), NMF(3, max_iter=1)).fit(np.abs(X)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_warning_names_the_line_that_called(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert caught
    assert {(w.filename, w.lineno) for w in caught} == {(__file__, inspect.getsourcelines(call)[1])}
