"""glmnet's Fortran through python-glmnet, which takes rows first and turns them to columns itself."""

from benchmarks.competitor import Competitor
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "python-glmnet", "python-glmnet", "glmnet"
    tolerances = LADDER[1:]

    def prepare(self, data):
        from glmnet import ElasticNet
        from scipy.sparse import csr_matrix

        self.X, self.y = csr_matrix(data.X), data.y
        self.model = ElasticNet(
            alpha=1, lambda_path=data.alphas, standardize=False, n_splits=0, tol=self.tol, max_iter=10**7
        )

    def run(self):
        self.model.fit(self.X, self.y)

    def result(self):
        return self.model.coef_path_.T, self.model.intercept_path_
