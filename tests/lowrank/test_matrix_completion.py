"""Matrix completion: planted truth, the nuclear-norm problem against cvxpy, all forms of input, honest scores."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowrank.problems import planted, relative_error
from reference import lowrank as reference
from tamis import InputError, MatrixCompletion
from tamis._kernels import kernels
from tamis.datasets import load_ratings
from tamis.lowrank import required_entries
from tamis.operators import SparsePlusLowRank
from tamis.solvers.nuclear_completion import padded
from tamis.testing import check_operator
from tolerances import AGREE, ROUNDING


def test_a_given_rank_is_found_exactly():
    X, M, known = planted()
    model = MatrixCompletion("factored", rank=2, random_state=0).fit(X)
    assert relative_error(model.completed()[~known], M[~known]) < 1e-6
    assert model.status_ == "converged"


@pytest.mark.parametrize("method", ["svt", "soft_impute", "sdp"])
def test_the_least_nuclear_norm_completes(method):
    if method == "sdp":
        pytest.importorskip("cvxpy")
    X, M, known = planted(40, 30, 1, 0.6)
    given = {"alpha": 0} if method == "soft_impute" else {}
    model = MatrixCompletion(method, random_state=0, **given).fit(X)
    assert relative_error(model.completed()[~known], M[~known]) < 1e-4


@pytest.mark.parametrize("alpha", [0.5, 3.0])
def test_all_convex_methods_agree_with_the_semidefinite_program(alpha):
    pytest.importorskip("cvxpy")
    X, *_ = planted(15, 12, 2, 0.6, noise=0.3)
    exact = MatrixCompletion("sdp", alpha=alpha).fit(X).completed()
    soft = MatrixCompletion("soft_impute", alpha=alpha, tol=1e-8, max_iter=5000).fit(X)
    als = MatrixCompletion("als", alpha=alpha, biases=False, tol=1e-9, max_iter=5000).fit(X)
    np.testing.assert_allclose(soft.completed(), exact, atol=1e-5 * np.abs(exact).max() + 1e-5)
    np.testing.assert_allclose(als.completed(), exact, atol=1e-5 * np.abs(exact).max() + 1e-5)


def test_the_exact_problem_agrees_with_the_semidefinite_program():
    pytest.importorskip("cvxpy")
    X, *_ = planted(12, 10, 3, 0.5)
    exact = MatrixCompletion("sdp").fit(X).completed()
    ours = MatrixCompletion("soft_impute", alpha=0, tol=1e-9, max_iter=20_000).fit(X).completed()
    assert np.linalg.norm(ours, "nuc") == pytest.approx(np.linalg.norm(exact, "nuc"), rel=1e-5)


@pytest.mark.parametrize("biases", [False, True])
def test_the_certificate_holds(biases):
    X, *_ = planted(40, 30, 2, 0.5, noise=0.2)
    model = MatrixCompletion("als", alpha=1.0, biases=biases, tol=1e-8, random_state=0).fit(X)
    certificate = model.certificate_
    assert certificate.relative_gap < 1e-4
    again = certificate.verify(X)
    assert again.primal == pytest.approx(certificate.primal, rel=ROUNDING)
    assert again.gap <= certificate.gap + 1e-7 * certificate.primal
    rough = MatrixCompletion("als", alpha=1.0, biases=biases, tol=1e-1, random_state=0).fit(X).certificate_
    assert rough.dual <= certificate.primal * (1 + ROUNDING) <= rough.primal * (1 + 1e-9)


def test_every_form_of_input_gives_the_same_completion(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    X, *_ = planted(30, 20, 1, 0.6)
    rows, columns = np.nonzero(np.isfinite(X))
    values = X[rows, columns]
    expected = MatrixCompletion(alpha=0.5, random_state=0).fit(X)
    table = pa.table({"u": [f"u{i:02d}" for i in rows], "i": [f"i{j:02d}" for j in columns], "r": values})
    pq.write_table(table, tmp_path / "long.parquet")
    names = ("u", "i", "r")
    forms = {
        "csr": (sp.csr_array((values, (rows, columns)), X.shape), None),
        "coo": (sp.coo_array((values, (rows, columns)), X.shape), None),
        "triplets": ((rows, columns, values), None),
        "arrow": (table, names),
        "pandas": (pytest.importorskip("pandas").DataFrame(X), None),
        "parquet": (tmp_path / "long.parquet", names),
    }
    at = rows[:5], columns[:5]
    for name, (given, cells) in forms.items():
        model = MatrixCompletion(alpha=0.5, random_state=0).fit(given, columns=cells)
        pairs = at if cells is None else ([f"u{i:02d}" for i in at[0]], [f"i{j:02d}" for j in at[1]])
        np.testing.assert_allclose(model.predict(*pairs), expected.predict(*at), atol=1e-3, err_msg=name)


def test_explicit_zeros_are_observed():
    X = sp.csr_array((np.zeros(3), ([0, 1, 2], [0, 1, 1])), (3, 2))
    model = MatrixCompletion(alpha=0.1).fit(X)
    assert model.mean_ == 0
    assert model._observed.nnz == 3


@pytest.mark.parametrize("policy, value", [("mean", 2.0), ("last", 3.0)])
def test_entries_given_twice(policy, value):
    triplets = ([0, 0, 1, 0], [0, 1, 0, 0], [1.0, 5.0, 5.0, 3.0])
    with pytest.raises(InputError, match="more than once"):
        MatrixCompletion(alpha=0.1).fit(triplets)
    model = MatrixCompletion(alpha=0.1, duplicates=policy).fit(triplets)
    assert model._observed[0, 0] == value
    assert model._observed.nnz == 3


@pytest.mark.filterwarnings("ignore:1 rows and 1 columns have fewer")
def test_rows_and_columns_without_entries_are_predicted_by_biases_and_flagged():
    X, *_ = planted(50, 30, 1, 0.6)
    X += np.arange(30)
    X[7], X[:, 4] = np.nan, np.nan
    for method in ("als", "factored", "soft_impute"):
        given = {"rank": 1} if method == "factored" else {"alpha": 0.1}
        model = MatrixCompletion(method, random_state=0, **given).fit(X)
        assert model.unseen_rows_.tolist() == [7]
        assert model.unseen_columns_.tolist() == [4]
        means = np.nanmean(np.delete(X, 4, axis=1), axis=0)
        found = model.predict([7] * 29, np.delete(np.arange(30), 4))
        np.testing.assert_allclose(found, means, atol=1.5)
        assert np.isfinite(model.completed()).all()
        assert np.isfinite(model.transform(X)).all()
        assert np.isfinite(model.standard_error([7, 0], [0, 4])).all()


def test_unknown_names_are_predicted_by_what_is_known():
    rows, columns = np.array(["a", "a", "b", "b", "c"]), np.array(["x", "y", "x", "z", "y"])
    model = MatrixCompletion(alpha=0.1).fit((rows, columns, np.array([1.0, 2.0, 1.5, 4.0, 2.5])))
    with pytest.warns(UserWarning, match="'nobody' not among the rows"):
        found = model.predict(["nobody"], ["z"])
    assert found[0] == pytest.approx(model.mean_ + model.column_bias_[list(model.column_names_).index("z")])
    with pytest.raises(InputError, match="whole numbers from 0 to"):
        MatrixCompletion(alpha=0.1).fit(np.eye(3)).predict([3], [0])


def test_all_entries_observed():
    X = np.random.default_rng(0).standard_normal((30, 20))
    model = MatrixCompletion(random_state=0).fit(X)
    np.testing.assert_array_equal(model.transform(X), X)


@pytest.mark.parametrize("method", ["als", "factored", "soft_impute", "svt"])
def test_constant_data(method):
    X = np.full((20, 15), 4.0)
    X[::2, ::3] = np.nan
    given = {"rank": 1} if method == "factored" else {"alpha": 0.01} if method == "soft_impute" else {}
    completed = MatrixCompletion(method, random_state=0, **given).fit(X).completed()
    np.testing.assert_allclose(completed, 4.0, atol=0.05)


def test_ratings_stay_in_their_range():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((60, 40)) < 0.4, rng.integers(1, 6, (60, 40)).astype(float), np.nan)
    model = MatrixCompletion("factored", rank=8, bounds=(1, 5), tol=1e-2, random_state=0).fit(X)
    free = MatrixCompletion("factored", rank=8, tol=1e-2, random_state=0).fit(X)
    assert free.completed().max() > 5
    for values in (model.completed(), model.transform(X), model.predict([0, 1], [2, 3]), *model.interval([0], [1])):
        assert values.min() >= 1
        assert values.max() <= 5


def test_on_noise_the_score_says_that_there_is_nothing():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((80, 60)) < 0.4, rng.standard_normal((80, 60)), np.nan)
    model = MatrixCompletion(random_state=0).fit(X)
    assert model.score_ > 0.9  # the standard deviation of the entries is 1
    assert model.rank_ <= 5


def test_the_score_is_of_entries_that_chose_nothing():
    inside = []
    for seed in range(8):
        X, M, known = planted(100, 80, 2, 0.3, noise=0.3, seed=seed)
        model = MatrixCompletion("factored", random_state=seed).fit(X)
        noise = 0.3 * np.random.default_rng(99).standard_normal(M.shape)
        true = np.sqrt(((model.completed() - M - noise)[~known] ** 2).mean())
        low, high = model.score_interval_
        inside.append(low <= true <= high)
        assert model.rank_ == 2
    assert np.mean(inside) >= 0.7  # a 95 % interval of the score; the final model has a few entries more


def test_intervals_cover():
    X, M, known = planted(200, 150, 3, 0.3, noise=0.5)
    model = MatrixCompletion("factored", rank=3, random_state=0).fit(X)
    i, j = np.nonzero(~known)
    low, high = model.interval(i, j)
    assert 0.93 <= ((low <= M[i, j]) & (M[i, j] <= high)).mean() <= 0.97
    new = M[i, j] + 0.5 * np.random.default_rng(1).standard_normal(len(i))
    low, high = model.interval(i, j, new=True)
    assert 0.93 <= ((low <= new) & (new <= high)).mean() <= 0.97
    assert model.noise_ == pytest.approx(0.5, rel=0.05)


def test_new_rows_are_filled_from_their_own_entries():
    X, M, known = planted(150, 40, 2, 0.6)
    model = MatrixCompletion("factored", rank=2, random_state=0).fit(X[:100])
    filled = model.transform(X[100:])
    np.testing.assert_array_equal(filled[known[100:]], X[100:][known[100:]])
    assert relative_error(filled, M[100:]) < 1e-6
    as_sparse = sp.csr_array(np.nan_to_num(X[100:]))
    np.testing.assert_allclose(model.transform(as_sparse), filled, atol=1e-9)


def test_recommendations():
    X, M, known = planted(60, 30, 2, 0.5)
    model = MatrixCompletion("factored", rank=2, random_state=0).fit(X)
    columns, values = model.recommend(3, 4)
    best = [j for j in np.argsort(-M[3]) if not known[3, j]][:4]
    assert columns.tolist() == best
    np.testing.assert_allclose(values, M[3, best], atol=1e-4)
    assert model.recommend(3, 1, seen=True).columns[0] == M[3].argmax()


def test_how_many_entries_are_needed():
    assert required_entries(2000, 1500, 10).degrees_of_freedom == 10 * 3490
    known = np.ones((20, 10), bool)
    required_entries(20, 10, 2, known)  # no warning
    known[3, 1:] = False
    with pytest.warns(UserWarning, match="1 rows have fewer than 2"):
        required_entries(20, 10, 2, known)
    with pytest.warns(UserWarning, match="degrees of freedom"):
        MatrixCompletion("factored", rank=3, tol=0.1, random_state=0).fit(planted(12, 10, 3, 0.3)[0])


def test_the_nuclear_norm_does_not_complete_the_book_ratings():
    """12 of 20 entries are fewer than the 14 degrees of freedom of rank 2: another table has a smaller norm."""
    ratings = load_ratings()
    least = MatrixCompletion("soft_impute", alpha=0, tol=1e-9, max_iter=50_000).fit(ratings.data).completed()
    known = np.isfinite(ratings.data)
    np.testing.assert_allclose(least[known], ratings.data[known], atol=1e-6)
    assert np.linalg.norm(least, "nuc") == pytest.approx(16.6, abs=0.05)
    assert np.linalg.norm(ratings.complete, "nuc") == pytest.approx(19.0, abs=0.05)


@pytest.mark.parametrize(
    "model, X, word",
    [
        (MatrixCompletion(), np.array([[1.0, np.inf], [1.0, 2.0]]), "infinity"),
        (MatrixCompletion(), ([0, 1], [0, 1], [1.0, np.inf]), "infinity"),
        (MatrixCompletion(), np.full((3, 3), np.nan), "no observed entry"),
        (MatrixCompletion("factored", rank=7), np.ones((5, 9)), "rank"),
        (MatrixCompletion("svt", alpha=1.0), np.ones((5, 9)), "alpha"),
        (MatrixCompletion("soft_impute", rank=2), np.ones((5, 9)), "rank"),
        (MatrixCompletion("soft_impute", biases=True, alpha=1), np.ones((5, 9)), "biases"),
        (MatrixCompletion(bounds=(5, 1)), np.ones((5, 9)), "bounds"),
        (MatrixCompletion("sdp"), np.ones((300, 200)), "up to 40,000"),
        (MatrixCompletion(), ([0, -1], [0, 1], [1.0, 2.0]), "from 0"),
    ],
)
def test_what_cannot_be_used_is_said(model, X, word):
    with pytest.raises(InputError, match=word):
        model.fit(X)


def test_a_missing_column_of_a_long_table_is_named():
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="no column 'item'"):
        MatrixCompletion().fit(pa.table({"user": [1], "i": [2], "r": [3.0]}), columns=("user", "item", "r"))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("k", [1, 4, 7])
def test_the_kernels_of_rows(dtype, k):
    rng = np.random.default_rng(k)
    X = np.where(rng.random((70, 40)) < 0.3, rng.standard_normal((70, 40)), np.nan).astype(dtype)
    X[3] = np.nan
    V, offset = rng.standard_normal((40, k)), rng.standard_normal(40)
    known = np.isfinite(X)
    indptr = np.append(0, np.cumsum(known.sum(axis=1))).astype(np.int32)
    indices = np.nonzero(known)[1].astype(np.int32)
    ridge, out = np.full(k, 0.3), np.zeros((70, padded(V).shape[1]))
    kernels.solve_rows(indptr, indices, X[known], offset, padded(V), ridge, out, 2)
    expected = reference.solve_rows(X, V, ridge, offset)
    np.testing.assert_allclose(out[:, :k], expected, atol=AGREE)
    products = np.empty(known.sum(), dtype)
    kernels.observed_products(indptr, indices, padded(expected), padded(V), products, 2)
    np.testing.assert_allclose(products, (expected @ V.T)[known], atol=AGREE if dtype == np.float64 else 1e-5)
    rows, q = np.array([0, 0, 5], np.int64), rng.standard_normal((3, k))
    levers = np.empty(3)
    kernels.row_leverages(indptr, indices, padded(V), ridge, rows, padded(q), levers, 2)
    for t, i in enumerate(rows):
        A = V[known[i]]
        assert levers[t] == pytest.approx(q[t] @ np.linalg.solve(A.T @ A + np.diag(ridge), q[t]), rel=AGREE)


def test_sparse_plus_low_rank_is_an_operator():
    rng = np.random.default_rng(0)
    S = sp.csr_array(np.where(rng.random((9, 7)) < 0.3, 1.5, 0.0))
    check_operator(SparsePlusLowRank(S, rng.standard_normal((9, 2)), rng.standard_normal((7, 2))))


def test_results_do_not_depend_on_threads():
    X, *_ = planted(noise=0.1)
    one, two = (MatrixCompletion("factored", rank=2, n_jobs=n, random_state=0).fit(X).completed() for n in (1, 2))
    np.testing.assert_allclose(one, two, rtol=0, atol=ROUNDING)


def test_a_masked_entry_is_not_observed():
    rng = np.random.default_rng(0)
    L = np.outer(rng.standard_normal(30), rng.standard_normal(6))
    hidden = rng.random(L.shape) < 0.3
    masked = np.ma.array(np.where(hidden, 1e6, L), mask=hidden)
    filled = MatrixCompletion("factored", rank=1, random_state=0).fit(masked).transform(masked)
    np.testing.assert_allclose(filled, L, atol=1e-4)


def test_a_file_is_a_matrix_as_a_frame_is_unless_columns_are_named(tmp_path):
    pd = pytest.importorskip("pandas")
    X, *_ = planted(40, 5, 1, 0.8)
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame.to_csv(tmp_path / "wide.csv", index=False)
    of_frame = MatrixCompletion("factored", rank=1, random_state=0).fit(frame)
    of_file = MatrixCompletion("factored", rank=1, random_state=0).fit(tmp_path / "wide.csv")
    assert of_file.feature_names_in_.tolist() == list("abcde")
    np.testing.assert_allclose(of_file.completed(), of_frame.completed(), atol=1e-6)
    of_frame.fit((np.array([0, 1, 1]), np.array([0, 0, 1]), np.ones(3)))
    assert not hasattr(of_frame, "feature_names_in_")
