"""What the three estimators take for a matrix, and the one line they say about what they do not."""

import os
import signal
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from tamis import GraphRobustPCA, InputError, MatrixCompletion, RobustPCA, as_source
from tamis._core.errors import ConvergenceWarning
from tamis.solvers.iteration_limits import IterationLimits

KINDS = [RobustPCA, GraphRobustPCA, MatrixCompletion]
L = np.outer(np.linspace(-1, 2, 30), np.linspace(1, 2, 6))


@pytest.mark.parametrize("kind", KINDS)
def test_masks_are_missing_entries(kind):
    hidden = np.zeros(L.shape, bool)
    hidden[3, 4] = hidden[8, 1] = True
    with_nan = kind(random_state=0).fit(np.where(hidden, np.nan, L))
    masked = kind(random_state=0).fit(np.ma.array(np.where(hidden, 1e6, L), mask=hidden))
    name = "row_factors_" if kind is MatrixCompletion else "low_rank_"
    np.testing.assert_array_equal(getattr(masked, name), getattr(with_nan, name))


@pytest.mark.parametrize("kind", KINDS)
def test_a_source_is_taken(kind):
    """As the array that it is of."""
    of_source, of_array = kind(random_state=0).fit(as_source(L)), kind(random_state=0).fit(L)
    assert of_source.n_features_in_ == 6
    name = "row_factors_" if kind is MatrixCompletion else "low_rank_"
    np.testing.assert_array_equal(getattr(of_source, name), getattr(of_array, name))


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_labels_are_named(kind, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": L[:, 0], "b": L[:, 1], "town": list("xyz") * 10})
    frame.to_csv(tmp_path / "t.csv", index=False)
    for given in (frame, tmp_path / "t.csv"):
        with pytest.raises(InputError, match="'town' holds labels"):
            kind().fit(given)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "X, word",
    [
        (np.array([[1.0, np.inf], [1.0, 2.0]]), "infinity in 'x1'"),
        (np.full((3, 3), np.nan), "no observed entry"),
        (np.ones(4), "2D"),
        (np.ones((3, 2)) * 1j, "Complex"),
        (None, "NoneType"),
        (np.empty((0, 3)), "0 sample"),
    ],
)
def test_one_line_for_what_cannot_be_used(kind, X, word):
    with pytest.raises(InputError, match=word) as caught:
        kind().fit(X)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [RobustPCA, GraphRobustPCA])
def test_sparse_rows_are_refused_with_what_to_do(kind):
    with pytest.raises(InputError, match=r"X\.toarray\(\)"):
        kind().fit(sp.csr_array(L))


def test_rank_above_the_smaller_side():
    for model in (MatrixCompletion("factored", rank=7), MatrixCompletion(rank=7)):
        with pytest.raises(InputError, match="rank"):
            model.fit(L)


@pytest.mark.parametrize("model", [RobustPCA(), RobustPCA("stable"), RobustPCA("online"), GraphRobustPCA()])
@pytest.mark.parametrize("value", [0.0, 3.0])
def test_constant_data(model, value):
    X = np.full((20, 10), value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X)
    np.testing.assert_allclose(model.low_rank_ + model.sparse_, X, atol=0.2)
    assert np.isfinite(model.transform(X)).all()


@pytest.mark.parametrize(
    "model",
    [
        RobustPCA("admm", tol=1e-300, max_iter=10**9),
        RobustPCA("stable", noise=0.1, tol=1e-300, max_iter=10**9),
        GraphRobustPCA(tol=1e-300, max_iter=10**9),
        MatrixCompletion("soft_impute", alpha=0.1, tol=1e-300, max_iter=10**9),
        MatrixCompletion("als", alpha=0.1, tol=1e-300, max_iter=10**9),
    ],
)
def test_an_interrupted_fit_keeps_what_it_has(model, monkeypatch):
    X = L + 0.1 * np.random.default_rng(0).standard_normal(L.shape)
    whole, steps = IterationLimits.status, []

    def pressed_in_the_third_step(limits, converged):
        steps.append(converged)
        if len(steps) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return whole(limits, converged)

    monkeypatch.setattr(IterationLimits, "status", pressed_in_the_third_step)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model.fit(X)
    assert model.status_ == "interrupted"
    assert np.isfinite(model.transform(X)).all()


@pytest.mark.parametrize(
    "model, word",
    [
        (RobustPCA("online", tol=0.9), "tol"),
        (RobustPCA("online", max_iter=1), "max_iter"),
        (RobustPCA(rank=1, certify=True), "rank"),
        (RobustPCA(rank=1, alpha=0.1), "rank"),
        (MatrixCompletion(alpha=0.1, held_out=0.3), "held_out"),
        (MatrixCompletion("factored", rank=1, held_out=0.3), "held_out"),
    ],
)
def test_options_that_would_be_ignored_are_refused(model, word):
    with pytest.raises(InputError, match=word):
        model.fit(L)


def test_a_given_rank_decides_for_projections():
    X = np.random.default_rng(0).standard_normal((60, 8))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = RobustPCA(rank=1, random_state=0).fit(X)
    assert model.rank_ == 1
    assert model.strategy_.startswith("alternating: rank 1 is given")


def test_the_time_of_blocks_is_limited():
    X = np.random.default_rng(0).standard_normal((200, 8))
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        assert RobustPCA("online", rank=1, time_limit=1e-9).fit(X).status_ == "time_limit"


@pytest.mark.parametrize("form", ["nuclear", "two_graphs"])
def test_float32_stays_float32_on_graphs(form):
    model = GraphRobustPCA(form).fit(L.astype(np.float32))
    assert model.low_rank_.dtype == model.sparse_.dtype == model.components_.dtype == np.float32
    assert model.transform(L.astype(np.float32)).dtype == np.float32
