"""Time that runs out, evaluations that fail, runs that are killed."""

import os
import runpy
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from contextlib import closing

import numpy as np
import pytest

from selection.set_functions import SetFunction, coverage, random_function, table
from tamis import InputError
from tamis.selection import Floating, Forward, InformationGain, LasVegas, SubsetSelector, checkpoint
from tamis.selection.fingerprint import described


class Dies(SetFunction):
    """As SetFunction, until it has been asked so often."""

    def __init__(self, f=None, monotone=False, after=0, how=KeyboardInterrupt):
        super().__init__(f, monotone)
        self.after = after
        self.how = how

    def score(self, state, subset):
        if len(self.asked_) == self.after and not self.__dict__.get("dead_"):
            self.dead_ = True
            raise self.how
        return super().score(state, subset)


@pytest.mark.parametrize("after", [1, 4, 9, 17])
def test_a_killed_run_goes_on_and_ends_the_same(tmp_path, after):
    f = random_function(3)
    whole = SubsetSelector(Floating(), SetFunction(f), n_features=4).fit(*table(6))
    file = tmp_path / "run.sqlite"
    dying = Dies(f, after=after, how=SystemExit)  # once
    with pytest.raises(SystemExit):
        SubsetSelector(Floating(), dying, n_features=4, checkpoint=file).fit(*table(6))
    again = SubsetSelector(Floating(), dying, n_features=4, checkpoint=file).fit(*table(6))
    assert again.selected_features_ == whole.selected_features_
    assert again.score_ == whole.score_
    assert again.history_["score"].tolist() == whole.history_["score"].tolist()
    assert len(again.evaluation.asked_) == len(set(whole.evaluation.asked_)) - after
    assert 0 < again.n_recalled_ < len(again.history_)
    assert whole.n_recalled_ == 0


def test_no_subset_is_evaluated_twice_and_the_seed_is_kept(tmp_path):
    file = tmp_path / "run.sqlite"
    runs = [SubsetSelector(LasVegas(40), SetFunction(coverage(0, 8)), checkpoint=file).fit(*table(8)) for _ in range(2)]
    assert runs[0].selected_features_ == runs[1].selected_features_
    assert len(runs[1].history_) == len(runs[0].history_)
    assert runs[1].evaluation.asked_ == []
    assert [run.n_recalled_ for run in runs] == [0, len(runs[1].history_)]


PROGRAM = """
import sys, time
import numpy as np
from tamis.selection import Evaluation, Forward, SubsetSelector

class Slow(Evaluation):
    def prepare(self, source, *, n_jobs=None, steps=None):
        return None
    def score(self, state, subset):
        print("asked", *sorted(subset), flush=True)
        time.sleep(0.02)
        return float(np.random.default_rng(sorted(subset)).standard_normal())

fitted = SubsetSelector(Forward(), Slow(), n_features=4, checkpoint=sys.argv[1]).fit(np.zeros((2, 8)), [0, 1])
print("found", fitted.selected_features_, fitted.score_.hex())
"""


@pytest.fixture
def run_here(monkeypatch, capsys):
    """Runs a program in this process, which has imported all there is, and returns what it prints."""

    def run(program, *arguments):
        capsys.readouterr()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", [str(program), *map(str, arguments)])
            runpy.run_path(str(program), run_name="__main__")
        return capsys.readouterr().out

    return run


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_sigkill(tmp_path, run_here):
    program, file = tmp_path / "program.py", tmp_path / "run.sqlite"
    program.write_text(textwrap.dedent(PROGRAM))
    expected = run_here(program, tmp_path / "other.sqlite")
    first = subprocess.Popen([sys.executable, str(program), str(file)], stdout=subprocess.PIPE, text=True)
    seen = [first.stdout.readline() for _ in range(15)]
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    first.stdout.close()
    second = run_here(program, file)
    assert second.splitlines()[-1] == expected.splitlines()[-1]
    # Recorded at least every 100 ms: the last six evaluations of 20 ms may be asked for again.
    assert len(set(seen) & set(second.splitlines(keepends=True))) <= 6
    assert len(second.splitlines()) < len(expected.splitlines())


