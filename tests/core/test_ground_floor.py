"""Checks, threads, randomness, progress: the ground floor."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.callback import ProgressBar

from tamis import InputError, Lasso, LassoCV
from tamis._core.checks import as_object, check_choice, check_count, check_number, shorten
from tamis._core.errors import ConvergenceWarning, NotFittedError
from tamis._core.random import as_rng
from tamis._core.threads import thread_count
from tamis._kernels import kernels


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf"), "1", None, True])
def test_a_number_out_of_range_names_argument_and_value(value):
    with pytest.raises(InputError, match=rf"alpha must be .*{value!r}"):
        check_number("alpha", value, above=0)


@pytest.mark.parametrize("value", [0, 2.0, "3", None, True])
def test_a_count_must_be_whole_and_in_range(value):
    with pytest.raises(InputError, match="max_iter must be"):
        check_count("max_iter", value)


def test_numpy_numbers_are_numbers():
    assert check_number("alpha", np.float32(0.5)) == 0.5
    assert check_count("k", np.int8(3)) == 3


def test_a_misspelt_choice_gets_a_suggestion():
    with pytest.raises(InputError, match="did you mean 'forward'"):
        check_choice("search", "foward", ["forward", "backward"])


class Word(str):
    """A string of another library's."""


@pytest.mark.parametrize("kind", [np.str_, Word])
def test_a_choice_in_a_string_of_any_kind_is_the_string(kind):
    """A search over np.array(["cyclic", "random"]) hands over NumPy's."""
    chosen = check_choice("selection", kind("cyclic"), ("cyclic", "random"))
    assert chosen == "cyclic"
    assert type(chosen) is str
    with pytest.raises(InputError, match="selection must be one of 'cyclic', 'random'; got 'cycle'"):
        check_choice("selection", kind("cycle"), ("cyclic", "random"))


def test_strings_become_objects_on_entry():
    assert as_object("status", "a", {"a": dict}, dict) == {}
    given = {"b": 1}
    assert as_object("status", given, {"a": dict}, dict) is given
    with pytest.raises(InputError, match="'a' or a dict object; got 3"):
        as_object("status", 3, {"a": dict}, dict)


def test_long_lists_of_names_are_shortened():
    assert shorten("abc") == "'a', 'b', 'c'"
    assert shorten("abcdefg") == "'a', 'b', 'c', 'd', 'e' and 2 more"


def test_same_seed_same_stream():
    assert as_rng(3).integers(1 << 30) == as_rng(3).integers(1 << 30)
    with pytest.raises(InputError, match="random_state must be"):
        as_rng("seed")


def test_errors_are_the_families_users_catch():
    assert issubclass(InputError, ValueError)
    assert issubclass(NotFittedError, ValueError)
    assert issubclass(ConvergenceWarning, UserWarning)


