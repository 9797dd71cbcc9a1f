"""The Gram of each fold, subtracted from the whole one, and scikit-learn's path on the differences."""

from benchmarks.competitor import YARDSTICK, Competitor


class Solver(Competitor):
    name, package, role = "Gram of each fold by hand", "scikit-learn", YARDSTICK
    module = "sklearn.linear_model"

    def fits(self, data):
        n, p = data.X.shape
        return n > p

    def prepare(self, data):
        import numpy as np
        from sklearn.linear_model import lasso_path

        self.data, self.path = data, lasso_path
        self.A = np.asfortranarray(np.column_stack([np.ones(len(data.y)), data.X, data.y]))

    def run(self):
        parts = [self.A[out].T @ self.A[out] for _, out in self.data.splits()]
        whole = sum(parts)
        self.found = [self._path(whole - part) for part in parts], self._path(whole)

    def _path(self, M):
        import numpy as np

        m, S = M[0, 1:] / M[0, 0], M[1:, 1:] - np.outer(M[0, 1:], M[0, 1:]) / M[0, 0]
        rows = int(M[0, 0])
        # Only the number of rows and the norm of the target are taken from the first two arguments.
        target = np.zeros(rows)
        target[0] = np.sqrt(S[-1, -1])
        _, coefs, _ = self.path(
            np.empty((rows, len(m) - 1), order="F"),
            target,
            alphas=self.data.alphas,
            precompute=S[:-1, :-1].copy(),
            Xy=S[:-1, -1].copy(),
            tol=1e-4,
            max_iter=10**6,
            copy_X=False,
            check_input=False,
        )
        return coefs, m[-1] - m[:-1] @ coefs

    def result(self):
        return self.found
