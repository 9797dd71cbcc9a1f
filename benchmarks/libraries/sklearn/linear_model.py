"""scikit-learn's linear models, and what a patient user builds from their parts."""

import numpy as np

from benchmarks.by_hand import CentredPath
from benchmarks.competitor import LADDER, YARDSTICK, Competitor, Estimator


class Path(Competitor):
    """``lasso_path`` on arrays in Fortran order."""

    package, module = "scikit-learn", "sklearn.linear_model"
    tolerances = LADDER

    def prepare(self, data):
        from sklearn.linear_model import lasso_path

        self.path, self.X, self.y, self.alphas = lasso_path, self.layout(data.X), data.y, data.alphas

    def layout(self, X):
        return np.asfortranarray(X)

    def lasso_path(self, X, y, **options):
        """Coefficients (p, m)."""
        return self.path(X, y, alphas=self.alphas, tol=self.tol, max_iter=10**6, **options)[1]


class LassoAuto(Path, CentredPath):
    """On a centred copy, left to decide for itself."""

    question, name = "lasso", "scikit-learn, precompute='auto'"
    precompute = "auto"

    def coefs(self, X, y):
        return self.lasso_path(X, y, precompute=self.precompute, copy_X=False)


class LassoGram(Path):
    """On a Gram matrix centred by algebra, G − n m mᵀ.

    It spares the copy of X, at the price of cancellation when means are large.
    """

    question, name = "lasso", "scikit-learn, Gram centred by hand"

    def fits(self, data):
        return data.X.shape[1] <= 2_000  # its whole Gram

    def run(self):
        n = len(self.y)
        m, mean = self.X.mean(axis=0), self.y.mean()
        G = self.X.T @ self.X - n * np.outer(m, m)
        q = self.X.T @ self.y - n * mean * m
        # check_input=False: scikit-learn would refuse a Gram matrix that is not that of X itself.
        coefs = self.lasso_path(self.X, self.y - mean, precompute=G, Xy=q, copy_X=False, check_input=False)
        self.found = coefs.T, mean - m @ coefs

    def result(self):
        return self.found


class LassoPrecompute(LassoAuto):
    """On a centred copy, with its Gram matrix precomputed by scikit-learn."""

    name = "scikit-learn, precompute=True"
    precompute = True

    def fits(self, data):
        return data.X.shape[1] <= 2_000  # its whole Gram


class LassoSparse(Path):
    """Told the means that it must not subtract from the stored entries."""

    question, name = "lasso_sparse", "scikit-learn"
    tolerances = LADDER[1:]

    def layout(self, X):
        return X

    def run(self):
        m, mean = self.X.mean(axis=0), self.y.mean()
        coefs = self.lasso_path(self.X, self.y - mean, precompute=False, X_offset=m, X_scale=np.ones_like(m))
        self.found = coefs.T, mean - m @ coefs

    def result(self):
        return self.found


class LassoCV(Estimator):
    """Folds in threads."""

    question, name = "lasso_cv", "scikit-learn LassoCV, n_jobs"
    package, module = "scikit-learn", "sklearn.linear_model"
    tolerances = LADDER[1:]

    def jobs(self):
        return self.threads

    def prepare(self, data):
        from sklearn.linear_model import LassoCV

        self.X, self.y = np.asfortranarray(data.X), data.y
        self.model = LassoCV(alphas=data.alphas, cv=data.splits(), tol=self.tol, max_iter=10**6, n_jobs=self.jobs())

    def result(self):
        m = self.model
        return self.answer(m.mse_path_.mean(axis=1), m.alpha_, m.coef_, m.intercept_)


class LassoCVFoldGrams(Competitor):
    """The Gram of each fold, subtracted from the whole one, and scikit-learn's path on the differences."""

    question, name, role = "lasso_cv", "Gram of each fold by hand", YARDSTICK
    package, module = "scikit-learn", "sklearn.linear_model"

    def fits(self, data):
        n, p = data.X.shape
        return n > p

    def prepare(self, data):
        from sklearn.linear_model import lasso_path

        self.data, self.path = data, lasso_path
        self.A = np.asfortranarray(np.column_stack([np.ones(len(data.y)), data.X, data.y]))

    def run(self):
        parts = [self.A[out].T @ self.A[out] for _, out in self.data.splits()]
        whole = sum(parts)
        self.found = [self._path(whole - part) for part in parts], self._path(whole)

    def _path(self, M):
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


class LassoCVSerial(LassoCV):
    """Fold after fold, all threads in BLAS."""

    name = "scikit-learn LassoCV"

    def jobs(self):
        return 1


