"""A first Ctrl-C ends a recovery after its step, with the best code so far."""

import os
import signal
import time
from dataclasses import replace

import numpy as np
import pytest

from tamis.operators import Identity, as_operator
from tamis.sensing import omp, phase_transition, recover, rip_bounds
from tamis.sensing.recoveries import RECOVERIES
from tamis.solvers.iteration_limits import IterationLimits

ONE_PROGRAM = "dantzig"  # one call of a solver for linear programs: there is no code before its end
NEEDS = {"ista": {"alpha": 1e-4}, "fista": {"alpha": 1e-4}, "total_variation": {"alpha": 1e-4}, "bpdn": {"noise": 0.1}}
SIZED = ("iht", "niht", "htp", "cosamp", "subspace_pursuit", "l0")


@pytest.fixture
def press(monkeypatch):
    """Ctrl-C at the n-th time that somebody asks the limits whether to go on."""
    late, checked = IterationLimits.late.fget, []

    def at(n):
        def pressed(self):
            checked.append(self)
            if len(checked) == n:
                hearing = signal.getsignal(signal.SIGINT)
                os.kill(os.getpid(), signal.SIGINT)
                wait_until(lambda: signal.getsignal(signal.SIGINT) is not hearing)
            return late(self)

        monkeypatch.setattr(IterationLimits, "late", property(pressed))
        return checked

    return at


def wait_until(done):
    """On another thread than the main one, which hears of it a moment later."""
    end = time.monotonic() + 20
    while not done():
        assert time.monotonic() < end, "nobody heard of Ctrl-C"
        time.sleep(0.001)


def problem(signals=None):
    rng = np.random.default_rng(0)
    A, s = rng.standard_normal((60, 150)) / 8, np.zeros((150, signals or 1))
    for code in s.T:
        code[rng.permutation(150)[:25]] = rng.standard_normal(25)
    Y = A @ s + 0.01 * rng.standard_normal((60, s.shape[1]))
    return A, Y if signals else Y[:, 0]


def options(method):
    given = dict(NEEDS.get(method, {}))
    return given | ({"n_nonzero": 20} if method in SIZED else {})


@pytest.mark.parametrize("storage", ["array", "operator"])
@pytest.mark.parametrize("method", [name for name in RECOVERIES if name != ONE_PROGRAM])
def test_a_recovery_ends_with_what_it_has(method, storage, press, monkeypatch):
    monkeypatch.setattr("tamis.solvers.orthogonal_pursuit.AT_ONCE", 1)  # else all columns of a small array are a step
    A, y = problem()
    before = signal.getsignal(signal.SIGINT)
    press(2)
    A = as_operator(A) @ Identity(150) if storage == "operator" else A
    found = recover(A, y, method, **options(method))
    assert found.status.value == "interrupted"
    assert np.isfinite(found.code).all()
    assert found.residual_norm <= np.linalg.norm(y) * (1 + 1e-9)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("method", ["fista", "reweighted_l1"])
def test_signals_after_it_are_not_begun(method, press):
    """Nor where each is recovered by another recovery, which hears the Ctrl-C first."""
    A, Y = problem(signals=4)
    press(3)
    found = recover(A, Y, method, **options(method))
    assert {status.value for status in found.statuses} == {"interrupted"}
    assert found.code.shape == (150, 4)


def test_many_pursuits_keep_those_that_are_done(press, monkeypatch):
    A, Y = problem(signals=64)
    monkeypatch.setattr("tamis.sensing.recoveries.matching_pursuit.TOGETHER", 16)
    whole = omp(A, Y, n_nonzero=20)
    press(3)
    found = omp(A, Y, n_nonzero=20)
    assert [status.value for status in found.statuses] == ["converged"] * 32 + ["interrupted"] * 32
    assert np.array_equal(found.code[:, :32], whole.code[:, :32])
    assert not found.code[:, 32:].any()


def test_a_phase_transition_keeps_the_trials_that_are_done(press):
    press(5)
    found = phase_transition(40, [0.5], [0.2], n_trials=8, recovery="omp", random_state=0, n_jobs=1)
    assert found.status.value == "interrupted"
    assert 1 <= found.trials.sum() < 8


def test_bounds_of_what_was_searched(press):
    A = problem()[0]
    whole = rip_bounds(A, 6, n_starts=6, random_state=0)
    press(2)
    found = rip_bounds(A, 6, n_starts=6, random_state=0)
    assert 0 < found.lower <= whole.lower
    assert found.upper >= whole.lower


def test_limits_inside_others_are_interrupted_with_them():
    outer = IterationLimits()
    with outer.until_interrupted():
        inner = IterationLimits()
        with inner.until_interrupted():
            signal.raise_signal(signal.SIGINT)
            assert inner.late
            assert outer.late
            assert replace(outer, tol=1.0).late
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
