"""The benchmarks' machinery at tiny sizes: wrong answers are refused, missing and failing competitors reported."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import install, libraries, machine, objective, questions, render, runner
from benchmarks.competitor import OURS, RIVAL, Competitor, reset_peak
from benchmarks.objective import Dataset, Row, Table, bar
from benchmarks.questions import lasso_cv
from benchmarks.questions.gain_search import PARTS
from benchmarks.questions.gram import relative_error, two_pass
from benchmarks.questions.lasso import precise_path
from benchmarks.questions.relief_growth import PARTS as GROWTH
from benchmarks.questions.relief_tall import SETTLED

# Who runs beside ours in the quick version: what is installed everywhere, and parts of our own tables.
BESIDE = {
    "gram": {"scikit-learn empirical_covariance"},
    "information_gain": {"scikit-learn mutual_info_classif"},
    "gain_search": set(PARTS.values()),
    "forward_linear": {"scikit-learn SequentialFeatureSelector"},
    "wrapper_overhead": {"scikit-learn SequentialFeatureSelector"},
    "relief_tall": {SETTLED},
    "relief_growth": set(GROWTH.values()),
    "lasso": {"scikit-learn, precompute=True"},
    "omp": {"scikit-learn orthogonal_mp_gram"},
    "lasso_cv": {"scikit-learn LassoCV"},
    "lasso_sparse": {"scikit-learn"},
    "logistic": {"scikit-learn, saga"},
}
# The command has no quick version: tests/cli runs it.
QUICK = [name for name in questions.names() if name != "select"]
# One or two of each family in every run, all of them in make test-all.
OFTEN = {
    "gram",
    "information_gain",
    "relief",
    "lasso",
    "bpdn",
    "lasso_codes",
    "completion",
    "pca",
}
CASES = [pytest.param(name, marks=[] if name in OFTEN else pytest.mark.deep) for name in QUICK]


@pytest.fixture(autouse=True)
def hurried(monkeypatch):
    monkeypatch.setattr(runner, "PAUSE", 0.0)


@pytest.mark.parametrize("name", CASES)
def test_every_answer_is_judged_and_timed(name):
    only = {"tamis"} | BESIDE.get(name, set())
    record = runner.run_question(name, quick=True, only=only)
    for table in record["tables"]:
        rows = {row["name"]: row for row in table["rows"] if row["role"] != "yardstick"}
        assert set(rows) == only
        assert all(row["accepted"] and row["seconds"] == min(row["times"]) > 0 for row in rows.values()), rows
        assert {b["relation"] for b in table["bars"]} <= {"≤", "≥"}
    text = render.as_markdown(json.loads(json.dumps(record)))
    assert all(name in text for name in only)
    assert record["machine"]["processor"] in text


def wrong(name, result):
    """The answer with its first number changed a little."""
    if name == "omp":
        broken = result.copy()
        broken.data[0] += 1e-4
        return broken
    broken = np.array(result)
    broken.flat[0] += 1e-9 * np.abs(broken).max()
    return broken


@pytest.mark.parametrize("name", ["gram", "information_gain", "omp"])
def test_judge_refuses_a_corrupted_answer(name):
    judge = questions.objective(name)
    data = questions.datasets(name, quick=True)[0].make()
    reference = judge.reference(data)
    solver = next(c for c in libraries.competitors(name) if c.package == "scikit-learn")
    solver.tol = 1e-10
    solver.prepare(data)
    solver.run()
    right = solver.result()
    assert judge.accepts(judge.judge(data, reference, right))
    assert not judge.accepts(judge.judge(data, reference, wrong(name, right)))


def test_cross_validation_is_judged_by_its_errors_and_its_choice():
    judge = questions.objective("lasso_cv")
    data = questions.datasets("lasso_cv", quick=True)[0].make()
    reference = judge.reference(data)
    k = int(reference.errors.argmin())
    coefs, intercepts = precise_path(data.X, data.y, data.alphas)
    right = lasso_cv.Answer(reference.errors, data.alphas[k], coefs[k], intercepts[k])
    assert judge.accepts(judge.judge(data, reference, right))
    for wrong_one in (
        right._replace(errors=reference.errors * (1 + 2e-4)),
        right._replace(errors=reference.errors[:-1]),
        right._replace(alpha=data.alphas[0], coef=coefs[0], intercept=intercepts[0]),
        right._replace(alpha=data.alphas[k] * 1.1),
        right._replace(coef=coefs[k] * 1.01),
    ):
        assert not judge.accepts(judge.judge(data, reference, wrong_one))


def test_a_large_path_is_judged_by_its_own_gap():
    judge = questions.objective("lasso_large")
    data = questions.datasets("lasso_large", quick=True)[0].make()
    coefs, intercepts = precise_path(data.X, data.y, data.alphas)
    assert judge.accepts(judge.judge(data, None, (coefs, intercepts)))
    assert not judge.accepts(judge.judge(data, None, (coefs * 1.01, intercepts)))
    assert set(data.support) == set(np.flatnonzero(coefs[-1]))


def test_two_pass_reference_is_exact_on_whole_numbers():
    """Whole numbers with a whole mean leave nothing to round, even far from zero."""
    X = np.array([[-1, 2], [1, 0], [0, -5], [0, 3]], dtype=float).repeat(200, axis=0)
    expected = X.T @ X
    assert np.array_equal(two_pass(lambda: [X[:300] + 2.0**40, X[300:] + 2.0**40]), expected)
    assert relative_error(np.full((2, 2), np.nan), expected) == np.inf


class Answer(Competitor):
    """A competitor of ours that says what it was told to."""

    package, module, role = "numpy", "numpy", OURS

    def __init__(self, name, answers, tolerances=(None,)):
        self.name, self.answers, self.tolerances = name, answers, tolerances

    def prepare(self, data):
        self.outcome = self.answers[self.tolerances.index(self.tol)]

    def run(self):
        if isinstance(self.outcome, Exception):
            raise self.outcome

    def result(self):
        return self.outcome


class ZeroIsRight(objective.Objective):
    title, text = "zero", "zero"

    def judge(self, data, reference, result):
        return {"error": abs(result)}

    def accepts(self, judged):
        return judged["error"] == 0


def rows_of(monkeypatch, *entries):
    monkeypatch.setattr(libraries, "competitors", lambda name: list(entries))
    table = runner.run_dataset("zero", ZeroIsRight(), Dataset("none", lambda: None), True, None, lambda text: None)
    return {row.name: row for row in table.rows}


def test_the_loosest_accepted_tolerance_is_timed(monkeypatch):
    row = rows_of(monkeypatch, Answer("ladder", [2.0, 0.0, 0.0], (1e-3, 1e-4, 1e-5)))["ladder"]
    assert (row.tol, row.accepted, len(row.times)) == (1e-4, True, 2)


@pytest.mark.parametrize("start, tried", [(0, [1e-3, 1e-4]), (1, [1e-4, 1e-3, 1e-4]), (2, [1e-5, 1e-4, 1e-3, 1e-4])])
def test_the_search_for_a_tolerance_may_start_anywhere(start, tried):
    ladder, seen = Answer("ladder", [2.0, 0.0, 0.0], (1e-3, 1e-4, 1e-5)), []
    ladder.run = lambda: seen.append(ladder.tol)
    entry = runner.Entry(ladder, ZeroIsRight(), None, None)
    assert entry.tune(start) == 1
    assert seen == tried
    assert (entry.row.tol, entry.row.accepted) == (1e-4, True)


def test_wrong_failing_and_missing_competitors_stay_in_the_table(monkeypatch):
    absent = Answer("absent", [0.0])
    absent.module = "no_such_module_anywhere"
    rows = rows_of(monkeypatch, Answer("wrong", [1.0]), Answer("fails", [ValueError("too big\nreally")]), absent)
    assert rows["wrong"].accepted is False
    assert rows["wrong"].note == "the judge refuses its answer"
    assert rows["fails"].note == "failed: too big"
    assert rows["fails"].seconds is None
    assert rows["absent"].note == "not installed"


class Slow(Answer):
    def run(self):
        time.sleep(100)


class Stubborn(Slow):
    def run(self):
        with contextlib.suppress(BaseException):
            super().run()


class Forgiving(Slow):
    """Goes on after a failed fit, as a cross-validation does."""

    def run(self):
        for _ in range(1000):
            with contextlib.suppress(Exception):
                time.sleep(0.1)


class Stumbling(Stubborn):
    """Does not know what to do with half an answer."""

    def run(self):
        super().run()
        raise IndexError("59 alphas of 100")


@pytest.mark.parametrize("kind", [Slow, Stubborn, Forgiving, Stumbling])
def test_a_run_over_the_cap_is_stopped_and_reported(monkeypatch, kind):
    monkeypatch.setattr(ZeroIsRight, "cap", 0.05)
    start = time.perf_counter()
    rows = rows_of(monkeypatch, kind("slow", [0.0]), Answer("quick", [0.0]))
    assert time.perf_counter() - start < 50
    assert (rows["slow"].seconds, rows["slow"].accepted, rows["slow"].note) == (None, None, "over 0 s")
    assert rows["quick"].accepted


class Elsewhere(Answer):
    """Says in which process it ran."""

    apart = True

    def __init__(self):
        super().__init__("elsewhere", [0.0])

    def prepare(self, data):
        self.outcome = os.getpid()


class AnotherProcess(ZeroIsRight):
    def judge(self, data, reference, result):
        return {"error": float(result == os.getpid())}


def test_what_cannot_be_stopped_runs_apart(monkeypatch):
    monkeypatch.setattr(libraries, "competitors", lambda name: [Elsewhere()])
    monkeypatch.setattr(Elsewhere, "__module__", "test_quick")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.path.dirname(__file__), *sys.path]))
    table = runner.run_dataset("zero", AnotherProcess(), Dataset("none", lambda: None), True, None, lambda text: None)
    assert [(row.accepted, row.note) for row in table.rows] == [(True, "")]
    assert table.rows[0].peak_mb < 50  # what the run added, not the interpreter


class Binding(Answer):
    """Keeps the thread to one core, as some packages do when they are imported."""

    def prepare(self, data):
        super().prepare(data)
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class Counting(Answer):
    def run(self):
        self.outcome = len(os.sched_getaffinity(0)) - machine.cores()


@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or machine.cores() == 1, reason="a thread cannot lose a core here"
)
def test_one_competitor_does_not_take_the_cores_from_the_next(monkeypatch):
    try:
        rows = rows_of(monkeypatch, Binding("binds", [0.0]), Counting("counts", [0.0]))
    finally:
        machine.unbind()
    assert rows["counts"].accepted


def test_a_competitor_that_does_not_fit_is_left_out(monkeypatch):
    out = Answer("not for this", [0.0])
    out.fits = lambda data: data is not None
    assert rows_of(monkeypatch, out) == {}


def test_refused_answers_are_nobodys_fastest():
    ours = Row("tamis", OURS, seconds=2.0, accepted=True)
    table = Table(
        "d",
        [
            ours,
            Row("quick and wrong", "rival", seconds=1.0, accepted=False),
            Row("right", "rival", seconds=3.0, accepted=True),
        ],
    )
    assert table.ratio(table.fastest_rival(), ours) == 1.5
    assert table.ratio(table.row("quick and wrong"), ours) is None


@pytest.mark.parametrize(
    "value, relation, held",
    [(1.0, "≤", True), (1.1, "≤", False), (1.1, "≥", True), (float("nan"), "≤", False), (None, "≤", None)],
)
def test_bars(value, relation, held):
    assert bar("x", value, relation, 1.0)["held"] is held


def test_missed_and_unmeasured_bars_are_shown():
    assert "MISSED (1.2)" in render._bar(bar("time", 1.2, "≤", 1.1))
    assert "not measured" in render._bar(bar("time", None, "≤", 1.1))


def test_peak_memory_sees_an_allocation():
    """In a process of its own: what other tests left may be freed meanwhile."""
    if not reset_peak():
        pytest.skip("this system cannot reset the peak")
    code = (
        "import numpy as np; from benchmarks.competitor import peak_rss, reset_peak; "
        "reset_peak(); before = peak_rss(); held = np.ones(100 * 2**17); print(peak_rss() - before)"
    )
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    child = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert 90 < float(child.stdout) < 130  # of 100 MB


def test_questions_that_run_often_exist():
    assert set(QUICK) >= OFTEN


def test_questions_are_found_by_their_beginning(capsys):
    assert command._question("gram") == "gram"
    assert command._question("lasso") == "lasso"
    assert command._question("import") == "import_time"
    assert command._questions("gram,import") == ["gram", "import_time"]
    with pytest.raises(SystemExit):
        command.main(["lassso"])
    assert "is none of gram, gram_parquet" in capsys.readouterr().err


def test_requirements_keep_their_extra_words():
    assert install.wanted("# why\na>=1\nb ;; --no-deps\n") == [("a>=1", []), ("b", ["--no-deps"])]


def test_who_was_given_up_on_still_bounds_the_ratio():
    ours = Row("tamis", OURS, seconds=1.0, accepted=True)
    slow = Row("slow", RIVAL, seconds=4.0, accepted=True)
    given_up = Row("given up", RIVAL, least=3.0, accepted=False)
    assert Table("", [ours, slow, given_up]).times_faster("", 2)["value"] == 3
    assert Table("", [ours, slow, given_up]).times_faster("", 2)["at_least"]
    assert Table("", [ours, given_up]).times_faster("", 3.5)["held"] is None
    assert Table("", [ours, slow]).times_faster("", 5)["held"] is False
    assert Table("", [ours]).times_faster("", 1)["held"] is None
