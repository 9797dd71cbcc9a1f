"""Newton steps with the curvature of a sample: the minimum of all rows, proved from all rows."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import tamis
from tamis import SparseClassifier, SparseClassifierCV
from tamis._core.errors import InputError
from tamis.datafits import Logistic, Poisson, SquaredHinge
from tamis.operators import Standardised, as_operator
from tamis.operators.streamed import Streamed
from tamis.penalties import L1, L1L2, Group
from tamis.solvers import OperatorProblem, SampledNewton, WorkingSet

N, P = 3_000, 8
ALPHAS = np.array([0.1, 0.03, 0.01])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, P)) * np.linspace(0.5, 2, P) + 0.3
    z = X @ np.r_[1.0, -1.0, 0.5, np.zeros(P - 3)]
    return X, z, rng


def targets(datafit, z, rng):
    if isinstance(datafit, Poisson):
        return rng.poisson(np.exp(0.3 * z)).astype(float)
    return np.where(rng.random(len(z)) < 1 / (1 + np.exp(-z)), 1.0, -1.0)


class Blocks:
    """An operator whose rows come some at a time."""

    def __init__(self, A, size=700):
        self.A, self.size = A, size

    def __getattr__(self, name):
        return getattr(self.A, name)

    def __matmul__(self, x):
        return self.A @ x

    def row_blocks(self):
        for first in range(0, self.shape[0], self.size):
            part = slice(first, min(first + self.size, self.shape[0]))
            yield part, as_operator(self.A.X[part])


@pytest.mark.parametrize("datafit", [Logistic(), Poisson(), SquaredHinge()], ids=lambda d: type(d).__name__)
@pytest.mark.parametrize("penalty", [L1(), L1L2(0.5), L1(positive=True), L1(weights=np.linspace(0.5, 2, P))])
@pytest.mark.parametrize("intercept", [True, False])
def test_it_is_the_minimum_of_all_rows(rows, datafit, penalty, intercept):
    X, z, _ = rows
    y = targets(datafit, z, np.random.default_rng(1))
    problem = OperatorProblem(Blocks(as_operator(X)), y, datafit, penalty, 0.0, None, intercept)
    found = SampledNewton(1e-9, n_sampled=500).path(problem, ALPHAS)
    expected = WorkingSet(1e-10).path(OperatorProblem(X, y, datafit, penalty, 0.0, None, intercept), ALPHAS)
    assert found.converged.all()
    assert (found.gaps <= 1e-9 * problem.null_value()).all()
    np.testing.assert_allclose(found.coefs, expected.coefs, atol=1e-4)
    for k, alpha in enumerate(ALPHAS):
        at = problem.at(alpha)
        exact = at.gap(found.coefs[k], found.intercepts[k])
        value = at.value(found.coefs[k], found.intercepts[k])
        known = at.value(expected.coefs[k], expected.intercepts[k])
        assert value - known <= found.gaps[k] + 1e-14  # the gap is true
        assert exact.gap <= 10 * found.gaps[k] + 1e-12  # and about what the problem itself says


def test_weights_mean_repeated_rows(rows):
    X, z, _ = rows
    y, times = targets(Logistic(), z, np.random.default_rng(2)), np.random.default_rng(3).integers(0, 3, N)
    weighted = OperatorProblem(Blocks(as_operator(X)), y, Logistic(), L1(), 0.0, times.astype(float), True)
    repeated = OperatorProblem(np.repeat(X, times, axis=0), np.repeat(y, times), Logistic(), L1(), 0.0, None, True)
    found = SampledNewton(1e-10, n_sampled=500).path(weighted, ALPHAS)
    expected = WorkingSet(1e-12).path(repeated, ALPHAS)
    np.testing.assert_allclose(found.coefs, expected.coefs, atol=1e-5)
    np.testing.assert_allclose(found.intercepts, expected.intercepts, atol=1e-5)


def test_a_sample_that_tells_little_costs_passes_and_no_digit(rows):
    X, z, _ = rows
    y = targets(Logistic(), z, np.random.default_rng(4))
    problem = OperatorProblem(Blocks(as_operator(X)), y, Logistic(), L1(), 0.0, None, True)
    few, many = (SampledNewton(1e-9, n_sampled=size).path(problem, ALPHAS) for size in (800, N))
    assert few.converged.all()
    assert many.n_iter.max() <= few.n_iter.max() <= 40
    np.testing.assert_allclose(few.coefs, many.coefs, atol=1e-4)


def test_what_it_cannot_solve_is_named(rows):
    X, z, _ = rows
    y = targets(Logistic(), z, np.random.default_rng(5))
    for penalty, alphas in (
        (Group(np.arange(P)), ALPHAS),
        (L1(weights=np.r_[0.0, np.ones(P - 1)]), ALPHAS),
        (L1(), [0.0]),
    ):
        with pytest.raises(InputError, match="SampledNewton takes one output"):
            SampledNewton().path(OperatorProblem(X, y, Logistic(), penalty, 0.0), np.asarray(alphas))


@pytest.fixture(scope="module")
def file(rows, tmp_path_factory):
    X, z, _ = rows
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(P)])
    table["far"] = np.random.default_rng(8).normal(size=N) + 1e3
    table["kind"] = np.where(targets(Logistic(), z, np.random.default_rng(6)) > 0, "yes", "no")
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    table.to_parquet(path, row_group_size=500)
    return path, table


@pytest.mark.parametrize("options", [{}, {"standardize": True}, {"fit_intercept": False}, {"penalty": "l1l2"}])
def test_a_file_that_memory_does_not_hold_gives_the_same_model(file, options):
    path, table = file
    X = table.drop(columns="kind")
    here = SparseClassifier(alpha=0.01, tol=1e-9, **options).fit(X, table["kind"])
    with tamis.config_context(memory_limit="100 kB"):
        there = SparseClassifier(alpha=0.01, tol=1e-9, **options).fit(path, "kind")
    assert "sampled rows" in there.strategy_
    assert there.dual_gap_ <= 1e-9
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-4)
    assert there.certificate_.verify(X, table["kind"]).gap <= 1e-8


def test_cross_validation_of_a_file_that_memory_does_not_hold(file):
    path, table = file
    X = table.drop(columns=["kind"])
    here = SparseClassifierCV(alphas=8, cv=3, tol=1e-9).fit(X, table["kind"])
    with tamis.config_context(memory_limit="100 kB"):
        there = SparseClassifierCV(alphas=8, cv=3, tol=1e-9).fit(path, "kind")
    assert there.alpha_ == pytest.approx(here.alpha_, rel=1e-6)
    np.testing.assert_allclose(there.scores_path_, here.scores_path_, atol=1e-6)


def test_no_columns_of_all_rows_are_gathered(file, monkeypatch):
    gathered = []
    columns = Streamed.columns

    def recorded(self, S):
        gathered.append((self.shape[0], len(S)))
        return columns(self, S)

    monkeypatch.setattr(Streamed, "columns", recorded)
    with tamis.config_context(memory_limit="100 kB"):
        SparseClassifierCV(alphas=6, cv=3).fit(file[0], "kind")
        SparseClassifier(alpha=0.02).fit(file[0], "kind")
    assert not [size for rows, size in gathered if rows == N and size]


def test_standardised_rows_in_blocks():
    X = np.random.default_rng(0).normal(size=(50, 3)) + 2
    A = Standardised(Blocks(as_operator(X), 20), X.mean(axis=0), X.std(axis=0))
    w = np.arange(3.0)
    parts = np.concatenate([block @ w for _, block in A.row_blocks()])
    np.testing.assert_allclose(parts, (X - X.mean(axis=0)) / X.std(axis=0) @ w)
    assert [part.stop for part, _ in A.row_blocks()] == [20, 40, 50]


def test_sparse_rows(rows):
    X, z, _ = rows
    S = sp.csr_array(np.where(np.abs(X) > 1, X, 0.0))
    y = targets(Logistic(), z, np.random.default_rng(7))
    found, expected = (
        solver.path(OperatorProblem(S, y, Logistic(), L1(), 0.0, None, True), ALPHAS)
        for solver in (SampledNewton(1e-10, n_sampled=500), WorkingSet(1e-12))
    )
    np.testing.assert_allclose(found.coefs, expected.coefs, atol=1e-5)
