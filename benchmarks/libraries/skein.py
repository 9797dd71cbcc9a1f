"""skein-glm's paths. It cannot be stopped from within, so it runs apart."""

import numpy as np

from benchmarks.competitor import LADDER, Estimator


class Skein(Estimator):
    """Arrays in C order: it copies any other."""

    name, package, module = "skein-glm", "skein-glm", "skein_glm"
    tolerances = LADDER[1:]
    apart = True

    def prepare(self, data):
        self.X, self.y = self.layout(data.X), data.y
        self.options = {"lambdas": data.alphas, "tol": self.tol, "max_iter": 10**6}

    def layout(self, X):
        return np.ascontiguousarray(X)

    def result(self):
        return self.model.coefs_, self.model.intercepts_


class Lasso(Skein):
    """The elastic-net path at its lasso end."""

    question = "lasso"

    def prepare(self, data):
        from skein_glm import ElasticNetPathRegressor

        super().prepare(data)
        self.model = ElasticNetPathRegressor(alpha=1.0, **self.options)


class LassoCV(Skein):
    """Its own cross-validation, folds in threads."""

    question, name = "lasso_cv", "skein-glm ElasticNetPathCV"

    def prepare(self, data):
        from skein_glm import ElasticNetPathCV
        from sklearn.model_selection import PredefinedSplit

        super().prepare(data)
        self.model = ElasticNetPathCV(alpha=1.0, cv=PredefinedSplit(data.fold), n_jobs=self.threads, **self.options)

    def result(self):
        m = self.model
        return self.answer(m.cv_mean_scores_, m.lambda_best_, m.coef_, m.intercept_)


class LassoSparse(Lasso):
    question = "lasso_sparse"

    def layout(self, X):
        from scipy.sparse import csc_matrix

        return csc_matrix(X)


class Logistic(Skein):
    question = "logistic"

    def prepare(self, data):
        from skein_glm import LogisticLassoPathRegressor

        super().prepare(data)
        self.y = (data.y + 1) / 2
        self.model = LogisticLassoPathRegressor(**self.options)


class Multinomial(Skein):
    """It penalises the classes of a column together."""

    question = "multinomial"

    def fits(self, data):
        return data.rows

    def prepare(self, data):
        from skein_glm import MultinomialLassoPathClassifier

        super().prepare(data)
        self.y = data.labels
        self.options["lambdas"] = data.alphas / data.y.shape[1]  # its loss is divided by the number of classes
        self.model = MultinomialLassoPathClassifier(outer_tol=self.tol, max_outer=10**4, **self.options)


class GroupLasso(Skein):
    question = "group_lasso"

    def prepare(self, data):
        from skein_glm import GroupLassoPathRegressor, SparseGroupLassoPathRegressor

        super().prepare(data)
        self.options["weights"] = np.full(data.X.shape[1] // data.penalty.size, np.sqrt(data.penalty.size))
        if data.sparse:
            self.model = SparseGroupLassoPathRegressor(data.labels, data.penalty.l1_ratio, **self.options)
        else:
            self.model = GroupLassoPathRegressor(data.labels, **self.options)


class Poisson(Skein):
    question = "poisson"

    def prepare(self, data):
        from skein_glm import PoissonLassoPathRegressor

        super().prepare(data)
        self.model = PoissonLassoPathRegressor(**self.options)


class Concave(Skein):
    question = "concave"

    def prepare(self, data):
        from skein_glm import MCPPathRegressor, SCADPathRegressor

        super().prepare(data)
        kind = MCPPathRegressor if data.penalty == "mcp" else SCADPathRegressor
        self.model = kind(data.gamma, **self.options)