class LogisticLiblinear(Competitor):
    """No warm start, and a penalised intercept that hardly counts as a column of 10⁵. Arrays in C order."""

    question, name = "logistic", "scikit-learn, liblinear"
    package, module = "scikit-learn", "sklearn.linear_model"
    tolerances = LADDER[1:]
    options = {"solver": "liblinear", "intercept_scaling": 1e5}  # noqa: RUF012

    def prepare(self, data):
        from sklearn.linear_model import LogisticRegression

        self.X, self.y, self.alphas = np.ascontiguousarray(data.X), data.y, data.alphas
        shared = {"tol": self.tol, "max_iter": 10**5, "warm_start": True, "random_state": 0}
        self.model = LogisticRegression(l1_ratio=1.0, **shared, **self.options)

    def run(self):
        self.coefs, self.intercepts = [], []
        for alpha in self.alphas:
            self.model.set_params(C=1 / (len(self.y) * alpha)).fit(self.X, self.y)
            self.coefs.append(self.model.coef_.copy())
            self.intercepts.append(self.model.intercept_.copy())

    def result(self):
        return np.array(self.coefs)[:, 0], np.array(self.intercepts)[:, 0]


class LogisticSaga(LogisticLiblinear):
    """From alpha to alpha, each started where the last ended."""

    name = "scikit-learn, saga"
    options = {"solver": "saga"}  # noqa: RUF012


class Multinomial(LogisticSaga):
    question = "multinomial"

    def fits(self, data):
        return not data.rows

    def prepare(self, data):
        super().prepare(data)
        self.y = data.labels

    def result(self):
        return np.array(self.coefs), np.array(self.intercepts)


class Omp(Competitor):
    """On a Gram matrix."""

    question, name = "omp", "scikit-learn orthogonal_mp_gram"
    package, module = "scikit-learn", "sklearn.linear_model"

    def prepare(self, data):
        from sklearn.linear_model import orthogonal_mp_gram

        self.code, self.data = orthogonal_mp_gram, data

    def run(self):
        X, D = self.data.X, self.data.D
        self.found = self.code(D @ D.T, D @ X.T, n_nonzero_coefs=self.data.n_nonzero)

    def result(self):
        from scipy.sparse import csr_array

        return csr_array(self.found.T)


class OmpOne(Competitor):
    question, name = "omp_one", "scikit-learn orthogonal_mp"
    package, module = "scikit-learn", "sklearn.linear_model"

    def prepare(self, data):
        from sklearn.linear_model import orthogonal_mp

        self.code, self.data = orthogonal_mp, data

    def run(self):
        self.found = self.code(self.data.A, self.data.y, n_nonzero_coefs=self.data.n_nonzero)

    def result(self):
        return self.found


class Liblinear(Estimator):
    """liblinear's coordinate descent in the primal."""

    question, name = "sparse_svm", "liblinear (scikit-learn LinearSVC)"
    package, module = "scikit-learn", "sklearn.svm"
    tolerances = LADDER

    def prepare(self, data):
        from sklearn.svm import LinearSVC

        self.X, self.y = data.X, data.y
        options = {"penalty": "l1", "dual": False, "fit_intercept": False, "max_iter": 10**6}
        self.model = LinearSVC(C=data.C, tol=self.tol, random_state=0, **options)

    def result(self):
        return self.model.coef_, np.zeros(1)


class QuantileLasso(Estimator):
    """A linear program, by HiGHS."""

    question, name = "quantile", "scikit-learn QuantileRegressor (HiGHS)"
    package, module = "scikit-learn", "sklearn.linear_model"

    def prepare(self, data):
        from sklearn.linear_model import QuantileRegressor

        self.X, self.y = data.X, data.y
        self.model = QuantileRegressor(quantile=data.tau, alpha=data.alpha, solver="highs")

    def result(self):
        return self.model.coef_, self.model.intercept_


class Bpdn(Competitor):
    question, name = "bpdn", "scikit-learn Lasso"
    package, module = "scikit-learn", "sklearn.linear_model"
    tolerances = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)

    def fits(self, data):
        return data.A is not None

    def prepare(self, data):
        from sklearn.linear_model import Lasso

        self.A, self.y = np.asfortranarray(data.A), data.y
        self.model = Lasso(alpha=data.lam / len(data.y), fit_intercept=False, tol=self.tol, max_iter=100_000)

    def run(self):
        self.model.fit(self.A, self.y)

    def result(self):
        return self.model.coef_
