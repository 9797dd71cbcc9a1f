"""Completion where its input is small, named by numbers, given twice, or nothing at all."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowrank.problems import planted
from tamis import GraphRobustPCA, InputError, MatrixCompletion, RobustPCA, load
from tamis.lowrank import required_entries

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e12])
@pytest.mark.parametrize("arguments", [("factored", 2), ("als", 3)])
def test_new_rows_and_standard_errors_scale_with_x(scale, arguments):
    X, *_ = planted(50, 30, 2, 0.6, noise=0.05)
    one, other = (MatrixCompletion(*arguments, random_state=0).fit(c * X) for c in (1.0, scale))
    np.testing.assert_allclose(other.transform(scale * X) / scale, one.transform(X), rtol=0, atol=1e-5)
    at = np.arange(20), np.arange(20)
    np.testing.assert_allclose(other.standard_error(*at) / scale, one.standard_error(*at), rtol=1e-4)


@pytest.mark.parametrize(
    "chosen", [{}, {"biases": False}, {"method": "soft_impute", "tol": 1e-4}, {"method": "factored"}]
)
def test_intervals_cover_what_was_not_observed(chosen):
    shares = []
    for seed in range(3):
        X, M, rng = planted_noise(120, 90, 3, 0.3, 0.3, seed)
        model = MatrixCompletion(random_state=seed, **chosen).fit(X)
        i, j = np.nonzero(np.isnan(X))
        low, high = model.interval(i, j, new=True)
        new = M[i, j] + 0.3 * rng.standard_normal(len(i))
        shares.append(np.mean((low <= new) & (new <= high)))
    assert 0.92 <= np.mean(shares) <= 0.99


def planted_noise(m, n, r, share, noise, seed):
    rng = np.random.default_rng(seed)
    M = rng.standard_normal((m, r)) @ rng.standard_normal((r, n)) / np.sqrt(r)
    M += rng.standard_normal((m, 1)) / 2
    X = np.where(rng.random(M.shape) < share, M + noise * rng.standard_normal(M.shape), np.nan)
    return X, M, rng


@pytest.mark.parametrize("seed", range(6))
def test_on_noise_nothing_is_found(seed):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((60, 40)) < 0.4, rng.standard_normal((60, 40)), np.nan)
    assert MatrixCompletion(random_state=seed).fit(X).beats_mean_ is False


def test_a_planted_table_beats_the_mean():
    X, *_ = planted(60, 40, 2, 0.5, noise=0.1)
    model = MatrixCompletion(random_state=0).fit(X)
    assert model.beats_mean_
    assert model.score_ < model.score_of_mean_
    assert MatrixCompletion(random_state=0).fit(np.where(np.isnan(X), np.nan, 3.0)).beats_mean_


def test_numbers_of_a_long_table_are_names():
    rng = np.random.default_rng(0)
    u, i = np.nonzero(rng.random((12, 9)) < 0.7)
    table = pa.table({"u": u + 1, "i": -i, "r": rng.standard_normal(len(u))})
    model = MatrixCompletion(rank=1, alpha=0.1, random_state=0).fit(table, columns=("u", "i", "r"))
    assert sorted(model.row_names_.tolist()) == list(range(1, 13))
    assert len(model.unseen_rows_) == len(model.unseen_columns_) == 0
    with pytest.warns(UserWarning, match="99 not among the rows"):
        np.testing.assert_allclose(
            model.predict([99], [-3]), model.mean_ + model.column_bias_[model.column_names_ == -3]
        )


def test_the_last_of_two_entries_where_positions_exceed_32_bits():
    """65,536 · 65,536 is 0 in 32 bits: the entry there is another one than that of row 0."""
    where = np.array([0, 0, 65_536, 1], np.int32), np.array([7, 7, 7, 1], np.int32)
    X = sp.coo_array((np.array([1.0, 5.0, 2.0, 7.0]), where), shape=(70_000, 65_536))
    model = MatrixCompletion(rank=1, alpha=1.0, duplicates="last", random_state=0).fit(X)
    assert sorted(model._observed.data.tolist()) == [2.0, 5.0, 7.0]


def test_names_of_several_kinds_and_missing_names():
    rows, columns, values = ["a", 1, "a", 1], [0, 0, 1, 1], [1.0, 2.0, 3.0, 4.0]
    mixed = np.array(rows, object)
    model = MatrixCompletion("factored", rank=1, random_state=0).fit((mixed, columns, values))
    assert model.row_names_.tolist() == ["a", 1]
    for lacking in (None, np.nan):
        with pytest.raises(InputError, match="rows has 1 missing names"):
            MatrixCompletion().fit((np.array([*rows[:3], lacking], object), columns, values))


def test_unsigned_positions():
    rows, columns = (np.array(k, np.uint64) for k in ([0, 1, 1], [0, 0, 1]))
    assert MatrixCompletion(rank=1, alpha=0.1).fit((rows, columns, np.ones(3))).row_names_ is None


@pytest.mark.parametrize(
    ("table", "columns", "message"),
    [
        ({"u": [], "i": [], "r": []}, ("u", "i", "r"), "no row"),
        ({"u": [1], "i": [1], "r": ["x"]}, ("u", "i", "r"), "column 'r' must hold numbers"),
        ({"u": [1], "i": [1], "r": [1.0]}, ("u", "u", "r"), "three different names"),
    ],
)
def test_long_tables_that_cannot_be_used(table, columns, message):
    with pytest.raises(InputError, match=message):
        MatrixCompletion().fit(pa.table(table), columns=columns)


def test_an_array_is_no_long_table():
    with pytest.raises(InputError, match="frame or a file, got ndarray"):
        MatrixCompletion().fit(np.ones((3, 3)), columns=("u", "i", "r"))


def test_a_name_left_empty_in_a_csv_is_missing(tmp_path):
    (tmp_path / "t.csv").write_text("u,i,r\na,b,1\n,c,2\n")
    with pytest.raises(InputError, match="column 'u' has 1 missing names"):
        MatrixCompletion().fit(tmp_path / "t.csv", columns=("u", "i", "r"))


def test_no_pairs_have_no_predictions():
    X, *_ = planted(20, 10, 1, 0.8)
    model = MatrixCompletion("factored", rank=1, random_state=0).fit(X)
    assert len(model.predict([], [])) == len(model.standard_error([], [])) == 0


@pytest.mark.parametrize("shape", [(60, 40), (5, 90)])
def test_thresholding_with_one_entry_ends(shape):
    X = np.full(shape, np.nan)
    X[3, 7] = 2.5
    model = MatrixCompletion("svt", random_state=0).fit(X)
    assert model.status_ == "converged"
    assert model.predict([3], [7])[0] == pytest.approx(2.5, rel=1e-4)


def test_large_means_of_float32_are_taken_off_in_float64():
    """Entries about 1e6 are rounded to 1/16, which is noise of 1/(16 √12); levels must not be rounded as well."""
    X, *_ = planted(60, 50, 1, 1.0)
    model = MatrixCompletion("factored", rank=3, biases=True, random_state=0).fit((X + 1e6).astype(np.float32))
    assert model.noise_ <= 1.1 / (16 * np.sqrt(12))


def test_an_online_model_is_saved_and_learns_on(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2)) @ rng.standard_normal((2, 12))
    model = RobustPCA("online", random_state=0).partial_fit(X[:20])
    model.save(tmp_path / "m.tamis")
    opened = load(tmp_path / "m.tamis")
    np.testing.assert_array_equal(opened.partial_fit(X[20:]).components_, model.partial_fit(X[20:]).components_)


@pytest.mark.parametrize("model", [RobustPCA("alm"), GraphRobustPCA()])
def test_scores_of_another_width_are_refused(model):
    X = np.outer(np.arange(1.0, 9), np.arange(1.0, 6))
    with pytest.raises(InputError, match="column for each of the 1 components, got shape \\(2, 3\\)"):
        model.fit(X).inverse_transform(np.ones((2, 3)))


def test_outliers_are_counted_from_one():
    with pytest.raises(InputError, match="n must be ≥ 1"):
        RobustPCA().fit(np.eye(4)).outlier_frame(-1)


def test_rows_and_columns_without_values_are_not_a_matrix():
    with pytest.raises(InputError, match=r"give \(rows, columns, values\)"):
        MatrixCompletion().fit((np.array([0, 1, 2]), np.array([1, 0, 2])))


def test_a_mean_that_hides_the_spread_is_told_of():
    X, _M, known = planted(20, 15, 1)
    with pytest.warns(UserWarning, match="the mean of X is"):
        MatrixCompletion("factored", rank=2, random_state=0).fit(X + 1e6)
    MatrixCompletion("factored", rank=2, random_state=0, biases=True).fit(X + 1e6)
    MatrixCompletion("factored", rank=1, random_state=0).fit(np.where(known, 0.1, np.nan))  # all equal: nothing is lost


def test_a_mask_of_another_shape_is_refused():
    for mask in (np.ones((3, 4), bool), 5):
        with pytest.raises(InputError, match=r"observed must have shape \(4, 3\)"):
            required_entries(4, 3, 1, mask)
