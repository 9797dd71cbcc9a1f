"""A competitor is a class of four verbs. This module is light because fresh processes time imports below it."""

import importlib
import sys
from typing import Any

OURS, RIVAL, YARDSTICK = "tamis", "rival", "yardstick"
LADDER = tuple(10.0**-k for k in range(3, 13))  # tolerances of those that iterate
SWEEPS = tuple(float(n) for n in (1, 2, 3, 5, 8, 12, 16, 20, 25, 30, 40, 60, 80, 100, 150, 200, 400, 800))  # or rounds


class Competitor:
    """One way to answer a question.

    ``available()`` says why it cannot run ("" when it can); ``prepare(data)`` does what a user would have done before:
    imports, the memory layout the library likes best; ``run()`` is what is timed; ``result()`` is for the judge.
    A yardstick is timed beside the others but answers another, simpler question, so it is not judged.
    A class that names no question only holds what others share.
    """

    question: str = ""  # the name of its file in benchmarks/questions
    name: str  # in the tables
    package: str  # its distribution, whose version is printed
    module: str = ""  # what is imported, when it is not called as the distribution
    role: str = RIVAL
    tolerances: tuple[float | None, ...] = (None,)  # loosest first: the first that satisfies the judge is timed
    tol: float | None = None
    threads: int = 1
    apart: bool = False  # cannot be stopped from within: runs in an interpreter of its own
    note: str = ""

    def available(self) -> str:
        try:
            importlib.import_module(self.module or self.package.replace("-", "_"))
        except ModuleNotFoundError:
            return "not installed"
        except Exception as error:  # a broken installation is reported, never dropped
            return f"does not import: {first_line(error)}"
        return ""

    def fits(self, data: object) -> bool:
        """Whether this way of answering is meant for such data; where it is not, it is left out of the table."""
        return True

    def prepare(self, data: object) -> None:
        raise NotImplementedError

    def run(self) -> None:
        raise NotImplementedError

    def result(self) -> object:
        raise NotImplementedError

    def answer(self, *parts: Any) -> Any:
        """The question's ``Answer`` of these parts. Its file is imported only here, when the clock has stopped."""
        return importlib.import_module(f"benchmarks.questions.{self.question}").Answer(*parts)

    def meters(self) -> dict[str, float]:
        """What it knows about its last run beside its seconds; the least of the repeats counts."""
        return {}


class Estimator(Competitor):
    """Whose work is ``fit``: ``prepare`` leaves a ``model``, ``X`` and ``y``."""

    model: Any
    X: Any
    y: Any

    def run(self) -> None:
        self.model.fit(self.X, self.y)


class ImportTime(Competitor):
    """Its work is to be imported, after NumPy."""

    question = "import_time"

    def prepare(self, data: None) -> None:
        importlib.import_module("numpy")

    def run(self) -> None:
        importlib.import_module(self.imported)

    def result(self) -> bool:
        return self.imported in sys.modules

    @property
    def imported(self) -> str:
        return self.module or self.package


def first_line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200]


class OneThread:
    """Beside a competitor: it runs with the pools of BLAS and OpenMP at one thread."""

    def run(self) -> None:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):
            super().run()  # type: ignore[misc]


def peak_rss() -> float:
    """Peak resident memory of this process in MB since it started (or since ``reset_peak``).

    Linux keeps it per address space as VmHWM; ru_maxrss would not do there, because a child inherits its parent's.
    """
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    except (OSError, StopIteration):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / 1024**2 if sys.platform == "darwin" else peak / 1024


def reset_peak() -> bool:
    """Makes ``peak_rss`` start again from what is resident now; False where the system cannot."""
    try:
        with open("/proc/self/clear_refs", "w") as refs:
            refs.write("5")
    except OSError:
        return False
    return True