def test_threads_follow_n_jobs_then_the_environment(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert thread_count(2) == 2
    assert thread_count() == 3
    monkeypatch.setenv("TAMIS_NUM_THREADS", "5")
    assert thread_count() == 5
    assert thread_count(-1) == len(os.sched_getaffinity(0))
    monkeypatch.setenv("TAMIS_NUM_THREADS", "many")
    with pytest.raises(InputError, match="TAMIS_NUM_THREADS must be a whole number"):
        thread_count()
    with pytest.raises(InputError, match="n_jobs must not be 0"):
        thread_count(0)


def test_one_thread_inside_joblib_workers(monkeypatch):
    from joblib import Parallel, delayed

    for variable in ("OMP_NUM_THREADS", "TAMIS_NUM_THREADS"):
        monkeypatch.delenv(variable, raising=False)
    assert Parallel(n_jobs=2)(delayed(thread_count)() for _ in range(2)) == [1, 1]


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_the_pool_does_every_task_once(n_threads):
    out = np.zeros(1000)
    for _ in range(50):
        out[:] = 0
        kernels.squares(out, n_threads, 0)
        assert np.array_equal(out, np.arange(1000.0) ** 2)


def test_the_pool_serves_many_callers_at_once():
    outs = [np.zeros(2000) for _ in range(8)]
    callers = [threading.Thread(target=kernels.squares, args=(out, 2, 100)) for out in outs]
    for t in callers:
        t.start()
    for t in callers:
        t.join()
    assert all(np.array_equal(out, np.arange(2000.0) ** 2) for out in outs)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_pool_survives_a_fork():
    kernels.squares(np.zeros(100), 2, 100)
    child = os.fork()
    if child == 0:
        out = np.zeros(100)
        kernels.squares(out, 2, 100)
        os._exit(0 if np.array_equal(out, np.arange(100.0) ** 2) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_ctrl_c_stops_a_kernel():
    code = (
        "import numpy as np; from tamis._kernels import kernels; print('go', flush=True);"
        "kernels.squares(np.zeros(10**6), 2, 10**6)"  # hours of work
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.readline()
    time.sleep(0.3)
    started = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=20)
    assert b"KeyboardInterrupt" in err
    assert time.monotonic() - started < 10


class Watcher:
    """Counts what a progress bar would show."""

    def __init__(self):
        self.stages = {}

    def setup(self, estimator, context):
        self.open = True

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):
        self.stages[context.task_name] = self.stages.get(context.task_name, 0) + 1

    def teardown(self, estimator, context):
        self.open = False


def test_callbacks_see_every_stage_of_a_fit():
    rng = np.random.default_rng(0)
    watcher = Watcher()
    LassoCV(alphas=25).set_callbacks(watcher).fit(rng.standard_normal((60, 4)), rng.standard_normal(60))
    # each stage ends once and each of its steps once: 1 block, 3 parts of the path, 5 folds
    assert watcher.stages == {"reading": 2, "path": 4, "folds": 6, "fit": 1}
    assert not watcher.open


def test_the_progress_bar_of_scikit_learn_runs(capsys):
    rng = np.random.default_rng(0)
    Lasso(alpha=0.1).set_callbacks(ProgressBar()).fit(rng.standard_normal((60, 4)), rng.standard_normal(60))
    assert "Lasso - fit" in capsys.readouterr().out


def test_callbacks_do_not_break_pickling():
    rng = np.random.default_rng(0)
    model = Lasso(alpha=0.1).set_callbacks(Watcher()).fit(rng.standard_normal((60, 4)), rng.standard_normal(60))
    assert np.array_equal(pickle.loads(pickle.dumps(model)).coef_, model.coef_)


def test_import_is_light():
    code = "import sys, tamis; print([m for m in ('sklearn', 'scipy', 'numpy') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


# Kernels alone, for whatever else a fit imports takes seconds: the Gram matrix of the rows, and a lasso path from it.
GRAM_AND_PATH = """
import numpy as np
from tamis._kernels import kernels

rng = np.random.default_rng(0)
X = rng.standard_normal((300, 70))
y = X[:, 0] + rng.standard_normal(300)
centre, offset, M = np.zeros(71), np.zeros(71), np.zeros((71, 71))
kernels.moments(X, y, None, None, centre, offset, M, 1)
G, q = np.ascontiguousarray(M[:-1, :-1]) / 300, np.ascontiguousarray(M[:-1, -1]) / 300
coefs, gaps, n_iter, converged = np.empty((1, 70)), np.empty(1), np.empty(1, np.int64), np.empty(1, bool)
kernels.lasso_path(
    G, q, M[-1, -1] / 300, np.array([0.1]), np.ones(70), np.zeros(70), False, -1, np.zeros(70), np.zeros(70, np.int64),
    np.zeros(1, np.int64), np.empty((70, 70)), 1e-9, 1000, coefs, gaps, n_iter, converged, None,
)
assert converged.all() and coefs.any()
print(kernels.__name__, kernels.cpu_level())
print(coefs.tolist())
"""


def test_kernels_of_all_instruction_sets_agree():
    plain = None
    for requested in ("v2", "v3", ""):
        env = {**os.environ, "TAMIS_KERNELS": requested}
        built_for, coefs = subprocess.check_output(
            [sys.executable, "-c", GRAM_AND_PATH], text=True, env=env
        ).splitlines()
        name, level = built_for.split()
        if "plain" not in name:  # the best that was asked for and this machine has
            assert name.endswith(f"v{min(int(requested[1:] or 4), int(level))}")
        plain = plain or coefs
        np.testing.assert_allclose(eval(coefs), eval(plain), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("n_jobs", [1025, 10**9, 99999999999999999999])
def test_more_threads_than_a_system_starts_are_refused(n_jobs):
    with pytest.raises(InputError, match=f"n_jobs must be at most 1024, got {n_jobs}"):
        thread_count(n_jobs)


@pytest.mark.parametrize("variable", ["TAMIS_NUM_THREADS", "OMP_NUM_THREADS"])
def test_an_environment_that_asks_for_absurdly_many_threads_gets_the_most(monkeypatch, variable):
    for name in ("TAMIS_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for setting, given in [("1024", 1024), ("1025", 1024), ("9" * 20, 1024), ("1" * 5000, 1024), ("007", 7)]:
        monkeypatch.setenv(variable, setting)
        assert thread_count() == given
    for setting in ("0", "000", "٣", "²", "-2", "many"):
        monkeypatch.setenv(variable, setting)
        with pytest.raises(InputError, match=f"{variable} must be a whole number"):
            thread_count()