def test_a_file_of_another_run_is_refused(tmp_path):
    file = tmp_path / "run.sqlite"
    X, y = np.eye(4), [0, 1, 0, 1]
    SubsetSelector(Forward(), InformationGain(), checkpoint=file).fit(X, y)
    for options, rows, what in [
        ({"search": Floating()}, X, "search"),
        ({"evaluation": InformationGain(n_bins=5)}, X, "evaluation"),
        ({"n_features": 2}, X, "n_features"),
        ({}, 2 * X, "data"),
    ]:
        arguments = {"search": Forward(), "evaluation": InformationGain(), **options}
        with pytest.raises(InputError, match=f"written by a run with other {what}"):
            SubsetSelector(**arguments, checkpoint=file).fit(rows, y)
    SubsetSelector(Forward(), InformationGain(), checkpoint=file, n_jobs=1, time_limit=60).fit(X, y)


DATA = np.eye(4), [0, 1, 0, 1]


def run(file, **options):
    return SubsetSelector(Forward(), InformationGain(), checkpoint=file, **options).fit(*DATA)


def test_what_is_no_checkpoint_is_refused_and_left_alone(tmp_path):
    notes, short, theirs = tmp_path / "notes.txt", tmp_path / "short", tmp_path / "theirs.sqlite"
    notes.write_text("not a database, but dear to somebody" * 50)
    short.write_text("dear")
    with closing(sqlite3.connect(theirs)) as db:
        db.executescript("CREATE TABLE about (key, value); INSERT INTO about VALUES (1, 2);")
    for file, words in [(notes, "is no SQLite file"), (short, "is no SQLite file"), (theirs, "none of Tamis's")]:
        before = file.read_bytes()
        with pytest.raises(InputError, match=words):
            run(file)
        assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.txt", "short", "theirs.sqlite"]


@pytest.mark.parametrize("version, age", [(2, "an older"), (99, "a newer")])
def test_another_format_is_refused(tmp_path, version, age):
    file = tmp_path / "run.sqlite"
    run(file)
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA journal_mode=DELETE")
        db.execute(f"PRAGMA user_version={version}")
    with pytest.raises(InputError, match=f"written by {age} version of Tamis"):
        run(file)


def test_places_without_a_file_are_refused(tmp_path):
    pipe = tmp_path / "pipe"
    places = [
        (tmp_path, "is a directory"),
        (tmp_path / "no" / "such" / "folder", "directory that does not exist"),
        ("", "must be the path of a file, got ''"),
        (3, "must be the path of a file, got 3"),
        (True, "must be the path of a file"),
        (b"run", "must be the path of a file"),
        ("a\0b", "must be the path of a file"),
    ]
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe)
        places += [(pipe, "is no regular file"), (os.devnull, "is no regular file")]
    if os.path.isdir("/proc/self"):
        places += [("/proc/self/run.sqlite", "cannot be written")]
    for place, words in places:
        with pytest.raises(InputError, match=words) as caught:
            run(place)
        assert "\n" not in str(caught.value)


def test_names_that_sqlite_reads_otherwise_are_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "file:run?mode=memory", "a#b?c%20d.sqlite"):
        assert run(name).n_recalled_ == 0
        assert run(name).n_recalled_ > 0
        assert (tmp_path / name).stat().st_size > 0


def test_an_empty_file_and_a_link_are_used(tmp_path):
    file, link = tmp_path / "reserved", tmp_path / "link"
    file.touch(mode=0o600)
    link.symlink_to(file)
    run(link)
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o600
    assert run(file).n_recalled_ > 0


def test_a_file_in_use_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "LOCKED_SECONDS", 0.05)
    file = tmp_path / "run.sqlite"
    run(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InputError, match="is in use by another run"):
            run(file)
    assert run(file).n_recalled_ > 0

    class Second(SetFunction):
        def score(self, state, subset):
            if not self.asked_:
                with pytest.raises(InputError, match="is in use by another run"):
                    SubsetSelector("forward", SetFunction(len), checkpoint=tmp_path / "own").fit(*table(3))
            return super().score(state, subset)

    SubsetSelector("forward", Second(len), checkpoint=tmp_path / "own").fit(*table(3))


