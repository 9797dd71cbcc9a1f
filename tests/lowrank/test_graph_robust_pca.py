"""Robust PCA on graphs: what neighbours add, Laplacians, and graphs that cannot be used."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from lowrank.problems import relative_error
from tamis import GraphRobustPCA, InputError, RobustPCA
from tamis.lowrank.separation.graphs import laplacian
from tolerances import ROUNDING


def path_graph(n):
    return np.eye(n, k=1) + np.eye(n, k=-1)


def smooth(n, p, rank, share, seed):
    rng = np.random.default_rng(seed)
    waves = [np.cos(np.pi * (k + 1) * np.linspace(0, 1, n) + rng.uniform(0, 6)) for k in range(rank)]
    L = np.column_stack(waves) @ rng.standard_normal((rank, p))
    S = np.where(rng.random((n, p)) < share, 5 * rng.uniform(-1, 1, (n, p)) * np.abs(L).mean(), 0.0)
    return L + S, L


@pytest.mark.parametrize("seed", range(3))
def test_neighbours_help_where_many_entries_are_wrong(seed):
    """Waves around a ring, too many of them for robust PCA, which is solved to its optimum."""
    rng, turns = np.random.default_rng(seed), 2 * np.pi * np.arange(60) / 60
    waves = np.column_stack([np.cos((1 + k // 2) * turns - k % 2 * np.pi / 2) for k in range(6)])
    L = waves @ rng.standard_normal((6, 40))
    X = L + np.where(rng.random(L.shape) < 0.3, 5 * rng.uniform(-1, 1, L.shape) * np.abs(L).mean(), 0.0)
    ring = np.roll(np.eye(60), 1, axis=0) + np.roll(np.eye(60), -1, axis=0)
    with_graph = GraphRobustPCA(row_graph=ring).fit(X)
    without = RobustPCA().fit(X)
    assert relative_error(with_graph.low_rank_, L) < relative_error(without.low_rank_, L)


@pytest.mark.filterwarnings("ignore:GraphRobustPCA ended with status max_iter")
def test_without_smoothness_it_is_robust_pca():
    X, _ = smooth(40, 30, 2, 0.1, 0)
    ours = GraphRobustPCA(row_graph=path_graph(40), gamma=0.0, tol=1e-8, max_iter=5000).fit(X)
    admm = RobustPCA("admm", max_iter=5000).fit(X)
    np.testing.assert_allclose(ours.low_rank_, admm.low_rank_, atol=1e-4)


def test_the_two_graph_form_is_at_its_minimum():
    """No step along any of many directions lowers ‖X − L‖₁ + γ₁ tr(LᵀLapL) + γ₂ tr(L Lap Lᵀ)."""
    X, _ = smooth(20, 15, 2, 0.2, 1)
    A, B = laplacian(path_graph(20), 20, "g"), laplacian(path_graph(15), 15, "g")
    model = GraphRobustPCA(
        "two_graphs", row_graph=path_graph(20), column_graph=path_graph(15), gamma=0.7, gamma_columns=0.4, tol=1e-10,
        max_iter=20_000,
    ).fit(X)  # fmt: skip

    def value(L):
        return np.abs(X - L).sum() + 0.7 * np.sum(L * (A @ L)) + 0.4 * np.sum(L * (B @ L.T).T)

    best, rng = value(model.low_rank_), np.random.default_rng(0)
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(30):
            assert value(model.low_rank_ + size * rng.standard_normal(X.shape)) >= best - 1e-6


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("gamma", [1.0, 100.0])
def test_the_two_graph_form_has_not_converged_before_its_minimum(gamma, missing):
    """Steps of 1/(8γ) are small long before the end."""
    X, _ = smooth(20, 15, 2, 0.2, 1)
    X[np.random.default_rng(0).random(X.shape) < missing] = np.nan
    A, B = laplacian(path_graph(20), 20, "g"), laplacian(path_graph(15), 15, "g")

    def value(model):
        L = model.fit(X).low_rank_
        return np.nansum(np.abs(X - L)) + gamma * (np.sum(L * (A @ L)) + np.sum(L * (B @ L.T).T))

    graphs = {"row_graph": path_graph(20), "column_graph": path_graph(15), "gamma": gamma, "gamma_columns": gamma}
    loose = GraphRobustPCA("two_graphs", tol=1e-3, **graphs)
    best = value(GraphRobustPCA("two_graphs", tol=1e-8, max_iter=20_000, **graphs))
    assert value(loose) <= best * (1 + 1e-3)
    assert loose.status_ == "converged"
    assert loose.diagnostics_["gap"] <= 1e-3


@pytest.mark.parametrize("gamma", [0.1, 10.0, 1000.0])
def test_the_nuclear_form_has_converged_at_its_minimum_only(gamma):
    """However strong the graph: steps do not shrink with γ."""
    X, _ = smooth(30, 20, 4, 0.2, 1)
    X[3, 4] = np.nan
    A = laplacian(path_graph(30), 30, "g")

    def value(model):
        L = model.fit(X).low_rank_
        rough, smoothness = np.nansum(np.abs(X - L)), gamma * np.sum(L * (A @ L))
        return np.linalg.norm(L, "nuc") + 30**-0.5 * rough + smoothness

    graph = {"row_graph": path_graph(30), "gamma": gamma}
    loose = GraphRobustPCA(**graph)
    best = value(GraphRobustPCA(tol=1e-6, max_iter=20_000, **graph))
    assert value(loose) <= best * (1 + 1e-4)
    assert loose.status_ == "converged"
    assert loose.diagnostics_["gap"] <= 1e-4


@pytest.mark.parametrize("form", ["nuclear", "two_graphs"])
def test_zeros_have_rank_0(form):
    model = GraphRobustPCA(form).fit(np.zeros((12, 6)))
    assert model.rank_ == 0
    assert model.components_.shape == (0, 6)
    assert model.transform(np.zeros((3, 6))).shape == (3, 0)


def test_the_laplacian():
    W = np.array([[0.0, 2.0, 0.0, 0.0], [2.0, 5.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    lap = laplacian(W, 4, "row_graph").toarray()
    np.testing.assert_allclose(lap, lap.T, atol=ROUNDING)
    values = np.linalg.eigvalsh(lap)
    assert values.min() > -ROUNDING
    assert values.max() < 2 + ROUNDING
    np.testing.assert_allclose(lap @ [np.sqrt(2), np.sqrt(3), 1, 0], 0, atol=ROUNDING)  # √degrees; loops do not count
    np.testing.assert_array_equal(lap[3], 0)


def test_disconnected_graphs_and_missing_entries():
    X, _L = smooth(40, 30, 2, 0.1, 0)
    X[3, 4], X[7] = np.nan, np.nan
    graph = path_graph(40)
    graph[20, 19] = graph[19, 20] = 0
    for form, given in (("nuclear", {}), ("two_graphs", {"column_graph": sp.csr_array(path_graph(30))})):
        model = GraphRobustPCA(form, row_graph=graph, max_iter=5000, **given).fit(X)
        assert np.isfinite(model.low_rank_).all()
        assert not model.sparse_[7].any()


@pytest.mark.parametrize(
    "graph, word",
    [
        (np.triu(np.ones((6, 6))), "not symmetric"),
        (-np.ones((6, 6)), "≥ 0"),
        (np.full((6, 6), np.nan), "finite"),
        (np.ones((5, 5)), r"shape \(6, 6\)"),
        ("neighbours", "matrix of weights"),
        (1j * np.ones((6, 6)), "real weights"),
    ],
)
def test_graphs_that_cannot_be_used(graph, word):
    with pytest.raises(InputError, match=word):
        GraphRobustPCA(row_graph=graph).fit(np.ones((6, 4)))


def test_options_that_are_not_used_are_refused():
    with pytest.raises(InputError, match="gamma_columns"):
        GraphRobustPCA(gamma_columns=1.0).fit(np.ones((6, 4)))
    with pytest.raises(InputError, match="alpha"):
        GraphRobustPCA("two_graphs", alpha=1.0).fit(np.ones((6, 4)))


FORKED = """
import os, signal
import numpy as np
from tamis import GraphRobustPCA
X = np.random.default_rng(0).standard_normal((20, 5))
GraphRobustPCA(max_iter=500).fit(X)  # starts the threads of scikit-learn's neighbours
if child := os.fork():
    raise SystemExit(os.waitpid(child, 0)[1])
signal.alarm(20)
GraphRobustPCA(max_iter=500).fit(X)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_neighbours_are_found_in_a_forked_process():
    environment = os.environ | {"OMP_NUM_THREADS": "2"}
    assert subprocess.run([sys.executable, "-c", FORKED], env=environment, timeout=60, check=False).returncode == 0
