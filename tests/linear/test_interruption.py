"""Ctrl-C during a fit: it ends within moments, no thread goes on, and nothing is half fitted."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from tamis._core.threads import free_thread
from tamis._kernels import kernels
from tamis._kernels.interruption import InterruptibleThreads, check_interrupted

CHILD = """
import sys, threading, time
import numpy as np
from sklearn.linear_model import Ridge
from tamis import *
from tamis.linear import *
from tamis.penalties import L1
from tamis.selection import CrossValidated

rng = np.random.default_rng(0)
n, p = {shape}
X = rng.standard_normal((n, p))
z = X[:, :40] @ rng.standard_normal(40) + 3 * rng.standard_normal(n)
y = {target}
model = {model}
before = dict(vars(model))
print("begins", flush=True)
try:
    model.fit(X, y)
    print("finished", flush=True)
except KeyboardInterrupt:
    at = time.time()
    working = [t for t in threading.enumerate() if t is not threading.main_thread()]
    print("interrupted", at, len(working), vars(model) == before, flush=True)
"""

SLOW = {
    "rows": ((3000, 1500), "z", "LassoCV(precompute=False, alphas=2000, eps=1e-5, tol=1e-12)"),
    "statistics": ((3000, 1500), "z", "LassoCV(precompute=True, alphas=4000, eps=1e-6)"),
    "two classes": ((3000, 1500), "z > 0", "SparseClassifierCV(alphas=1000, eps=1e-5, tol=1e-10)"),
    "four classes": ((2000, 600), "np.digitize(z, [-8, 0, 8])", "SparseClassifierCV(alphas=300, eps=1e-4)"),
    "groups": ((3000, 1200), "np.column_stack([z, -z])", "SparseRegressorCV(penalty='group', alphas=1000, eps=1e-5)"),
    "fista": ((3000, 800), "z", "SparseRegressorCV(solver='fista', alphas=300, eps=1e-5)"),
    "a scorer": ((3000, 800), "z > 0", "SparseClassifierCV(alphas=2000, eps=1e-4, scoring='roc_auc')"),
}


def interrupted(shape, target, model, wait):
    """Seconds from the signal to the exception, threads left, and whether the model is as it was; None if it ended."""
    code = CHILD.format(shape=shape, target=target, model=model)
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline().strip() == "begins"
        time.sleep(wait)
        sent = time.time()
        child.send_signal(signal.SIGINT)
        word, *numbers = child.stdout.readline().split()
        assert child.wait(30) == 0
    finally:
        child.kill()
        child.stdout.close()
    return None if word == "finished" else (float(numbers[0]) - sent, int(numbers[1]), numbers[2] == "True")


@pytest.mark.parametrize("name", SLOW)
def test_a_fit_ends_at_once_when_interrupted(name):
    """Alone on two cores it takes less than 0.2 s; the bound is for machines under load. The fits take 10 s or more."""
    wait = np.random.default_rng(list(SLOW).index(name)).uniform(0.2, 1.2)
    delay, threads, untouched = interrupted(*SLOW[name], wait)
    assert delay < 2.0
    assert threads == 0
    assert untouched


def leave_by_an_exception(n_threads, endless):
    """Futures of work that was under way when the block of its team was left."""
    begun = threading.Barrier(n_threads + 1)
    futures = []

    def work():
        begun.wait()
        endless()

    def block():
        with InterruptibleThreads(n_threads, free_thread) as pool:
            futures.extend(pool.submit(work) for _ in range(n_threads))
            begun.wait()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        block()
    return futures


def loop():
    while True:
        check_interrupted()


@pytest.mark.parametrize("endless", [lambda: kernels.squares(np.zeros(10**6), 1, 10**5), loop], ids=["kernel", "loop"])
def test_work_on_threads_ends_when_nobody_waits_for_it(endless):
    """The kernel would take minutes, the loop for ever."""
    began = time.monotonic()
    futures = leave_by_an_exception(2, endless)
    assert time.monotonic() - began < 10
    assert all(isinstance(future.exception(), KeyboardInterrupt) for future in futures)


def test_a_flag_concerns_only_the_threads_that_work_under_it():
    leave_by_an_exception(1, loop)
    check_interrupted()
    with InterruptibleThreads(2, free_thread) as pool:
        assert list(pool.map(lambda k: k + 1, range(5))) == [1, 2, 3, 4, 5]
        out = np.zeros(4)
        pool.submit(kernels.squares, out, 2, 1).result()
    assert out.tolist() == [0, 1, 4, 9]
