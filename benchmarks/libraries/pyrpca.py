"""pyrpca: robust PCA by the inexact augmented Lagrangian method, a full singular value decomposition in each step."""

from benchmarks.competitor import LADDER, Competitor


class _Ialm(Competitor):
    name, package = "pyrpca", "pyrpca"
    apart = True

    def split(self, X):
        from pyrpca import rpca_pcp_ialm

        return rpca_pcp_ialm(X, max(X.shape) ** -0.5, tol=1e-7 if self.tol is None else self.tol, verbose=False)


class RobustPCA(_Ialm):
    question = "robust_pca"
    tolerances = LADDER[3:]

    def fits(self, data):
        return len(data.X) <= 2000  # beyond, one step takes longer than the whole question may

    def prepare(self, data):
        import pyrpca

        self.X, self.module_ = data.X, pyrpca

    def run(self):
        self.L = self.split(self.X)[0]

    def result(self):
        return self.L


class GraphRobustPCA(_Ialm):
    question = "graph_robust_pca"

    def prepare(self, data):
        self.data = data

    def run(self):
        self.found = [self.split(X)[0] for X in self.data.X]

    def result(self):
        return self.found


class Video(_Ialm):
    """Pixels whose sparse part is beyond a twentieth of white."""

    question = "video"
    tolerances = (1e-3,)

    def fits(self, data):
        return not data.online

    def prepare(self, data):
        self.data = data

    def run(self):
        self.S = self.split(self.data.X)[1]

    def result(self):
        return abs(self.S) > 0.05
