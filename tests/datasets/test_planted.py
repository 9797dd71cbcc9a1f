"""Planted problems hold the truth they claim."""

import itertools

import numpy as np
import pytest

from tamis._core.errors import InputError
from tamis.datasets import make_discrete_classification, make_sparse_regression


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("correlation", [0.0, 0.5, -0.9])
def test_least_squares_recovers_the_planted_coefficients(seed, correlation):
    problem = make_sparse_regression(4000, 12, 4, correlation=correlation, snr=20.0, random_state=seed)
    w, rss, *_ = np.linalg.lstsq(problem.data, problem.target)
    sd = np.sqrt(problem.noise_variance * np.diag(np.linalg.inv(problem.data.T @ problem.data)))
    assert (np.abs(w - problem.coef) < 5 * sd).all()  # 12 Gaussian errors stay within 5 sd but for 7 in 10⁶ runs
    assert rss[0] / (4000 - 12) == pytest.approx(problem.noise_variance, rel=5 * np.sqrt(2 / 4000))
    np.testing.assert_array_equal(np.flatnonzero(problem.coef), problem.support)


@pytest.mark.parametrize("rho", [0.0, 0.7, -0.4])
def test_columns_have_unit_variance_and_correlation_rho_to_the_distance(rho):
    n = 40_000
    X = make_sparse_regression(n, 6, 2, correlation=rho, random_state=3).data
    j = np.arange(6)
    np.testing.assert_allclose(np.cov(X.T), rho ** np.abs(j[:, None] - j), atol=6 * np.sqrt(2 / n))


def test_snr_is_the_ratio_of_the_two_variances():
    problem = make_sparse_regression(50_000, 30, 8, snr=3.0, random_state=1)
    signal = problem.data @ problem.coef
    assert signal.var() / problem.noise_variance == pytest.approx(3.0, rel=6 * np.sqrt(2 / 50_000))
    noiseless = make_sparse_regression(50, 30, 8, snr=np.inf, random_state=1)
    np.testing.assert_allclose(noiseless.target, noiseless.data @ noiseless.coef, rtol=0, atol=1e-13)


@pytest.mark.parametrize("make", [make_sparse_regression, make_discrete_classification])
def test_the_seed_decides_the_problem(make):
    one, same, other = (make(60, 20, 3, random_state=seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(one.data, same.data)
    np.testing.assert_array_equal(one.target, same.target)
    assert not np.array_equal(one.data, other.data)
    X, y = make(60, 20, 3, random_state=7, return_X_y=True)
    np.testing.assert_array_equal(X, one.data)
    np.testing.assert_array_equal(y, one.target)


def class_is_decided_by(problem, columns):
    """Rows that agree on the columns agree on the class."""
    rows = {}
    for x, label in zip(problem.data[:, columns], problem.target, strict=True):
        rows.setdefault(tuple(x), set()).add(int(label))
    return all(len(labels) == 1 for labels in rows.values())


@pytest.mark.parametrize("rule", ["sum", "xor"])
@pytest.mark.parametrize("seed", range(5))
def test_the_relevant_columns_and_no_fewer_decide_the_class(rule, seed):
    problem = make_discrete_classification(3000, 10, 3, 2, n_values=4, rule=rule, random_state=seed)
    assert class_is_decided_by(problem, problem.relevant)
    assert not any(class_is_decided_by(problem, list(pair)) for pair in itertools.combinations(problem.relevant, 2))
    assert set(problem.relevant).isdisjoint(problem.redundant)


def test_redundant_columns_rename_the_values_of_a_relevant_one():
    problem = make_discrete_classification(500, 12, 3, 4, random_state=2)
    assert sorted(problem.copies) == problem.redundant.tolist()
    for j, i in problem.copies.items():
        assert i in problem.relevant
        assert len(set(zip(problem.data[:, i].tolist(), problem.data[:, j].tolist(), strict=True))) == 4


def test_each_column_of_an_xor_pair_alone_tells_nothing():
    n = 20_000
    problem = make_discrete_classification(n, 4, 2, 0, n_values=2, rule="xor", random_state=5)
    for j in problem.relevant:
        share = [problem.target[problem.data[:, j] == v].mean() for v in (0, 1)]
        np.testing.assert_allclose(share, 0.5, atol=6 * np.sqrt(0.25 / (n / 2)))


def test_every_class_occurs_and_label_noise_is_as_asked():
    clean = make_discrete_classification(20_000, 6, 3, 0, n_classes=4, random_state=0)
    noisy = make_discrete_classification(20_000, 6, 3, 0, n_classes=4, label_noise=0.2, random_state=0)
    assert set(clean.target) == {0, 1, 2, 3}
    np.testing.assert_array_equal(clean.data, noisy.data)
    # A label drawn anew differs in 3 cases of 4.
    assert (clean.target != noisy.target).mean() == pytest.approx(0.2 * 3 / 4, abs=6 * np.sqrt(0.15 * 0.85 / 20_000))


@pytest.mark.parametrize(
    "make, arguments, message",
    [
        (make_sparse_regression, {"n_informative": 51}, "n_informative must be ≥ 0 and ≤ 50, got 51"),
        (make_sparse_regression, {"correlation": 1.0}, "correlation must be > -1 and < 1, got 1.0"),
        (make_sparse_regression, {"snr": 0}, "snr must be > 0, got 0"),
        (make_discrete_classification, {"n_redundant": 18}, "n_redundant must be ≥ 0 and ≤ 17, got 18"),
        (make_discrete_classification, {"rule": "and"}, "rule must be one of 'sum', 'xor'; got 'and'"),
        (make_discrete_classification, {"rule": "xor", "n_values": 3}, "n_values must be a multiple of n_classes"),
        (make_discrete_classification, {"n_classes": 11}, "n_classes must be ≤ 10 for 3 relevant columns"),
    ],
)
def test_impossible_problems_are_refused_by_name(make, arguments, message):
    with pytest.raises(InputError, match=message):
        make(**arguments)
