"""Recoveries of sparse codes."""

import numpy as np

from benchmarks.competitor import OURS, Competitor


class _Ours(Competitor):
    name, role, package, module = "tamis", OURS, "tamis", "tamis.sensing"

    def operator(self, data):
        """The matrix, or rows of the cosine transform."""
        from tamis.operators import DCT, Restriction

        return data.A if data.A is not None else Restriction(data.n, data.rows) @ DCT(data.n)

    def result(self):
        return self.found.code


class BasisPursuit(_Ours):
    question = "basis_pursuit"

    def prepare(self, data):
        from tamis.sensing import basis_pursuit

        self.A, self.recover, self.Y = self.operator(data), basis_pursuit, data.Y

    def run(self):
        self.found = [self.recover(self.A, y) for y in self.Y]

    def result(self):
        return np.array([found.code for found in self.found])


class MessagePassing(_Ours):
    """Approximate message passing, to the residual that the judge's error asks for."""

    question, name = "basis_pursuit", "tamis amp"

    def fits(self, data):
        return data.A is None

    def prepare(self, data):
        from tamis.sensing import amp

        self.A, self.recover, self.y = self.operator(data), amp, data.Y[0]

    def run(self):
        self.found = self.recover(self.A, self.y)

    def result(self):
        return self.found.code[None]


class Bpdn(_Ours):
    question = "bpdn"

    def prepare(self, data):
        from tamis.sensing import bpdn

        self.A, self.recover, self.data = self.operator(data), bpdn, data

    def run(self):
        self.found = self.recover(self.A, self.data.y, alpha=self.data.lam / len(self.data.y))


class OmpOne(_Ours):
    question = "omp_one"

    def prepare(self, data):
        from tamis.sensing import omp

        self.omp, self.data = omp, data

    def run(self):
        self.found = self.omp(self.data.A, self.data.y, n_nonzero=self.data.n_nonzero)


class Pursuits(_Ours):
    question = "pursuits"

    def prepare(self, data):
        from tamis.sensing import RECOVERIES

        self.function, self.data = RECOVERIES[data.method].function, data

    def run(self):
        problems = zip(self.data.matrices, self.data.Y, strict=True)
        self.found = [self.function(A, y, n_nonzero=self.data.n_nonzero) for A, y in problems]

    def result(self):
        return self.answer(np.array([f.code for f in self.found]), max(f.n_iter for f in self.found))


class StateEvolution(_Ours):
    question = "state_evolution"

    def prepare(self, data):
        from tamis.sensing import amp

        self.amp, self.data = amp, data

    def run(self):
        self.found = self.data.errors(lambda A, y, t: self.amp(A, y, max_iter=t, tol=1e-12).code)

    def result(self):
        return self.found


class Phases(_Ours):
    question = "phase_line"

    def prepare(self, data):
        from tamis.sensing import phase_transition

        self.measure, self.data = phase_transition, data

    def run(self):
        d = self.data
        self.found = [
            self.measure(d.n, [delta], rho, n_trials=d.n_trials, random_state=0, n_jobs=self.threads).line[0]
            for delta, rho in zip(d.deltas, d.rhos, strict=True)
        ]

    def result(self):
        return np.array(self.found)
