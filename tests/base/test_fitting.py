"""A fit, or one more batch of rows, succeeds whole or changes nothing; a fit forgets what was learned before."""

import numpy as np
import pytest

from tamis import NMF, PCA, OnlineDictionary, ReliefF, RobustPCA
from tamis.base.fitting import all_or_nothing, batch_or_nothing

A, B, C = (np.abs(np.random.default_rng(seed).standard_normal((40, 5))) * scale for seed, scale in enumerate((1, 3, 9)))


class Counter:
    """Learns a sum, in public and in private; fails on request after it has begun to."""

    def __init__(self):
        self.start = 0.0

    @all_or_nothing
    def fit(self, X, fail=False):
        self._sum, self.sum_ = getattr(self, "_sum", 0.0) + X, getattr(self, "sum_", 0.0) + X
        if fail:
            raise RuntimeError
        return self

    @batch_or_nothing
    def partial_fit(self, X, fail=False):
        self._sum, self.sum_ = getattr(self, "_sum", 0.0) + X, getattr(self, "sum_", 0.0) + X
        if fail:
            raise RuntimeError
        return self


def test_a_fit_forgets_and_a_batch_goes_on():
    counter = Counter().fit(1.0).fit(2.0)
    assert (counter._sum, counter.sum_) == (2.0, 2.0)
    counter.partial_fit(3.0)
    assert (counter._sum, counter.sum_) == (5.0, 5.0)


@pytest.mark.parametrize("call", ["fit", "partial_fit"])
def test_what_fails_changes_nothing(call):
    counter = Counter().fit(1.0)
    before = vars(counter).copy()
    with pytest.raises(RuntimeError):
        getattr(counter, call)(2.0, fail=True)
    assert vars(counter) == before


def test_a_batch_after_a_fit_knows_nothing_of_batches_before_it():
    pca = PCA(2).partial_fit(A)
    pca.fit(B).partial_fit(C)
    assert pca.n_samples_ == len(C)
    np.testing.assert_array_equal(pca.components_, PCA(2).partial_fit(C).components_)


def changed(model):
    """The model asked for something that a batch cannot give."""
    return {
        PCA: lambda: model.set_params(n_components=99),
        NMF: lambda: model.set_params(datafit="kl"),
        OnlineDictionary: lambda: model.set_params(alpha=-1.0),
        RobustPCA: lambda: model.set_params(alpha=-1.0),
    }[type(model)]()


MODELS = [PCA(2), NMF(2), OnlineDictionary(3, alpha=0.1), RobustPCA("online", rank=2)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_failing_batch_leaves_the_model_as_it_was(model):
    model.partial_fit(A)
    changed(model)
    before = {k: np.copy(v) for k, v in vars(model).items() if isinstance(v, np.ndarray)}
    with pytest.raises(ValueError):
        model.partial_fit(B)
    after = {k: v for k, v in vars(model).items() if isinstance(v, np.ndarray)}
    assert after.keys() == before.keys()
    assert all(np.array_equal(after[k], before[k]) for k in before)


class FailsAtTheEnd:
    """A callback whose last call raises."""

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, **kwargs):
        pass

    def on_fit_task_end(self, estimator, context, **kwargs):
        if context.parent is None:
            raise RuntimeError


@pytest.mark.parametrize("model", [PCA(2), ReliefF(n_neighbors=3)], ids=lambda model: type(model).__name__)
def test_a_callback_that_fails_at_the_end_leaves_the_model_as_it_was(model):
    y = A[:, 0] > np.median(A[:, 0])
    model.fit(A, y)
    before = vars(model).copy()
    with pytest.raises(RuntimeError):
        model.set_callbacks(FailsAtTheEnd()).fit(B, y)
    assert vars(model).keys() - {"_skl_callbacks"} == before.keys()
    assert all(vars(model)[name] is before[name] for name in before)