def test_a_changed_cell_is_noticed(tmp_path):
    changes = [
        "UPDATE answers SET weights = '[1, 2' WHERE columns = '0'",
        "UPDATE answers SET folds = 'x' WHERE columns = '1'",
        "UPDATE answers SET score = score + 1e-9 WHERE columns = '2'",
        "UPDATE answers SET columns = '0,99' WHERE columns = '2'",
        "UPDATE about SET value = '1' WHERE key = 'seed'",
        "DELETE FROM about WHERE key = 'seed'",
        "DROP TABLE answers",
        "ALTER TABLE answers ADD COLUMN more TEXT",
    ]
    for i, change in enumerate(changes):
        file = tmp_path / f"{i}.sqlite"
        run(file)
        with closing(sqlite3.connect(file)) as db, db:
            assert db.execute(change).rowcount != 0
        with pytest.raises(InputError, match="is damaged") as caught:
            run(file)
        assert "\n" not in str(caught.value)


def test_changed_bytes_never_change_the_answer(tmp_path):
    rng = np.random.default_rng(0)
    whole, file = tmp_path / "whole.sqlite", tmp_path / "run.sqlite"
    expected = run(whole).history_["score"].tolist()
    content = whole.read_bytes()
    refused = 0
    for at in [*range(100), *rng.integers(0, len(content), 200).tolist()]:
        changed = bytearray(content)
        changed[at] ^= int(rng.integers(1, 256))
        file.write_bytes(changed)
        try:
            assert run(file).history_["score"].tolist() == expected
        except InputError:
            refused += 1
        for left in tmp_path.glob("run.sqlite*"):
            left.unlink()
    assert refused > 30  # the header and the rows are about a tenth of the file


@pytest.mark.parametrize("pages", range(1, 9))
def test_a_disk_that_is_full_at_any_page_leaves_nothing_or_a_whole_file(tmp_path, monkeypatch, pages):
    file = tmp_path / "run.sqlite"
    f = random_function(0)
    make = lambda: SubsetSelector(Forward(), SetFunction(f), n_features=12, checkpoint=file).fit(*table(40))  # noqa: E731
    connect = checkpoint._connect

    def small(path):
        db = connect(path)
        db.execute(f"PRAGMA max_page_count={pages}")
        return db

    monkeypatch.setattr(checkpoint, "_connect", small)
    with pytest.raises((InputError, OSError), match="disk is full"):
        make()
    assert [path.name for path in tmp_path.iterdir()] in ([], ["run.sqlite"])
    monkeypatch.undo()
    whole = SubsetSelector(Forward(), SetFunction(f), n_features=12).fit(*table(40))
    again = make()
    assert again.history_["score"].tolist() == whole.history_["score"].tolist()
    assert again.selected_features_ == whole.selected_features_


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes")
def test_a_full_disk(tmp_path, run_here):
    program, file = tmp_path / "program.py", tmp_path / "run.sqlite"
    limits = "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limits += "resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, MOST))\n"
    source = textwrap.dedent(PROGRAM).replace("n_features=4", "n_features=7").replace("8))", "20))")
    for limit, message in [(4_000, "cannot be written"), (24_000, "could not be written")]:
        # The program is read again as part of the evaluation's code: it must not change between the runs.
        program.write_text(source)
        started = (
            f"{limits.replace('MOST', str(limit))}import runpy\nrunpy.run_path({str(program)!r}, run_name='__main__')"
        )
        command = [sys.executable, "-c", started, str(file)]
        ended = subprocess.run(command, capture_output=True, text=True)
        assert ended.returncode != 0
        assert message in ended.stderr
        assert file.exists() == (limit > 4_000)
    again, whole = run_here(program, file).splitlines(), run_here(program, tmp_path / "b").splitlines()
    assert again[-1] == whole[-1]
    assert len(again) < len(whole)


