"""NMF: descent, stationarity, agreement with scikit-learn, planted factors, gaps, weights, and what must not happen."""

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls
from sklearn.decomposition import NMF as Reference

from tamis import NMF, InputError
from tamis._core.errors import ConvergenceWarning
from tamis.components import choose_rank
from tamis.components.nmf_data import Factorisation, Weights
from tamis.components.nmf_solvers import ADMM, HALS, PrimalDual
from tolerances import AGREE, FLOAT32

SOLVERS = [
    ("squared", "hals"), ("squared", HALS(extrapolate=False)), ("squared", "mu"), ("squared", "admm"),
    ("kl", "newton"), ("kl", "mu"), ("kl", "admm"), ("kl", "primal_dual"),
]  # fmt: skip


def planted(n, p, k=3, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    W = rng.uniform(size=(n, k)) * (rng.uniform(size=(n, k)) > 0.3)
    H = rng.uniform(size=(k, p)) * (rng.uniform(size=(k, p)) > 0.3)
    return W @ H + noise * rng.uniform(size=(n, p)) + 1e-3


def objective(X, W, H, datafit):
    if datafit == "squared":
        return 0.5 * ((X - W @ H) ** 2).sum()
    z = W @ H
    with np.errstate(divide="ignore", invalid="ignore"):
        return (np.where(X > 0, X * np.log(X / z), 0.0) - X + z).sum()


@pytest.mark.parametrize("datafit, solver", SOLVERS)
@pytest.mark.parametrize("n, p", [(60, 20), (20, 60)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_algorithm_nears_a_planted_factorisation(datafit, solver, n, p):
    X = planted(n, p)
    model = NMF(3, datafit=datafit, solver=solver, max_iter=1000, tol=1e-6, init="nndsvda").fit(X)
    assert (model.components_ >= 0).all()
    start = model.diagnostics_.trace[0, 1]
    assert model.objective_ <= 2e-2 * start
    if solver not in ("admm", "primal_dual"):  # the two without a guarantee
        trace = model.diagnostics_.trace[:, 1]
        assert (np.diff(trace) <= 1e-10 * trace[:-1]).all()


@pytest.mark.parametrize("datafit", ["squared", "kl"])
def test_a_stationary_point_satisfies_the_conditions(datafit):
    """W, H ≥ 0, gradients ≥ 0, and 0 where a factor is positive."""
    X = planted(40, 15, noise=0.3)
    model = NMF(3, datafit=datafit, tol=1e-7, max_iter=5000).fit(X)
    W, H = model.transform(X), model.components_
    z = W @ H
    R = z - X if datafit == "squared" else 1 - X / z
    scale = np.abs(X @ H.T).max()
    for g, F in ((R @ H.T, W), (W.T @ R, H)):
        assert g.min() >= -1e-4 * scale
        assert np.abs(g[F > 1e-8]).max() <= 1e-4 * scale
    assert model.diagnostics_["stationarity"] <= 1e-7 * model.diagnostics_["stationarity_at_start"]
    assert model.status_ == "converged"


@pytest.mark.filterwarnings("ignore:Maximum number of iterations")
def test_the_objective_is_no_worse_than_scikit_learns():
    X = planted(50, 30, noise=0.2)
    ours = NMF(4, tol=1e-7, max_iter=3000, init="nndsvd").fit(X)
    theirs = Reference(4, init="nndsvd", tol=1e-8, max_iter=3000).fit(X)
    assert 50 * ours.objective_ <= 0.5 * theirs.reconstruction_err_**2 * (1 + 1e-3)
    np.testing.assert_allclose(ours.reconstruction_err_**2 / 2, 50 * ours.objective_)
    kl = NMF(4, datafit="kl", tol=1e-6, max_iter=3000, init="nndsvda").fit(X)
    slow = Reference(4, init="nndsvda", solver="mu", beta_loss="kullback-leibler", tol=1e-8, max_iter=3000).fit(X)
    assert 50 * kl.objective_ <= 0.5 * slow.reconstruction_err_**2 * (1 + 1e-3)


@pytest.mark.filterwarnings("ignore:Maximum number of iterations")
def test_rounds_of_multiplicative_updates_are_scikit_learns():
    X = planted(20, 10)
    rng = np.random.default_rng(0)
    start = rng.uniform(size=(20, 3)), rng.uniform(size=(3, 10))
    for datafit, loss in (("squared", "frobenius"), ("kl", "kullback-leibler")):
        with pytest.warns(ConvergenceWarning):
            ours = NMF(3, datafit=datafit, solver="mu", init=start, max_iter=5).fit(X)
        theirs = Reference(3, solver="mu", beta_loss=loss, init="custom", max_iter=5, tol=0)
        theirs.fit_transform(X, W=start[0].copy(), H=start[1].copy())
        H = theirs.components_[np.argsort([-np.linalg.norm(h) for h in theirs.components_])]
        ours_H = ours.components_[np.argsort([-np.linalg.norm(h) for h in ours.components_])]
        np.testing.assert_allclose(ours_H, H, rtol=1e-6)


@pytest.mark.parametrize("datafit", ["squared", "kl"])
def test_the_objective_is_as_documented(datafit):
    X = planted(30, 8, noise=0.2)
    model = NMF(2, datafit=datafit, alpha_W=0.1, alpha_H=0.02, l1_ratio=0.7, tol=1e-6, max_iter=3000).fit(X)
    W, H = model.transform(X), model.components_

    def penalty(F):
        return 0.7 * F.sum() + 0.15 * (F**2).sum()

    value = (objective(X, W, H, datafit) + 0.1 * penalty(W)) / 30 + 0.02 * penalty(H)
    np.testing.assert_allclose(model.objective_, value, rtol=1e-6)
    plain = NMF(2, datafit=datafit, tol=1e-6, max_iter=3000).fit(X)
    assert objective(X, plain.transform(X), plain.components_, datafit) <= objective(X, W, H, datafit)


@pytest.mark.parametrize("datafit", ["squared", "kl"])
@pytest.mark.parametrize("n, p", [(40, 15), (15, 40)])
def test_a_penalty_that_empties_components_ends(datafit, n, p):
    """Where hₖ = 0 nothing holds wₖ up, and the penalty takes it to zero: no component is left half empty."""
    X = planted(n, p, noise=0.3)
    model = NMF(6, datafit=datafit, alpha_W=1.0, alpha_H=1.0 / n, max_iter=1000).fit(X)
    assert model.status_ == "converged"
    W = model.transform(X)
    empty = ~model.components_.any(axis=1)
    assert 0 < empty.sum() < 6
    assert (W[:, empty] == 0).all()


def test_scores_of_new_rows_are_nonnegative_least_squares():
    X = planted(40, 12, noise=0.3)
    model = NMF(3).fit(X[:30])
    W = model.transform(X[30:])
    for x, w in zip(X[30:], W, strict=True):
        np.testing.assert_allclose(w, nnls(model.components_.T, x)[0], atol=1e-8)
    np.testing.assert_allclose(model.inverse_transform(W), W @ model.components_)


@pytest.mark.filterwarnings("ignore:NMF reached a stationarity")
@pytest.mark.parametrize("datafit", ["squared", "kl"])
def test_sparse_rows_are_dense_rows(datafit):
    X = planted(40, 30)
    X[np.median(X) > X] = 0.0
    start = tuple(np.random.default_rng(0).uniform(size=shape) for shape in ((40, 3), (3, 30)))
    for solver in ("hals" if datafit == "squared" else "newton", "mu"):
        options = {"datafit": datafit, "solver": solver, "init": start, "max_iter": 20}
        a, b = NMF(3, **options).fit(X), NMF(3, **options).fit(sp.csr_array(X))
        np.testing.assert_allclose(a.components_, b.components_, atol=1e-8)
    np.testing.assert_allclose(a.transform(X), a.transform(sp.csr_array(X)), atol=1e-8)
    with pytest.raises(InputError, match="sparse X dense"):
        NMF(3, datafit=datafit, solver="admm").fit(sp.csr_array(X))


@pytest.mark.parametrize("datafit", ["squared", "kl"])
def test_gaps_are_predicted(datafit):
    X = planted(80, 30)
    gaps = X.copy()
    hidden = np.random.default_rng(0).uniform(size=X.shape) < 0.2
    gaps[hidden] = np.nan
    model = NMF(3, datafit=datafit, max_iter=2000, tol=1e-5).fit(gaps)
    filled = model.inverse_transform(model.transform(gaps))
    assert np.abs(filled - X)[hidden].mean() < 0.05 * X.mean()


@pytest.mark.parametrize("datafit", ["squared", "kl"])
def test_an_observed_part_of_everything_is_everything(datafit):
    X = planted(20, 12, noise=0.1)
    W, H = (np.random.default_rng(1).uniform(size=s) for s in ((20, 3), (3, 12)))
    whole = Factorisation.of(X, None, datafit, Weights(0.1, 0.2), Weights(0.3), 1)
    part = Factorisation.of(X, np.ones_like(X), datafit, Weights(0.1, 0.2), Weights(0.3), 1)
    np.testing.assert_allclose(whole.value(W, H), part.value(W, H), rtol=AGREE)
    np.testing.assert_allclose(whole.stationarity(W, H), part.stationarity(W, H), rtol=AGREE)


@pytest.mark.parametrize("datafit", ["squared", "kl"])
def test_gradients_are_differences(datafit):
    X = planted(6, 5, noise=0.2)
    W, H = (np.random.default_rng(2).uniform(0.5, 1, size=s) for s in ((6, 2), (2, 5)))
    problem = Factorisation.of(X, None, datafit, Weights(0.1, 0.2), Weights(0.0, 0.0), 1)
    G = problem.rows.gradient(W, problem._given(problem.rows, H))
    for i, c in ((0, 0), (3, 1), (5, 0)):
        step = np.zeros_like(W)
        step[i, c] = 1e-5
        slope = (problem.value(W + step, H) - problem.value(W - step, H)) / 2e-5
        np.testing.assert_allclose(G[i, c], slope, rtol=1e-5)


@pytest.mark.parametrize("datafit", ["squared", "kl"])
def test_weights_are_repeated_rows(datafit):
    X = planted(30, 10, noise=0.1)
    s = np.random.default_rng(0).integers(0, 3, 30)
    start = np.random.default_rng(1).uniform(size=(30, 2)), np.random.default_rng(2).uniform(size=(2, 10))
    repeated_start = np.repeat(start[0], s, axis=0), start[1]
    options = {"datafit": datafit, "tol": 1e-6, "max_iter": 5000}
    a = NMF(2, init=start, **options).fit(X, sample_weight=s)
    b = NMF(2, init=repeated_start, **options).fit(np.repeat(X, s, axis=0))
    np.testing.assert_allclose(a.objective_, b.objective_, rtol=1e-4)
    np.testing.assert_allclose(a.components_ / a.components_.sum(), b.components_ / b.components_.sum(), atol=5e-3)


@pytest.mark.parametrize("datafit", ["squared", "kl"])
@pytest.mark.parametrize("shape", [(30, 10), (10, 30)])
def test_rows_and_columns_of_zeros(datafit, shape):
    X = planted(*shape)
    X[4] = 0.0
    X[:, 7] = 0.0
    for given in (X, sp.csr_array(X)):
        model = NMF(3, datafit=datafit, max_iter=2000).fit(given)
        assert (model.components_[:, 7] == 0).all()
        W = model.transform(given)
        assert (W[4] == 0).all()
        assert np.isfinite(W).all()
        assert np.isfinite(model.objective_)


@pytest.mark.parametrize("datafit", ["squared", "kl"])
@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
@pytest.mark.filterwarnings("ignore:NMF reached a stationarity")
def test_constant_and_duplicated_columns_and_ranks_beyond_that_of_X(datafit, shape):
    X = planted(*shape, k=2)
    X[:, 0], X[:, 3] = 0.7, X[:, 4]
    model = NMF(6, datafit=datafit).fit(X)
    assert np.isfinite(model.components_).all()
    assert model.reconstruction_err_ <= 0.05 * np.linalg.norm(X)
    H = model.components_
    np.testing.assert_allclose(H[:, 3], H[:, 4], atol=0.05 * H.max())
    again = NMF(6, datafit=datafit).fit(X)
    assert (again.components_ == H).all()  # no flips of order


def test_nothing_but_zeros():
    for datafit in ("squared", "kl"):
        model = NMF(2, datafit=datafit).fit(np.zeros((4, 3)))
        assert model.objective_ == 0
        assert not model.transform(np.zeros((4, 3))).any()


def test_negative_and_infinite_entries_are_refused():
    X = planted(10, 5)
    X[3, 2] = -1.0
    with pytest.raises(InputError, match="Negative values in data passed to NMF: X has 1"):
        NMF(2).fit(X)
    model = NMF(2).fit(planted(10, 5))
    with pytest.raises(InputError, match="Negative"):
        model.transform(X)
    X[3, 2] = np.inf
    with pytest.raises(InputError, match="infin"):
        NMF(2).fit(X)


def test_a_rank_beyond_the_shape_is_random_and_exact():
    X = planted(12, 4)
    model = NMF(6, max_iter=5000, tol=1e-8).fit(X)
    assert model.reconstruction_err_ < 1e-3 * np.linalg.norm(X)
    with pytest.raises(InputError, match="init='random'"):
        NMF(6, init="nndsvd").fit(X)


def test_runs_agree_and_restarts_help():
    X = planted(40, 20, noise=0.3)
    a, b = (NMF(4, init="random", random_state=3).fit(X) for _ in range(2))
    assert (a.components_ == b.components_).all()
    more = NMF(4, init="random", random_state=3, n_restarts=4).fit(X)
    assert more.objective_ <= a.objective_
    sizes = np.linalg.norm(a.transform(X), axis=0) * np.linalg.norm(a.components_, axis=1)
    assert (np.diff(sizes) <= 1e-3 * sizes[0]).all()  # in order of what they explain


def test_single_precision_is_kept():
    X = planted(40, 20, noise=0.1).astype(np.float32)
    for datafit in ("squared", "kl"):
        model = NMF(3, datafit=datafit).fit(X)
        assert model.components_.dtype == model.transform(X).dtype == np.float32
        double = NMF(3, datafit=datafit).fit(X.astype(float))
        np.testing.assert_allclose(model.objective_, double.objective_, rtol=100 * FLOAT32)


def test_frames_files_and_a_time_limit(tmp_path):
    X = planted(40, 4, noise=0.5)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = NMF(2).set_output(transform="pandas").fit(frame)
    assert list(model.transform(frame).columns) == ["nmf0", "nmf1"]
    frame.to_parquet(tmp_path / "t.parquet")
    np.testing.assert_allclose(NMF(2).fit(tmp_path / "t.parquet").components_, model.components_, atol=1e-6)
    short = NMF(2, time_limit=1e-9, tol=0.0).fit(X)
    assert short.status_ == "time_limit"


@pytest.mark.parametrize(
    "options, match",
    [
        ({"n_components": 0}, "n_components must be"),
        ({"datafit": "is"}, "datafit must be one of"),
        ({"solver": "cd"}, "solver must be one of"),
        ({"solver": "newton"}, "not for datafit='squared'"),
        ({"solver": HALS(), "datafit": "kl"}, "not for datafit='kl'"),
        ({"solver": PrimalDual()}, "not for datafit"),
        ({"init": (np.ones((3, 2)), np.ones((2, 3)))}, "init must hold W"),
        ({"init": (-np.ones((10, 2)), np.ones((2, 5)))}, "negative"),
        ({"alpha_W": -1.0}, "alpha_W must be"),
        ({"alpha_W": 0.1}, "alpha_W=0.1 with alpha_H=0 has no minimum.* give alpha_H as well"),
        ({"alpha_H": 0.1, "datafit": "kl"}, "alpha_H=0.1 with alpha_W=0 has no minimum"),
        ({"time_limit": 0}, "time_limit must be"),
    ],
)
def test_options_that_make_no_sense(options, match):
    with pytest.raises(InputError, match=match):
        NMF(**{"n_components": 2, **options}).fit(planted(10, 5))


def test_admm_takes_its_weight():
    with pytest.warns(ConvergenceWarning):
        a, b = (NMF(2, solver=ADMM(rho), max_iter=20).fit(planted(20, 8)) for rho in (0.5, 5.0))
    assert a.objective_ != b.objective_


def test_batches_of_rows_lead_where_all_rows_do(tmp_path, monkeypatch):
    X = planted(300, 12)
    whole = NMF(3, tol=1e-6, max_iter=2000).fit(X)
    parts = NMF(3)
    for _ in range(20):
        for rows in np.array_split(np.arange(300), 6):
            parts.partial_fit(X[rows])
    residual = np.linalg.norm(X - parts.inverse_transform(parts.transform(X)))
    assert residual <= 0.02 * np.linalg.norm(X)
    assert whole.reconstruction_err_ <= residual
    with pytest.raises(InputError, match="11 features"):
        parts.partial_fit(X[:, :11])
    with pytest.raises(InputError, match="squared"):
        NMF(3, datafit="kl").partial_fit(X)
    # a file that does not fit into memory is read pass by pass
    pd.DataFrame(X, columns=[f"c{j}" for j in range(12)]).to_parquet(tmp_path / "t.parquet", row_group_size=100)
    monkeypatch.setattr("tamis.components.nmf.fits_memory", lambda n_bytes: False)
    streamed = NMF(3, max_iter=300, tol=1e-6).fit(tmp_path / "t.parquet")
    assert (np.diff(streamed.diagnostics_.trace) <= 1e-12).all()
    assert streamed.objective_ <= 1e-2 * 0.5 * (X**2).sum() / 300
    np.testing.assert_allclose(streamed.reconstruction_err_**2 / 600, streamed.objective_)


def test_the_time_limit_is_for_all_starts_together():
    X = planted(40, 12, noise=0.3)
    began = time.monotonic()
    model = NMF(3, init="random", n_restarts=50, time_limit=0.2, tol=0.0, max_iter=10**6).fit(X)
    assert time.monotonic() - began < 5.0  # 50 limits would be 10 s
    assert model.status_ == "time_limit"


def interrupted_after(rounds):
    """An algorithm in whose next round somebody presses Ctrl-C; ``rounds`` counts over all starts."""
    left = [rounds]

    class Interrupted(HALS):
        def iterates(self, problem, W, H):
            for iterate in super().iterates(problem, W, H):
                if left[0] == 0:
                    raise KeyboardInterrupt
                left[0] -= 1
                yield iterate

    return Interrupted()


def test_ctrl_c_keeps_the_best_so_far():
    X = planted(30, 10, noise=0.3)
    model = NMF(3, solver=interrupted_after(4), tol=0.0).fit(X)
    assert (model.status_, model.n_iter_) == ("interrupted", 4)
    with pytest.warns(ConvergenceWarning):
        four = NMF(3, tol=0.0, max_iter=4).fit(X)
    np.testing.assert_allclose(model.components_, four.components_)
    with pytest.raises(KeyboardInterrupt):
        NMF(3, solver=interrupted_after(0)).fit(X)
    # in the first round of the second start the first one is kept
    again = NMF(3, solver=interrupted_after(4), tol=0.0, max_iter=4, n_restarts=3).fit(X)
    assert again.status_ == "interrupted"
    np.testing.assert_allclose(again.components_, four.components_)


def test_a_file_beyond_memory_honours_or_refuses_every_option(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pd.DataFrame(planted(60, 5, noise=0.3), columns=list("abcde")).to_parquet(path, row_group_size=20)
    monkeypatch.setattr("tamis.components.nmf.fits_memory", lambda n_bytes: False)
    late = NMF(2, time_limit=1e-9, tol=0.0).fit(path)
    assert (late.status_, late.n_iter_) == ("time_limit", 1)
    for options, match in (
        ({"n_restarts": 3}, "n_restarts=1"),
        ({"solver": "mu"}, "solver='hals'"),
        ({"datafit": "kl"}, "datafit='squared'"),
    ):
        with pytest.raises(InputError, match=match):
            NMF(2, **options).fit(path)


def test_the_rank_is_found_by_held_out_entries():
    X = planted(80, 25, noise=0.02)
    choice = choose_rank(X, range(1, 6))
    assert choice.rank == 3
    assert choice.errors.argmin() in (2, 3)
    with pytest.raises(InputError, match="dense"):
        choose_rank(sp.csr_array(X))


@pytest.mark.parametrize(
    ("datafit", "solver", "storage"),
    [
        ("squared", "hals", "dense"),
        ("squared", "hals", "csr"),
        ("squared", "hals", "gaps"),
        ("squared", "mu", "dense"),
        ("kl", "newton", "dense"),
        ("kl", "newton", "csr"),
        ("kl", "newton", "gaps"),
        ("kl", "mu", "dense"),
    ],
)
@pytest.mark.parametrize("l1_ratio", [0.0, 0.4, 1.0])
def test_a_row_of_weight_s_is_s_rows_under_penalties_too(
    datafit: str, solver: str, storage: str, l1_ratio: float
) -> None:
    """From the same start, after the same number of steps: multiplied rows go the way of each of their copies."""
    rng = np.random.default_rng(0)
    X, s = rng.random((12, 3)) @ rng.random((3, 7)), rng.integers(0, 4, 12)
    if storage == "gaps":
        X[rng.random(X.shape) < 0.2] = np.nan
    stored = sp.csr_array if storage == "csr" else np.asarray
    W, H = rng.random((12, 2)) + 0.1, rng.random((2, 7)) + 0.1
    options = {"alpha_W": 0.2, "alpha_H": 0.02, "l1_ratio": l1_ratio, "tol": 0.0, "max_iter": 7}
    model = NMF(2, datafit=datafit, solver=solver, init=(W, H), **options)
    repeated = NMF(2, datafit=datafit, solver=solver, init=(np.repeat(W, s, axis=0), H), **options)
    with pytest.warns(ConvergenceWarning):
        model.fit(stored(X), sample_weight=s)
    with pytest.warns(ConvergenceWarning):
        repeated.fit(stored(np.repeat(X, s, axis=0)))
    assert model.objective_ == pytest.approx(repeated.objective_, rel=1e-9)
    np.testing.assert_allclose(model.components_, repeated.components_, rtol=1e-7, atol=1e-9)


def test_batches_of_weighted_rows_are_repeated_rows_under_penalties_too() -> None:
    rng = np.random.default_rng(1)
    X, s = rng.random((12, 3)) @ rng.random((3, 7)), rng.integers(0, 4, 12)
    start = rng.random((12, 2)), rng.random((2, 7))
    a = NMF(2, alpha_W=0.1, alpha_H=0.05, init=start).partial_fit(X, sample_weight=s)
    b = NMF(2, alpha_W=0.1, alpha_H=0.05, init=(np.repeat(start[0], s, axis=0), start[1]))
    b.partial_fit(np.repeat(X, s, axis=0))
    np.testing.assert_allclose(a.components_, b.components_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(a.objective_, b.objective_, rtol=1e-9)


@pytest.mark.parametrize(
    ("weight", "match"),
    [
        (np.ones(7), "same number of rows: X has 20, sample_weight has 7"),
        (-np.ones(20), "finite and ≥ 0, got -1 in row 0"),
        (np.full(20, np.nan), "finite and ≥ 0, got nan"),
        (np.zeros(20), "must not be all zero"),
        (["a"] * 20, "must be numbers"),
    ],
)
def test_weights_of_every_batch_are_checked(weight: Any, match: str) -> None:
    X = planted(20, 5)
    model = NMF(2).partial_fit(X)
    before = model.components_.copy()
    with pytest.raises(InputError, match=match):
        model.partial_fit(X, sample_weight=weight)
    np.testing.assert_array_equal(model.components_, before)


@pytest.mark.parametrize(
    ("ranks", "match"),
    [
        ([2.5], "ranks must be a whole number, got 2.5"),
        (["2"], "ranks must be a whole number, got '2'"),
        ([], "ranks is empty"),
        (3, "ranks must be a list of whole numbers, got 3"),
    ],
)
def test_ranks_that_are_no_whole_numbers_are_refused(ranks: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        choose_rank(planted(20, 5), ranks)


def test_small_tables_hold_out_one_entry_at_least() -> None:
    choice = choose_rank(np.outer([1.0, 2.0], [1.0, 3.0]), [1, 2])
    assert np.isfinite(choice.errors).all()
    for X in (np.full((3, 3), np.nan), np.array([[1.0]])):
        with pytest.raises(InputError, match="at least 2 are needed"):
            choose_rank(X, [1])


def test_scores_are_least_squares_where_components_nearly_agree() -> None:
    """Coordinate descent would need many thousands of sweeps."""
    rng = np.random.default_rng(0)
    H = 1 + 1e-3 * rng.random((4, 6))
    X = rng.random((20, 4)) @ H + 1e-4 * rng.random((20, 6))
    model = NMF(4).fit(X)
    model.components_ = H
    W = model.transform(X)
    least = np.array([nnls(H.T, x)[1] for x in X])
    np.testing.assert_allclose(np.linalg.norm(X - W @ H, axis=1), least, rtol=1e-6)


def test_a_divergence_of_nothing_is_not_negative_by_rounding() -> None:
    rng = np.random.default_rng(0)
    for X in (rng.random((1, 10)) for _ in range(20)):
        for stored in (X, sp.csr_array(X)):
            assert NMF(2, datafit="kl", tol=0.0, max_iter=30, init="random").fit(stored).reconstruction_err_ >= 0


def test_numbers_whose_squares_are_infinite_and_starts_of_text_are_refused() -> None:
    X = planted(6, 4)
    for datafit in ("squared", "kl"):
        with pytest.raises(InputError, match=r"reaches .*rescale it"):
            NMF(2, datafit=datafit).fit(1e200 * X)
    with pytest.raises(InputError, match="init must hold real numbers"):
        NMF(2, init=(np.full((6, 2), "a"), np.ones((2, 4)))).fit(X)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", [183, 435, 518])  # parts that nearly depend on each other
def test_scores_under_the_divergence_are_at_its_minimum(seed: int, sparse: bool) -> None:
    """f(w) − f(w*) ≤ gᵀ(w − w*) for convex f, and hₖ sums w*ₖ ≤ Σ x: what is left is bounded by the gradient g."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(20, 3)) @ rng.uniform(size=(3, 9))
    model = NMF(4, datafit="kl", init="random", max_iter=20, tol=0.5, random_state=seed).fit(X)
    W, H = model.transform(sp.csr_array(X) if sparse else X), model.components_
    g = H.sum(axis=1) - (X / (W @ H)) @ H.T
    total = X.sum(axis=1)
    left = (W * g).sum(axis=1) + total * np.maximum(-g / H.sum(axis=1), 0.0).max(axis=1)
    assert (left <= 1e-10 * total).all(), left.max()


def test_scores_of_rows_with_gaps_are_least_squares() -> None:
    """Sweeps ended at an eighth digit: 1.7e-7 was left of exact fits."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        H = rng.uniform(size=(4, 9)) + 3 * rng.uniform(size=9)  # parts that nearly depend on each other
        W, observed = rng.uniform(size=(12, 4)), rng.random((12, 9)) < 0.85
        X = np.where(observed, W @ H, np.nan)
        model = NMF(4, init=(W, H), tol=1.0).fit(X)
        found = model.transform(X)
        left = np.nansum((X - found @ model.components_) ** 2, axis=1)
        assert (left <= 1e-13 * np.nansum(X**2, axis=1)).all(), left.max()


@pytest.mark.parametrize("sparse", [False, True])
def test_scores_of_parts_that_are_empty_are_zero(sparse: bool) -> None:
    """They were 3e299 where no part had any entry."""
    X = np.array([[0.0, 0.3], [0.0, 0.0], [1.0, 2.0]])
    nothing = NMF(1, datafit="kl").fit(X, sample_weight=[0.0, 1.0, 0.0])
    assert not nothing.components_.any()
    assert not nothing.transform(sp.csr_array(X) if sparse else X).any()
    one = NMF(2, datafit="kl", init=(np.ones((3, 2)), np.array([[1.0, 1.0], [0.0, 0.0]])), max_iter=1, tol=1.0).fit(X)
    one.components_ = np.array([[1.0, 1.0], [0.0, 0.0]])
    np.testing.assert_allclose(one.transform(X), [[0.15, 0.0], [0.0, 0.0], [1.5, 0.0]], atol=1e-12)
