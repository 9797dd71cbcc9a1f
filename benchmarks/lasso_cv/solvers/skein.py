"""skein-glm's own cross-validation, folds in threads."""

from benchmarks.competitor import Competitor
from benchmarks.lasso_cv.objective import Chosen
from benchmarks.path import LADDER


class Solver(Competitor):
    name, package, module = "skein-glm ElasticNetPathCV", "skein-glm", "skein_glm"
    tolerances = LADDER[1:]
    apart = True

    def prepare(self, data):
        import numpy as np
        from skein_glm import ElasticNetPathCV
        from sklearn.model_selection import PredefinedSplit

        self.X, self.y = np.ascontiguousarray(data.X), data.y
        self.model = ElasticNetPathCV(
            alpha=1.0,
            lambdas=data.alphas,
            cv=PredefinedSplit(data.fold),
            n_jobs=self.threads,
            tol=self.tol,
            max_iter=10**6,
        )

    def run(self):
        self.model.fit(self.X, self.y)

    def result(self):
        m = self.model
        return Chosen(m.cv_mean_scores_, m.lambda_best_, m.coef_, m.intercept_)