KILLED = """
import os, signal, sys, time
import numpy as np
from tamis.selection import Evaluation, Floating, SubsetSelector

class Slow(Evaluation):
    def prepare(self, source, *, n_jobs=None, steps=None):
        return None
    def score(self, state, subset):
        time.sleep(0.004)
        return float(np.random.default_rng(sorted(subset)).standard_normal())

def run(file):
    selector = SubsetSelector(Floating(), Slow(), n_features=4, checkpoint=os.path.join(sys.argv[1], file))
    return selector.fit(np.zeros((2, 12)), [0, 1])

rng = np.random.default_rng(int(sys.argv[2]))
whole = run("whole.sqlite")
for delay in [0.001, 0.002, 0.004, 0.008, 0.016, *rng.uniform(0, 0.3, 15)]:  # the first while the file is born
    child = os.fork()
    if not child:
        run("run.sqlite")
        os._exit(0)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
again = run("run.sqlite")
for what in ("score", "reason", "kept", "size"):
    assert again.history_[what].tolist() == whole.history_[what].tolist(), what
assert again.selected_features_ == whole.selected_features_
print(again.n_recalled_, whole.n_recalled_)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals")
def test_killed_at_any_moment_it_ends_with_the_identical_history(tmp_path):
    command = [sys.executable, "-c", KILLED, str(tmp_path), "0"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    recalled, at_first = map(int, ended.stdout.split())
    assert at_first == 0 < recalled


KILLED_WITH_OTHER_DATA = """
import os, signal, sys
import numpy as np
from tamis.selection import Evaluation, Floating, SubsetSelector

class Dying(Evaluation):
    def prepare(self, source, *, n_jobs=None, steps=None):
        return float(next(source.blocks()).X[0, 0])
    def score(self, state, subset):
        self.asked_ = getattr(self, "asked_", 0) + 1
        if self.asked_ == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)
        if self.asked_ % 5 == 0:
            import time; time.sleep(0.11)  # longer than between two commits
        return state * float(np.random.default_rng(sorted(subset)).standard_normal())

X = np.full((2, 8), float(sys.argv[2]))
fitted = SubsetSelector(Floating(), Dying(), n_features=3, checkpoint=sys.argv[1]).fit(X, [0, 1])
print(fitted.n_recalled_, fitted.history_["score"].tolist())
"""


def started(program, *arguments):
    command = [sys.executable, str(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=program.parent)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_what_a_killed_run_left_beside_its_deleted_file_is_never_recalled(tmp_path, run_here):
    program, file = tmp_path / "program.py", tmp_path / "run.sqlite"
    program.write_text(KILLED_WITH_OTHER_DATA)
    assert started(program, file, 1, 14).returncode == -signal.SIGKILL
    assert (tmp_path / "run.sqlite-journal").exists()
    file.unlink()
    again, whole = run_here(program, file, 2, -1), run_here(program, tmp_path / "other", 2, -1)
    assert again == whole
    assert again.startswith("0 ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "program.py", "run.sqlite"]


def test_the_write_ahead_log_of_a_deleted_file_is_never_recalled(tmp_path):
    file, theirs = tmp_path / "run.sqlite", tmp_path / "theirs.sqlite"
    SubsetSelector(Forward(), InformationGain(), checkpoint=theirs).fit(2 * DATA[0], DATA[1])
    with closing(sqlite3.connect(theirs)) as db, db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("UPDATE answers SET score = score + 1")
        db.commit()
        for ending in ("-wal", "-shm"):
            left = (tmp_path / f"theirs.sqlite{ending}").read_bytes()
            assert left
            (tmp_path / f"run.sqlite{ending}").write_bytes(left)
    fitted = run(file)
    assert fitted.n_recalled_ == 0
    assert fitted.history_["score"].tolist() == run(None).history_["score"].tolist()
    assert sorted(path.name for path in tmp_path.glob("run*")) == ["run.sqlite"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_all_answers_of_a_killed_run_are_in_the_one_file(tmp_path):
    program, file, moved = tmp_path / "program.py", tmp_path / "run.sqlite", tmp_path / "moved.sqlite"
    program.write_text(KILLED_WITH_OTHER_DATA)
    assert started(program, file, 1, 14).returncode == -signal.SIGKILL
    file.rename(moved)  # and nothing that stands beside it
    recalled, scores = started(program, moved, 1, -1).stdout.split(maxsplit=1)
    assert int(recalled) >= 10  # those before the last pause between two commits
    assert scores == started(program, tmp_path / "other", 1, -1).stdout.split(maxsplit=1)[1]


def test_rows_of_another_run_are_refused(tmp_path):
    mine, theirs = tmp_path / "mine.sqlite", tmp_path / "theirs.sqlite"
    run(mine)
    SubsetSelector(Forward(), InformationGain(), checkpoint=theirs).fit(2 * DATA[0], DATA[1])
    with closing(sqlite3.connect(mine)) as db:
        db.execute("ATTACH ? AS theirs", (str(theirs),))
        with db:
            db.execute("INSERT OR REPLACE INTO answers SELECT * FROM theirs.answers")
    with pytest.raises(InputError, match="is of another run"):
        run(mine)


def test_results_of_another_run_are_refused(tmp_path):
    files = tmp_path / "a", tmp_path / "b"
    for file, data in zip(files, ("1", "2"), strict=True):
        with closing(checkpoint.ResultsCheckpoint(file, {"data": data}, 0)) as results:
            assert results.read("fold 0") is None
            results.write("fold 0", data.encode())
    with closing(checkpoint.ResultsCheckpoint(files[0], {"data": "1"}, 0)) as results:
        assert results.read("fold 0") == b"1"
    with closing(sqlite3.connect(files[0])) as db:
        db.execute("ATTACH ? AS theirs", (str(files[1]),))
        with db:
            db.execute("INSERT OR REPLACE INTO results SELECT * FROM theirs.results")
    with (
        closing(checkpoint.ResultsCheckpoint(files[0], {"data": "1"}, 0)) as results,
        pytest.raises(InputError, match="is of another run"),
    ):
        results.read("fold 0")


TOGETHER = """
import os, sys, time
import numpy as np
from tamis import InputError
from tamis.selection import Evaluation, Forward, SubsetSelector, checkpoint

