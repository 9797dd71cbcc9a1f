"""SPAMS, with signals and atoms in columns as it wants them."""

import numpy as np

from benchmarks.competitor import Competitor


class Omp(Competitor):
    question, name, package, module = "omp", "SPAMS omp", "spams-bin", "spams"

    def prepare(self, data):
        import spams

        self.spams, self.n_nonzero = spams, data.n_nonzero
        self.X, self.D = np.asfortranarray(data.X.T), np.asfortranarray(data.D.T)

    def run(self):
        self.found = self.spams.omp(self.X, self.D, L=self.n_nonzero, numThreads=self.threads)

    def result(self):
        from scipy.sparse import csr_array

        return csr_array(self.found.T)
