"""What users write around a library that lacks it: an intercept by centring, cross-validation by a loop over folds."""

from typing import Any

import numpy as np

from benchmarks.competitor import Competitor


class CentredPath(Competitor):
    """A path without intercept, on a centred copy; centring is timed."""

    X: np.ndarray
    y: np.ndarray

    def coefs(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """(p, m) of the centred rows and target."""
        raise NotImplementedError

    def run(self) -> None:
        m, mean = self.X.mean(axis=0), self.y.mean()
        coefs = self.coefs(self.X - m, self.y - mean)
        self.found = coefs.T, mean - m @ coefs

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        return self.found


class LoopOverFolds(Competitor):
    """``path``: the lasso question's competitor, whose memory layout is now prepared inside the clock, fold by fold."""

    question = "lasso_cv"
    path: type[Competitor]

    def fits(self, data: Any) -> bool:
        return self.path().fits(data)

    def prepare(self, data: Any) -> None:
        from benchmarks.questions.lasso_cv import held_out_errors

        self.errors, self.data, self.inner = held_out_errors, data, self.path()
        self.inner.threads, self.inner.tol = self.threads, self.tol
        self.inner.prepare(data)  # imports and compilation are over before the clock starts

    def run(self) -> None:
        errors = np.mean([self.errors(self.data, out, *self._fit(rows)) for rows, out in self.data.splits()], axis=0)
        coefs, intercepts = self._fit(slice(None))
        k = int(errors.argmin())
        self.found = errors, self.data.alphas[k], coefs[k], intercepts[k]

    def _fit(self, rows: Any) -> Any:
        self.inner.prepare(self.data.without(rows))
        self.inner.run()
        return self.inner.result()

    def result(self) -> Any:
        return self.answer(*self.found)


def partial_cosine(n, rows):
    """Some rows of the orthonormal cosine transform as SciPy's LinearOperator, for libraries without one."""
    from scipy.fft import dct, idct
    from scipy.sparse.linalg import LinearOperator

    def adjoint(r):
        whole = np.zeros(n)
        whole[rows] = np.ravel(r)
        return idct(whole, norm="ortho")

    return LinearOperator(
        (len(rows), n), matvec=lambda x: dct(np.ravel(x), norm="ortho")[rows], rmatvec=adjoint, dtype=float
    )
