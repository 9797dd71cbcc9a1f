"""SPAMS, with signals and atoms in columns as it wants them."""

import numpy as np

from benchmarks.competitor import YARDSTICK, Competitor


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


class BasisPursuit(Competitor):
    """Its path of the lasso, down to λ = 1e-7: the code there is right to about that, so it is shown unjudged."""

    question, name, package, module = "basis_pursuit", "SPAMS lasso, λ = 1e-7", "spams-bin", "spams"
    role = YARDSTICK

    def fits(self, data):
        return data.A is not None

    def prepare(self, data):
        import spams

        self.spams, self.A = spams, np.asfortranarray(data.A)
        self.Y = [np.asfortranarray(y[:, None]) for y in data.Y]

    def run(self):
        self.found = [self.spams.lasso(y, self.A, lambda1=1e-7, mode=2, numThreads=self.threads) for y in self.Y]

    def result(self):
        return np.array([found.toarray().ravel() for found in self.found])


class OmpOne(Competitor):
    question, name, package, module = "omp_one", "SPAMS omp", "spams-bin", "spams"

    def prepare(self, data):
        import spams

        self.spams, self.n_nonzero = spams, data.n_nonzero
        self.A, self.y = np.asfortranarray(data.A), np.asfortranarray(data.y[:, None])

    def run(self):
        self.found = self.spams.omp(self.y, self.A, L=self.n_nonzero, numThreads=self.threads)

    def result(self):
        return self.found.toarray().ravel()


class Bpdn(Competitor):
    """Its homotopy: exact."""

    question, name, package, module = "bpdn", "SPAMS lasso", "spams-bin", "spams"

    def fits(self, data):
        return data.A is not None

    def prepare(self, data):
        import spams

        self.spams, self.lam = spams, data.lam
        self.A, self.y = np.asfortranarray(data.A), np.asfortranarray(data.y[:, None])

    def run(self):
        self.found = self.spams.lasso(self.y, self.A, lambda1=self.lam, mode=2, numThreads=self.threads)

    def result(self):
        return self.found.toarray().ravel()


class BpdnFista(Bpdn):
    name = "SPAMS fistaFlat"
    tolerances = (1e-4, 1e-6, 1e-8, 1e-10)

    def run(self):
        self.found = self.spams.fistaFlat(
            self.y, self.A, np.zeros((self.A.shape[1], 1), order="F"), loss="square", regul="l1", lambda1=self.lam,
            max_it=5000, tol=self.tol, numThreads=self.threads, verbose=False,
        )  # fmt: skip

    def result(self):
        return np.asarray(self.found).ravel()


class PhaseLine(Competitor):
    """Its path of the lasso, down to λ = 1e-7, of the same random problems."""

    question, name, package, module = "phase_line", "SPAMS lasso, λ = 1e-7", "spams-bin", "spams"

    def prepare(self, data):
        import spams

        self.spams, self.data = spams, data

    def run(self):
        self.found = self.data.line(self._recover)

    def _recover(self, A, y):
        A, y = np.asfortranarray(A), np.asfortranarray(y[:, None])
        return self.spams.lasso(y, A, lambda1=1e-7, mode=2, numThreads=self.threads).toarray().ravel()

    def result(self):
        return self.found


class LassoCodes(Omp):
    question, name = "lasso_codes", "SPAMS lasso"

    def prepare(self, data):
        import spams

        self.spams, self.alpha = spams, data.alpha
        self.X, self.D = np.asfortranarray(data.X.T), np.asfortranarray(data.D.T)

    def run(self):
        self.found = self.spams.lasso(self.X, self.D, lambda1=self.alpha, mode=2, numThreads=self.threads)


class OnlineDictionary(Competitor):
    question, name, package, module = "online_dictionary", "SPAMS trainDL", "spams-bin", "spams"

    def prepare(self, data):
        import spams

        self.spams, self.data = spams, data
        self.X, self.D = np.asfortranarray(data.X.T), np.asfortranarray(data.D.T)

    def run(self):
        self.found = self.spams.trainDL(
            self.X, D=self.D, lambda1=self.data.alpha, iter=-self.data.seconds, batchsize=512,
            numThreads=self.threads, verbose=False,
        )  # fmt: skip

    def result(self):
        return np.asarray(self.found).T
