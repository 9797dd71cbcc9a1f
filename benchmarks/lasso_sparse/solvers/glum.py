"""glum, which keeps the whole p × p Hessian."""

from benchmarks.lasso.solvers import glum

MOST = 8 * 10**9  # bytes


class Solver(glum.Solver):
    def fits(self, data):
        self.hessian = 8 * data.X.shape[1] ** 2
        return True

    def available(self):
        if self.hessian > MOST:
            return f"needs a dense matrix of {self.hessian / 1e9:.0f} GB"
        return super().available()

    def prepare(self, data):
        from glum import GeneralizedLinearRegressor
        from scipy.sparse import csc_matrix

        self.X, self.y = csc_matrix(data.X), data.y
        self.model = GeneralizedLinearRegressor(
            family="gaussian", l1_ratio=1.0, alpha=list(data.alphas), alpha_search=True, gradient_tol=self.tol
        )
