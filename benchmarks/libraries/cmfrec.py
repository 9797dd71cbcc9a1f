"""cmfrec: factorisations by alternating least squares, in C with threads."""

from benchmarks.competitor import Competitor


class _Factors(Competitor):
    package, name = "cmfrec", "cmfrec"

    def model_of(self, rank, **options):
        from cmfrec import CMF

        plain = {"user_bias": False, "item_bias": False, "center": False, "use_cg": False, "finalize_chol": False}
        return CMF(k=rank, **(plain | {"lambda_": 1e-8, "nthreads": self.threads, "verbose": False} | options))


class Completion(_Factors):
    """``tol`` is the number of rounds."""

    question = "completion"
    tolerances = (10.0, 20.0, 40.0, 80.0)

    def prepare(self, data):
        from scipy.sparse import coo_matrix

        self.shape = data.M.shape
        self.X = coo_matrix((data.values, (data.rows, data.columns)), shape=self.shape)
        if data.rank is not None:
            self.model = self.model_of(data.rank, niter=int(self.tol))
        else:
            from cmfrec import CMF

            self.model = CMF(niter=int(self.tol), nthreads=self.threads, verbose=False)

    def run(self):
        self.model.fit(self.X)

    def result(self):
        model = self.model
        found = model.A_ @ model.B_.T + model.glob_mean_
        found = found + (model.user_bias_[:, None] if model.user_bias_.size else 0)
        return found + (model.item_bias_ if model.item_bias_.size else 0)


class CompletionLarge(_Factors):
    """``tol`` is the number of rounds."""

    question = "completion_large"
    tolerances = (4.0, 8.0)
    apart = True

    def prepare(self, data):
        import numpy as np
        from scipy.sparse import coo_matrix

        self.data = data
        self.X = coo_matrix((data.values, (data.rows, data.columns)), shape=data.shape)
        options = {"use_float": True, "precompute_for_predictions": False, "random_state": 0}
        self.model = self.model_of(data.rank, niter=int(self.tol), lambda_=np.float32(0.01), **options)

    def run(self):
        self.model.fit(self.X)

    def result(self):
        import numpy as np

        rows, columns = self.data.at
        A, B = np.asarray(self.model.A_, float), np.asarray(self.model.B_, float)
        return self.answer(np.einsum("ek,ek->e", A[rows], B[columns]), None, None)
