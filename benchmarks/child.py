"""One run of one competitor in an interpreter of its own: ``python -m benchmarks.child MODULE CLASS DATA OUT``.

Only this module, the library's file and the light base class are imported before ``prepare``.
"""

import importlib
import pickle
import sys
import time

from benchmarks.competitor import peak_rss, reset_peak


def main() -> None:
    module, name, data_file, out_file = sys.argv[1:]
    with open(data_file, "rb") as file:
        data, threads, tol = pickle.load(file)
    competitor = getattr(importlib.import_module(module), name)()
    competitor.threads, competitor.tol = threads, tol
    competitor.prepare(data)
    so_far = peak_rss()
    reset_peak()
    before = peak_rss()
    start = time.perf_counter()
    competitor.run()
    seconds = time.perf_counter() - start
    during = peak_rss()
    measured = {
        "seconds": seconds,
        "peak": max(so_far, during),
        "above": during - before,
        "result": competitor.result(),
    }
    with open(out_file, "wb") as file:
        pickle.dump(measured, file)


if __name__ == "__main__":
    main()
