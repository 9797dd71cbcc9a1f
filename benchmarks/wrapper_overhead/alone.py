"""One process and one thread for everybody: what is compared is the work around the fits, not who waits for whom."""

from __future__ import annotations

from threadpoolctl import threadpool_limits

from benchmarks.competitor import Competitor


class Alone(Competitor):
    """``work()`` is what is timed."""

    def run(self):
        with threadpool_limits(1):
            self.work()

    def work(self):
        raise NotImplementedError
