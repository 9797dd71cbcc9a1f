"""One run of one competitor in an interpreter of its own: ``python -m benchmarks.child MODULE DATA OUT``.

Only this module, the competitor's file and the light base class are imported before ``prepare``.
"""

import importlib
import pickle
import sys
import time

from benchmarks.competitor import peak_rss


def main() -> None:
    module, data_file, out_file = sys.argv[1:]
    with open(data_file, "rb") as file:
        data, threads, tol = pickle.load(file)
    solver = importlib.import_module(module).Solver()
    solver.threads, solver.tol = threads, tol
    solver.prepare(data)
    start = time.perf_counter()
    solver.run()
    seconds = time.perf_counter() - start
    peak = peak_rss()
    with open(out_file, "wb") as file:
        pickle.dump({"seconds": seconds, "peak": peak, "result": solver.result()}, file)


if __name__ == "__main__":
    main()
