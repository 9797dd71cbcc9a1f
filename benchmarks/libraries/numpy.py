"""What one writes by hand in NumPy, and the products that nobody can go below."""

import numpy as np

from benchmarks.competitor import YARDSTICK, Competitor

PRODUCT = "NumPy X.T @ X"
PURSUIT_PRODUCTS = "NumPy A x and Aᵀ r of each iteration"
PURSUIT_SOLVES = "SciPy least squares on the supports"
PASSES = "passes of X.T @ r and a Gram"


class GramCentred(Competitor):
    """Centre a copy, multiply."""

    question, name, package = "gram", "NumPy (X − m).T @ (X − m)", "numpy"

    def prepare(self, data):
        self.X = data

    def run(self):
        C = self.X - self.X.mean(axis=0)
        self.S = C.T @ C

    def result(self):
        return self.S


class GramCov(Competitor):
    """numpy.cov, which also centres a copy."""

    question, name, package = "gram", "numpy.cov", "numpy"

    def prepare(self, data):
        self.X = data

    def run(self):
        self.C = np.cov(self.X, rowvar=False, bias=True)

    def result(self):
        return len(self.X) * self.C


class GramProduct(Competitor):
    """Not centred: the least anybody can do."""

    question, name, package, role = "gram", PRODUCT, "numpy", YARDSTICK

    def prepare(self, data):
        self.X = data

    def run(self):
        self.G = self.X.T @ self.X

    def result(self):
        return self.G


class LassoProduct(GramProduct):
    """What the Gram strategy cannot go below."""

    question = "lasso"

    def fits(self, data):
        n, p = data.X.shape
        return n >= 20 * p

    def prepare(self, data):
        self.X = data.X


class ForwardLinearProduct(GramProduct):
    """The least that any closed form needs."""

    question = "forward_linear"

    def fits(self, data):
        return not data.countable

    def prepare(self, data):
        self.X = data.X


class LassoLargePasses(Competitor):
    """What every alpha needs at least once, the correlations of all columns, and one Gram of the columns in use."""

    question, name, package, role = "lasso_large", PASSES, "numpy", YARDSTICK

    def prepare(self, data):
        self.data = data
        self.r = (data.y - data.y.mean()).astype(data.X.dtype)

    def run(self):
        for _ in self.data.alphas:
            self.data.X.T @ self.r
        C = self.data.X[:, self.data.support]
        self.G = C.T @ C

    def result(self):
        return self.G


class InformationGain(Competitor):
    """For columns of small whole numbers: a bincount per column."""

    question, name, package = "information_gain", "NumPy bincount per column", "numpy"

    def prepare(self, data):
        self.X, self.y = data

    def run(self):
        n_classes = int(self.y.max()) + 1
        self.bits = np.array([self._gain(x, n_classes) for x in self.X.T])

    def _gain(self, x, n_classes):
        joint = np.bincount(x * n_classes + self.y, minlength=n_classes * (int(x.max()) + 1)).reshape(-1, n_classes)
        return self._entropy(joint.sum(axis=0)) + self._entropy(joint.sum(axis=1)) - self._entropy(joint.ravel())

    def _entropy(self, counts):
        share = counts[counts > 0] / len(self.y)
        return -(share * np.log2(share)).sum()

    def result(self):
        return self.bits


class OrthogonalDictionary(Competitor):
    """The products X Dᵀ and ZᵀX of an iteration, Z dense, and the decomposition of the second."""

    question, name, package, role = "orthogonal_dictionary", "NumPy's products and SVD", "numpy", YARDSTICK

    def prepare(self, data):
        self.X, self.D, self.sweeps = data.X, data.D, data.sweeps

    def run(self):
        for _ in range(self.sweeps):
            Q = self.X @ self.D.T
            np.linalg.svd(Q.T @ self.X)

    def result(self):
        return None


class PursuitProducts(Competitor):
    """A x and Aᵀ r, as often as our pursuits iterate."""

    question, name, package, role = "pursuits", PURSUIT_PRODUCTS, "numpy", YARDSTICK

    def prepare(self, data):
        self.work = list(zip(data.matrices, data.codes, data.Y, data.iterations(), strict=True))

    def run(self):
        for A, x, r, count in self.work:
            for _ in range(count):
                A @ x, A.T @ r

    def result(self):
        return None


class PursuitSolves(PursuitProducts):
    """Least squares on the supports of a pursuit, as often as it iterates: gathered columns, their Gram, Cholesky."""

    name, package = PURSUIT_SOLVES, "scipy"

    def prepare(self, data):
        super().prepare(data)
        self.sizes = data.solved_sizes()

    def run(self):
        from scipy.linalg import cho_factor, cho_solve

        for A, _, y, count in self.work:
            for size in self.sizes * count:
                X = np.asfortranarray(A[:, :size])
                cho_solve(cho_factor(X.T @ X), X.T @ y)


class MessagePassing(Competitor):
    """The iteration written out; at sizes where a run takes seconds."""

    question, name, package = "state_evolution", "NumPy, written out", "numpy"

    def fits(self, data):
        return data.n <= 5_000

    def prepare(self, data):
        from benchmarks.questions.state_evolution import threshold

        self.data, self.theta = data, threshold(data.delta)

    def run(self):
        self.found = self.data.errors(self._amp)

    def _amp(self, A, y, n_iter):
        x, z = np.zeros(A.shape[1]), y
        for _ in range(n_iter):
            t = self.theta * np.linalg.norm(z) / np.sqrt(len(y))
            v = x + A.T @ z
            x = v - np.clip(v, -t, t)
            z = y - A @ x + z * (np.count_nonzero(x) / len(y))
        return x

    def result(self):
        return self.found


class RobustPCAProducts(Competitor):
    """The three products of an iteration of alternating projections at that rank: U s Vᵀ, W V and UᵀW."""

    question, name, package, role = "robust_pca", "NumPy, products of one iteration", "numpy", YARDSTICK

    def prepare(self, data):
        n, p = data.X.shape
        rng = np.random.default_rng(0)
        self.U, self.V = rng.standard_normal((n, data.rank)), rng.standard_normal((p, data.rank))
        self.W = np.empty((n, p))

    def run(self):
        np.matmul(self.U, self.V.T, out=self.W)
        self.found = self.W @ self.V, self.U.T @ self.W

    def result(self):
        return None
