"""What a wrapper adds to the work of the learner it wraps, measured within one run of one process with one thread.

Two runs differ by what else the machine does, often by more than a wrapper adds. So the learner itself counts the
processor time it takes, in the same run as the wrapper around it. A loop as one writes it down is counted alike: it
also has to clone the learner and to pick rows and columns.
"""

import functools
import time
from typing import Any

from benchmarks.competitor import Competitor

OWN, CPU = "own", "cpu"
COLUMNS = {CPU: "CPU seconds", OWN: "CPU outside / inside the learner"}


class Clock:
    """Processor time spent in the learner's own methods since the last start."""

    seconds = 0.0
    running = False

    @classmethod
    def start(cls) -> None:
        cls.seconds, cls.running = 0.0, False

    @classmethod
    def counted(cls, method: Any) -> Any:
        """The method, counted; what it calls of the learner's own is counted with it, once."""

        @functools.wraps(method)
        def counting(*args: Any, **kwargs: Any) -> Any:
            if cls.running:
                return method(*args, **kwargs)
            cls.running, began = True, time.process_time()
            try:
                return method(*args, **kwargs)
            finally:
                cls.seconds += time.process_time() - began
                cls.running = False

        return counting


def counting(kind: type) -> type:
    """The learner's class with its fits, predictions and scores counted."""
    methods = {name: Clock.counted(getattr(kind, name)) for name in ("fit", "predict", "score")}
    return type(kind.__name__, (kind,), methods)


class SingleThread(Competitor):
    """A mixin: the ``run`` of the class beside it in one thread, with the learner's processor time counted."""

    def run(self) -> None:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):
            Clock.start()
            began = time.process_time()
            super().run()
            self.cpu, self.inside = time.process_time() - began, Clock.seconds

    def meters(self) -> dict[str, float]:
        return {CPU: self.cpu, OWN: self.cpu / self.inside - 1}
