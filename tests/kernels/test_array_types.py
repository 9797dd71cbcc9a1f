"""Kernels with one form for each element type: no array is turned into another type to fit."""

import re
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp

from tamis import NMF, Lasso, MatrixCompletion, RobustPCA, SparseClassifier
from tamis._kernels import kernels
from tamis.dictionary import KSVD, OMPCoder, OnlineDictionary, SparseCoder, ThresholdCoder
from tamis.operators import Hadamard, as_operator
from tamis.selection import Forward, InformationGain, ReliefF, SubsetSelector, information_gain
from tamis.solvers import orthogonal_matching_pursuit
from tamis.solvers.omp import batch_omp, omp_codes
from tamis.sources import as_source
from tamis.stats.coded import joint_counts

ELEMENT = re.compile(r"(arg\d+): ndarray\[dtype=(\w+)")


def takes_several_types(kernel):
    """Whether some array of the kernel may hold one type or another, whichever form is called."""
    forms = getattr(kernel, "__nb_signature__", None) or ()
    pairs = {pair for form in forms for pair in ELEMENT.findall(form[0])}
    return len(pairs) > len({argument for argument, _ in pairs})


NAMES = sorted(name for name in dir(kernels) if takes_several_types(getattr(kernels, name)))


def use_every_kernel():
    """Fits, scores and products in float64 that call each of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(64, 40))
    y = X[:, 0] - X[:, 1] + rng.normal(size=64)
    labels, s = (y > 0).astype(int), rng.uniform(0.5, 2, 64)
    for storage in (np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array):
        A = as_operator(storage(np.where(X > 0.5, X, 0.0)))
        A @ np.ones(40), A.T @ y, A.adjoint_at(y, np.array([3, 1, 7])), A.moments(s)
        SparseClassifier(alpha=0.02).fit(storage(X), labels)
    Lasso(alpha=0.1).fit(X, y)
    Lasso(alpha=0.1, precompute=False).fit(np.asfortranarray(X), y)
    batch_omp(X[:5] @ X[:5].T, X @ X[:5].T, np.square(X).sum(axis=1), n_nonzero=2)
    omp_codes(X, X[:5], n_nonzero=2), orthogonal_matching_pursuit(X, y, n_nonzero=8)
    Hadamard(64) @ y
    NMF(2, tol=0.5).fit(sp.csr_array(np.abs(X)))
    for counts in (np.abs(X), np.where(X > 1, np.nan, np.abs(X)), sp.csr_array(np.abs(X))):
        NMF(2, datafit="kl", tol=0.5).fit(counts)
    NMF(2, tol=0.5).fit(np.where(X > 1, np.nan, np.abs(X)))
    RobustPCA("alternating", rank=2, tol=1e-3, random_state=0).fit(X)
    RobustPCA("admm", tol=1e-3).fit(X), RobustPCA("stable", noise=1.0, tol=1e-3).fit(X)
    MatrixCompletion("factored", rank=1, tol=0.1, random_state=0).fit(X).standard_error([0], [1])
    MatrixCompletion("soft_impute", alpha=20.0).fit(X)
    D = KSVD(5, n_nonzero=2, max_iter=3, random_state=0).fit(X).components_
    OnlineDictionary(5, alpha=0.1, max_iter=1, random_state=0).fit(X)
    for coder in (ThresholdCoder(2), OMPCoder(2, positive=True)):
        SparseCoder(D, coder).fit(X).transform(X)
    SparseCoder(D, OMPCoder(2)).fit(X).transform(np.where(X > 1, np.nan, X))
    ReliefF().fit(X, labels)
    few = np.column_stack([X[:, :3], rng.integers(0, 4, (64, 5))])
    information_gain(few, labels, sample_weight=s), information_gain(few, y, sample_weight=s)
    joint_counts(as_source(few, labels))
    SubsetSelector(Forward(until="significant"), InformationGain()).fit(few, labels)
    for search in ("forward", "backward"):
        SubsetSelector(search, InformationGain(), n_features=3).fit(few, labels, sample_weight=s)


def copied(given):
    return given.copy(order="K") if isinstance(given, np.ndarray) else given


@cache
def calls():
    """Of each kernel, the arguments of its first call."""
    found, patch = {}, pytest.MonkeyPatch()

    def recorder(name, kernel):
        def record(*given):
            found.setdefault(name, tuple(copied(a) for a in given))
            return kernel(*given)

        return record

    with patch.context() as context:
        for name in NAMES:
            context.setattr(kernels, name, recorder(name, getattr(kernels, name)))
        use_every_kernel()
    return found


def outcome(name, given):
    """What the kernel returns and leaves in its arrays; of an object the type."""
    returned = getattr(kernels, name)(*given)
    parts = returned if isinstance(returned, (list, tuple)) else [returned]
    plain = [p if p is None or isinstance(p, (float, np.ndarray)) else type(p).__name__ for p in parts]
    return [*plain, *(np.array(a) for a in given if isinstance(a, np.ndarray))]


def apart(a):
    """The same numbers, none beside the next in memory."""
    wide = np.full([2 * k for k in a.shape], 7).astype(a.dtype)
    view = wide[tuple(slice(None, None, 2) for _ in a.shape)]
    view[...] = a
    return view


def other_width(a):
    """The same whole numbers, wider or narrower."""
    return a.astype({np.dtype(np.int32): np.int64, np.dtype(np.int64): np.int32}.get(a.dtype, a.dtype))


def test_every_kernel_of_several_types_is_called():
    assert {"correlate", "moments", "lasso_path", "quantile_cuts", "fwht"} <= set(NAMES)
    assert sorted(calls()) == NAMES


@pytest.mark.parametrize("change", [apart, other_width])
@pytest.mark.parametrize("name", NAMES)
def test_arrays_of_another_layout_or_width_are_refused_or_read_exactly(name, change):
    given = calls()[name]
    expected = outcome(name, [copied(a) for a in given])
    for i, a in enumerate(given):
        if not isinstance(a, np.ndarray):
            continue
        changed = [copied(b) if k != i else change(a) for k, b in enumerate(given)]
        try:
            found = outcome(name, changed)
        except TypeError:
            continue
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(mine, theirs, err_msg=f"argument {i}")