class Slow(Evaluation):
    def prepare(self, source, *, n_jobs=None, steps=None):
        return float(next(source.blocks()).X[0, 0])
    def score(self, state, subset):
        time.sleep(0.002)
        return state * float(np.random.default_rng(sorted(subset)).standard_normal())

def run(file, data):
    X = np.full((2, 6), 1.0 + data)
    return SubsetSelector(Forward(), Slow(), n_features=2, checkpoint=file).fit(X, [0, 1])

folder, same, reserved = sys.argv[1], sys.argv[2] == "same", sys.argv[3] == "reserved"
checkpoint.LOCKED_SECONDS = 60.0
told = [run(None, data).history_["score"].tolist() for data in (0, 1)]
ended = set()
for race in range(4):
    file = os.path.join(folder, f"{race}.sqlite")
    if reserved:
        open(file, "w").close()
    wait, go = os.pipe()  # all read from it until it is closed: the barrier
    children = []
    for k in range(4):
        child = os.fork()
        if not child:
            os.close(go)
            os.read(wait, 1)
            data = 0 if same else k % 2
            try:
                fitted = run(file, data)
                end = 0 if fitted.history_["score"].tolist() == told[data] else 1
            except InputError as error:
                end = 3 if "with other data" in str(error) else 2
            except BaseException:
                end = 2
            os._exit(end)
        children.append(child)
    os.close(wait); os.close(go)
    ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert 0 in ends and not {1, 2} & set(ends), ends
    ended |= set(ends)
    again = []
    for data in (0,) if same else (0, 1):
        try:
            fitted = run(file, data)
            again.append((fitted.n_recalled_, len(fitted.history_), data))
        except InputError as error:
            assert "with other data" in str(error)
    (recalled, asked, data), = again  # of one run, and whole
    assert recalled == asked and ends[data::1 if same else 2].count(0), (again, ends)
