"""dask-ml: principal components by a tall QR or a random sketch, generalised linear models by dask-glm."""

from benchmarks.competitor import LADDER, Competitor


class PCA(Competitor):
    question, name, package = "pca_dask", "dask-ml PCA, tsqr", "dask-ml"
    solver = "tsqr"

    def prepare(self, data):
        from dask_ml.decomposition import PCA

        self.X, _ = data.on_dask()
        self.model = PCA(data.k, svd_solver=self.solver, iterated_power=7, random_state=0)

    def run(self):
        self.model.fit(self.X)

    def result(self):
        return self.model.components_


class PCARandomised(PCA):
    name, solver = "dask-ml PCA, randomized", "randomized"


class Ridge(Competitor):
    question, name, package = "ridge_dask", "dask-ml LinearRegression, lbfgs", "dask-ml"
    solver = "lbfgs"
    tolerances = LADDER[2:]

    def prepare(self, data):
        from dask_ml.linear_model import LinearRegression

        self.X, self.y = data.on_dask()
        penalty = 1 / (2 * len(data.here) * data.alpha)  # it adds ‖w‖²/(2C) to the sum of squares
        self.model = LinearRegression(
            penalty="l2", C=penalty, solver=self.solver, fit_intercept=False, tol=self.tol, max_iter=1000
        )

    def run(self):
        self.model.fit(self.X, self.y)

    def result(self):
        return self.model.coef_


class RidgeGradient(Ridge):
    name, solver = "dask-ml LinearRegression, gradient descent", "gradient_descent"
