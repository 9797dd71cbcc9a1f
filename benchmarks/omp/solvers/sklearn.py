"""scikit-learn's OMP on a Gram matrix."""

from benchmarks.competitor import Competitor


class Solver(Competitor):
    name, package, module = "scikit-learn orthogonal_mp_gram", "scikit-learn", "sklearn.linear_model"

    def prepare(self, data):
        from sklearn.linear_model import orthogonal_mp_gram

        self.code, self.data = orthogonal_mp_gram, data

    def run(self):
        X, D = self.data.X, self.data.D
        self.found = self.code(D @ D.T, D @ X.T, n_nonzero_coefs=self.data.n_nonzero)

    def result(self):
        from scipy.sparse import csr_array

        return csr_array(self.found.T)
