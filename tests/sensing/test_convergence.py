"""A status is decided from the code that is handed over, by the rule of its method."""

from dataclasses import replace

import numpy as np
import pytest

from tamis.sensing import RECOVERIES
from tamis.sensing.system import System

TOL = 1e-7
OPTIONS = {
    "omp": {"n_nonzero": 3}, "mp": {"n_nonzero": 3}, "iht": {"n_nonzero": 3}, "niht": {"n_nonzero": 3},
    "htp": {"n_nonzero": 3}, "cosamp": {"n_nonzero": 3}, "subspace_pursuit": {"n_nonzero": 3}, "l0": {"n_nonzero": 3},
    "bpdn": {"alpha": 0.05}, "fista": {"alpha": 0.05}, "ista": {"alpha": 0.05}, "dantzig": {"alpha": 0.05},
    "total_variation": {"alpha": 0.05},
}  # fmt: skip
CASES = [(name, OPTIONS.get(name, {})) for name in RECOVERIES] + [
    ("bpdn", {"noise": 0.3}), ("reweighted_l1", {"noise": 0.01}), ("total_variation", {"noise": 0.01}), ("l0", {}),
    ("omp", {}), ("omp", {"noise": 0.01}), ("mp", {}),
]  # fmt: skip


def problem(seed, noise=0.0, m=25, n=30, k=3):
    rng = np.random.default_rng(seed)
    A, s = rng.standard_normal((m, n)), np.zeros(n)
    s[rng.choice(n, k, replace=False)] = rng.choice([-1.0, 1.0], k) * rng.uniform(1, 2, k)
    return A, A @ s + noise * rng.standard_normal(m)


@pytest.mark.parametrize(("name", "options"), CASES)
@pytest.mark.parametrize("signals", [1, 2])
def test_a_code_that_breaks_the_rule_of_its_method_is_stalled_whatever_the_loop_says(
    name, options, signals, monkeypatch
):
    A, y = problem(0, m=90 if name in ("iht", "total_variation") else 25)  # their steps end elsewhere with fewer
    y = y if signals == 1 else np.column_stack([y, 2 * y])
    assert RECOVERIES[name]().recover(A, y, **options).status == "converged"
    together = System.together

    def spoilt(self, found, *others):
        return together(self, [replace(f, s=1.01 * f.s) for f in found], *others)

    monkeypatch.setattr(System, "together", spoilt)
    found = RECOVERIES[name]().recover(A, y, **options)
    assert found.status == "stalled"
    assert set(found.statuses) == {"stalled"}


@pytest.mark.parametrize("name", ["iht", "niht"])
def test_a_converged_code_is_a_fixed_point_or_measures_y(name):
    """Ten problems of noise alone: a step of 1/‖A‖² with the largest entries kept leaves the code where it is."""
    for seed in range(10):
        A, y = problem(seed, noise=1.0)
        found = RECOVERIES[name]().recover(A, y, n_nonzero=3)
        s, mu = found.code, 1 / np.linalg.norm(A, 2) ** 2
        if found.status != "converged":
            continue
        S = np.flatnonzero(s)
        step = mu * A.T @ (y - A @ s)
        assert np.linalg.norm(step[S]) <= 10 * TOL * np.linalg.norm(s)  # 10: columns of niht have unit length


@pytest.mark.parametrize("name", ["htp", "cosamp", "subspace_pursuit", "omp", "l0"])
def test_a_converged_support_has_the_least_squares_code(name):
    for seed in range(10):
        A, y = problem(seed, noise=1.0)
        found = RECOVERIES[name]().recover(A, y, n_nonzero=3)
        if found.status == "converged":
            S = found.support
            least = np.linalg.lstsq(A[:, S], y, rcond=None)[0]
            np.testing.assert_allclose(found.code[S], least, rtol=1e-9)


def test_message_passing_is_converged_only_at_a_fixed_point():
    """With noise: S_θτ(s + Aᵀz) = s for z = r/(1 − ‖s‖₀/m), the z that the next step leaves as it is."""
    rng, seen = np.random.default_rng(0), 0
    for _ in range(10):
        A, s = rng.standard_normal((60, 120)), np.zeros(120)
        A /= np.linalg.norm(A, axis=0)
        s[:6] = rng.standard_normal(6)
        y = A @ s + 0.02 * rng.standard_normal(60)
        found = RECOVERIES["amp"]().recover(A, y, threshold=1.2)
        if found.status != "converged":
            continue
        seen += 1
        x = found.code
        z = (y - A @ x) / (1 - np.count_nonzero(x) / 60)
        v, t = x + A.T @ z, 1.2 * np.linalg.norm(z) / np.sqrt(60)
        again = np.sign(v) * np.maximum(np.abs(v) - t, 0)
        assert np.linalg.norm(again - x) <= 1.01 * TOL * np.linalg.norm(x)
    assert seen
