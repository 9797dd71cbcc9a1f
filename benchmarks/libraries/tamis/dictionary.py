"""Dictionaries: codes and atoms."""

import os
import pickle
import subprocess
import sys

from benchmarks.competitor import OURS, YARDSTICK, Competitor

WORKER = """
import pickle, sys
given = pickle.load(sys.stdin.buffer)
from benchmarks.judging.patches import tamis_codes
tamis_codes(*given, 1)
for _ in iter(lambda: print("ready", flush=True) or sys.stdin.buffer.readline(), b""):
    tamis_codes(*given, 1)
"""


class LassoCodes(Competitor):
    question, name, package, role, module = "lasso_codes", "tamis", "tamis", OURS, "tamis.solvers.lasso_codes"

    def prepare(self, data):
        from tamis.solvers.lasso_codes import lasso_codes

        self.code, self.data = lasso_codes, data

    def run(self):
        self.found = self.code(self.data.X, self.data.D, self.data.alpha, n_jobs=self.threads)

    def result(self):
        return self.found.Z


class KSVD(Competitor):
    question, name, package, role, module = "ksvd", "tamis", "tamis", OURS, "tamis.dictionary"

    def prepare(self, data):
        from tamis import KSVD

        self.X = data.X
        self.make = lambda: KSVD(
            len(data.D), data.n_nonzero, init=data.D, max_iter=data.sweeps, tol=0.0, n_jobs=self.threads, random_state=0
        )

    def run(self):
        self.found = self.make().fit(self.X)

    def result(self):
        return self.found.components_


class OnlineDictionary(Competitor):
    question, name, package, role, module = "online_dictionary", "tamis", "tamis", OURS, "tamis.dictionary"
    share = 1.0  # of the epochs

    def prepare(self, data):
        from tamis import OnlineDictionary

        self.X, epochs = data.X, max(1, round(self.share * data.epochs))
        self.make = lambda: OnlineDictionary(
            len(data.D), data.alpha, init=data.D, max_iter=epochs, tol=0.0, n_jobs=self.threads, random_state=0
        )

    def run(self):
        self.found = self.make().fit(self.X)

    def result(self):
        return self.found.components_


class FewEpochs(OnlineDictionary):
    name, share = "tamis, a tenth of the epochs", 0.1


class OrthogonalDictionary(Competitor):
    question, name, package, role, module = "orthogonal_dictionary", "tamis", "tamis", OURS, "tamis.dictionary"

    def prepare(self, data):
        from tamis import OrthogonalDictionary

        self.X = data.X
        self.make = lambda: OrthogonalDictionary(
            data.n_nonzero, init=data.D, max_iter=data.sweeps, tol=0.0, n_jobs=self.threads
        )

    def run(self):
        self.found = self.make().fit(self.X)

    def result(self):
        return self.found.components_


class PlantedDictionary(Competitor):
    question, name, package, role, module = "planted_dictionary", "tamis", "tamis", OURS, "tamis.dictionary"

    def prepare(self, data):
        from tamis import KSVD

        self.rows = data.rows
        self.make = lambda seed: KSVD(50, data.n_nonzero, max_iter=data.sweeps, tol=0.0, random_state=seed)

    def run(self):
        self.found = [self.make(seed).fit(X).components_ for seed, X in enumerate(self.rows)]

    def result(self):
        return self.answer(self.found)


class Denoising(Competitor):
    question, name, package, role, module = "denoising", "tamis", "tamis", OURS, "tamis.dictionary"

    def prepare(self, data):
        from tamis import denoise

        self.denoise, self.data = denoise, data

    def run(self):
        self.found = self.denoise(self.data.noisy, self.data.sigma, n_jobs=self.threads)

    def result(self):
        return self.found


class CodeThreads(Competitor):
    question, name, package, role, module = "code_threads", "tamis", "tamis", OURS, "tamis.dictionary"

    def prepare(self, data):
        from benchmarks.judging.patches import tamis_codes

        self.code, self.data = tamis_codes, data

    def run(self):
        self.found = self.code(self.data.X, self.data.D, self.data.coder, 2)

    def result(self):
        return self.found


class TwoProcesses(Competitor):
    question, name, package, role, module = "code_threads", "two processes", "tamis", YARDSTICK, "tamis.dictionary"

    def prepare(self, data):
        environment = os.environ | {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "TAMIS")}
        self.workers = []
        for half in (slice(None, len(data.X) // 2), slice(len(data.X) // 2, None)):
            worker = subprocess.Popen(
                [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
            )
            pickle.dump((data.X[half], data.D, data.coder), worker.stdin)
            worker.stdin.flush()
            worker.stdout.readline()
            self.workers.append(worker)

    def run(self):
        for worker in self.workers:
            worker.stdin.write(b"go\n")
            worker.stdin.flush()
        for worker in self.workers:
            worker.stdout.readline()

    def __del__(self):
        for worker in getattr(self, "workers", ()):
            worker.stdin.close()
            worker.stdout.close()
            worker.wait()
