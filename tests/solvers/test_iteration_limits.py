"""When iterations end: Ctrl-C is heard once, after a step, and what there is is kept."""

import os
import signal
import threading
from dataclasses import replace

import pytest

from tamis._core.evidence import Status
from tamis.solvers.iteration_limits import IterationLimits


def press():
    os.kill(os.getpid(), signal.SIGINT)


def test_a_first_interrupt_ends_the_iteration_and_a_second_is_raised():
    limits = IterationLimits()
    before = signal.getsignal(signal.SIGINT)
    with limits.until_interrupted():
        assert limits.status(False) is Status.MAX_ITER
        press()
        assert limits.status(False) is Status.INTERRUPTED
        assert replace(limits, tol=1.0).status(False) is Status.INTERRUPTED
        assert limits.status(True) is Status.CONVERGED
        with pytest.raises(KeyboardInterrupt):
            press()
    assert signal.getsignal(signal.SIGINT) is before


def test_the_time_is_up():
    assert IterationLimits.from_now(1e-7, 10, 1e-9).status(False) is Status.TIME_LIMIT


def test_other_threads_hear_nothing():
    limits, ended = IterationLimits(), []

    def work():
        with limits.until_interrupted():
            ended.append(limits.status(False))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == [Status.MAX_ITER]