print(sorted(ended))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.parametrize("data, reserved, ends", [("same", "new", "[0]"), ("other", "reserved", "[0, 3]")])
def test_of_processes_that_start_together_one_makes_the_file(tmp_path, data, reserved, ends):
    command = [sys.executable, "-c", TOGETHER, str(tmp_path), data, reserved]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == ends
    assert {path.suffix for path in tmp_path.iterdir()} == {".sqlite"}


def test_an_empty_file_that_another_process_is_about_to_fill_is_left_to_it(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "LOCKED_SECONDS", 0.05)
    monkeypatch.setattr(checkpoint, "_reserve", lambda place: True)  # made here, and locked sooner by the other
    file = tmp_path / "run.sqlite"
    file.touch()
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InputError, match="is in use by another run"):
            run(file)
    assert file.exists()


KILLED_AT_BIRTH = """
import os, signal, sys
from tamis.selection import checkpoint
from tamis.selection.evaluation import SubsetScore

class Dying(checkpoint.Checkpoint):
    def _fill(self, about):
        asked = iter(range(99))
        self._db.set_trace_callback(lambda _: next(asked) == at and os.kill(os.getpid(), signal.SIGKILL))
        super()._fill(about)

killed = 0
for at in range(10):
    child = os.fork()
    if not child:
        Dying(sys.argv[1], {"data": "1"}, 0).close()
        os._exit(0)
    killed += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert set(os.listdir()) <= {"run.sqlite", "run.sqlite-journal"}, os.listdir()
    found = checkpoint.Checkpoint("run.sqlite", {"data": "1"}, 0)
    assert len(found) == 0
    found.remember([((0,), SubsetScore(1.0, 0.0))])
    found.close()
    assert os.listdir() == ["run.sqlite"], os.listdir()
    os.unlink("run.sqlite")
assert killed >= 8, killed  # at each statement of the transaction, and after it
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_run_killed_while_its_file_is_made_leaves_one_that_the_next_fills(tmp_path):
    command = [sys.executable, "-c", KILLED_AT_BIRTH, "run.sqlite"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr


def test_a_refused_second_run_of_a_process_does_not_end_the_lock_of_the_first(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "LOCKED_SECONDS", 0.05)
    file = tmp_path / "run.sqlite"
    other = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN EXCLUSIVE')"
    with closing(checkpoint.Checkpoint(file, {"data": "1"}, 0)):
        with pytest.raises(InputError, match="is in use by another run"):
            checkpoint.Checkpoint(file, {"data": "1"}, 0)
        message = subprocess.run([sys.executable, "-c", other, str(file)], capture_output=True, text=True).stderr
        assert "locked" in message
    checkpoint.Checkpoint(file, {"data": "1"}, 0).close()


def test_time_is_up():
    class Slow(SetFunction):
        def score(self, state, subset):
            time.sleep(0.01)
            return super().score(state, subset)

    began = time.monotonic()
    fitted = SubsetSelector("exhaustive", Slow(coverage(0, 10)), time_limit=0.3).fit(*table(10))
    assert time.monotonic() - began < 5
    assert fitted.status_ == "time_limit"
    history = fitted.history_
    assert 1 < len(history) < 1023
    assert fitted.score_ == history["score"].max()
    assert SubsetSelector("forward", SetFunction(coverage(0, 4))).fit(*table(4)).status_ == "finished"


def test_ctrl_c_leaves_the_best_so_far():
    fitted = SubsetSelector("exhaustive", Dies(coverage(0, 6), after=20)).fit(*table(6))
    assert fitted.status_ == "interrupted"
    assert len(fitted.history_) == 20
    assert fitted.score_ == fitted.history_["score"].max()
    with pytest.raises(KeyboardInterrupt):  # there is no best yet
        SubsetSelector("exhaustive", Dies(coverage(0, 6), after=0)).fit(*table(6))


def test_a_subset_that_fails_does_not_end_the_search():
    def f(S):
        if {1} == S:
            raise ValueError("singular")
        return np.nan if {2} == S else float(len(S) + (0 in S))

    fitted = SubsetSelector("forward", SetFunction(f), n_features=2).fit(*table(4))
    assert fitted.selected_features_ == [0, 1]
    history = fitted.history_
    assert history["reason"][1] == "failed: ValueError: singular"
    assert history["reason"][2] == "failed: the score is not a number"
    assert np.isnan(history["score"][1:3]).all()


def test_where_every_subset_fails_the_first_reason_is_told():
    def f(S):
        raise ZeroDivisionError("by zero")

    with pytest.raises(InputError, match="could not evaluate any subset: failed: ZeroDivisionError: by zero"):
        SubsetSelector("forward", SetFunction(f)).fit(*table(3))


def test_evaluations_that_answer_at_once_resume_too(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (200, 12))
    y = (X[:, 0] + X[:, 5]) % 2
    evaluated = []

    class Counted(InformationGain):
        def gains(self, state, subset, candidates):
            evaluated.extend(frozenset((*subset, j)) for j in candidates)
            return super().gains(state, subset, candidates)

        def __repr__(self):
            return "Counted()"

    file = tmp_path / "run.sqlite"
    first = SubsetSelector("forward", Counted(), n_features=4, checkpoint=file).fit(X, y)
    assert len(evaluated) == 12 + 11 + 10 + 9
    again = SubsetSelector("forward", Counted(), n_features=4, checkpoint=file).fit(X, y)
    assert len(evaluated) == 12 + 11 + 10 + 9
    assert again.history_["score"].tolist() == first.history_["score"].tolist()


def test_arguments_are_told_apart_to_the_last_number():
    long = np.arange(5_000)
    other = long.copy()
    other[2_500] = -1  # where repr shows dots
    assert described(long) != described(other)
    assert described(Forward()) != described(Forward(1e-3))
    assert described(np.random.default_rng(0)) == described(np.random.default_rng(1))  # the seed is in the file
    assert described({"f": np.argmax, "deep": [Forward(), (1, "a")]}) == described(
        {"f": np.argmax, "deep": [Forward(), (1, "a")]}
    )


def test_numbers_that_are_none_are_recorded_once_and_told(tmp_path):
    evaluated = []

    class Holes(InformationGain):
        def gains(self, state, subset, candidates):
            evaluated.extend(candidates)
            scores = super().gains(state, subset, candidates)
            return np.where(np.asarray(candidates) == 1, np.nan, scores)

    X, y = np.eye(6)[:, :4], [0, 1, 0, 1, 1, 0]
    for _ in range(2):
        fitted = SubsetSelector("forward", Holes(), n_features=1, checkpoint=tmp_path / "run.sqlite").fit(X, y)
        assert fitted.history_["reason"][1] == "failed: the score is not a number"
        assert not fitted.support_[1]
    assert evaluated.count(1) == 1 + 2  # once by the search, and once each for the scores of all columns alone


INTERRUPTED = []  # not among the arguments, in which two runs must agree


class Stopped(SetFunction):
    def score(self, state, subset):
        if INTERRUPTED:
            raise KeyboardInterrupt
        return super().score(state, subset)


class StoppedAtOnce(InformationGain):
    def gains(self, state, subset, candidates):
        if INTERRUPTED:
            raise KeyboardInterrupt
        return super().gains(state, subset, candidates)


@pytest.mark.parametrize("search, evaluation", [("exhaustive", Stopped(coverage(0, 6))), ("forward", StoppedAtOnce())])
def test_recalled_are_only_subsets_that_are_in_the_history(tmp_path, monkeypatch, search, evaluation):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (60, 6)), rng.integers(0, 2, 60)
    file = tmp_path / "run.sqlite"
    selector = SubsetSelector(search, evaluation, n_features=(1, 2), checkpoint=file).fit(X, y)
    whole = len(selector.history_)
    with closing(sqlite3.connect(file)) as db, db:  # one in the midst of a round, so that the others are asked for, too
        first = "SELECT min(columns) FROM answers WHERE columns LIKE '%,%'"
        assert db.execute(f"DELETE FROM answers WHERE columns = ({first})").rowcount == 1
    monkeypatch.setattr(sys.modules[__name__], "INTERRUPTED", [True])
    selector.fit(X, y)
    assert selector.status_ == "interrupted"
    assert 6 <= selector.n_recalled_ == len(selector.history_) < whole
