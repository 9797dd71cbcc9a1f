"""Robust PCA: planted truth, the lecture's loop, the certificate, missing entries, and input that cannot be used."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from lowrank.problems import f1, low_rank_plus_sparse, relative_error
from reference import lowrank as reference
from tamis import GraphRobustPCA, InputError, MatrixCompletion, RobustPCA
from tamis._kernels import kernels
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.multipliers import admm
from tolerances import AGREE, ROUNDING


@pytest.mark.parametrize("method", ["admm", "alm", "alternating", "auto"])
@pytest.mark.parametrize("shape", [(120, 80), (60, 150)])
def test_a_planted_split_is_found(method, shape):
    X, L, S = low_rank_plus_sparse(*shape, 3, 0.06)
    rank = {"rank": 3} if method == "alternating" else {}
    model = RobustPCA(method, random_state=0, **rank).fit(X)
    assert model.status_ == "converged"
    assert model.rank_ == 3
    assert relative_error(model.low_rank_, L) < 1e-6  # tol = 1e-7 of ‖X‖, and ‖X‖ is some times ‖L‖
    assert ((np.abs(model.sparse_) > 1e-4) == (np.abs(S) > 1e-4)).mean() > 0.9999


def test_large_data_take_the_fast_method_and_say_so():
    X, L, S = low_rank_plus_sparse(300, 250, 4, 0.1)
    model = RobustPCA(random_state=0).fit(X)
    assert model.strategy_.startswith("alternating")
    assert "rank 4" in model.strategy_
    assert relative_error(model.low_rank_, L) < 1e-6
    assert ((model.sparse_ != 0) == (np.abs(S) > 1e-6)).mean() > 0.9999


def test_admm_is_the_loop_of_the_lecture():
    X, *_ = low_rank_plus_sparse(30, 20, 2, 0.1, seed=3)
    L, S, Z = reference.admm(X, 0.1, 1.0, 50)
    with pytest.warns(ConvergenceWarning):
        model = RobustPCA("admm", alpha=0.1, penalty=1.0, max_iter=50, tol=1e-15).fit(X)
    np.testing.assert_allclose(model.low_rank_, L, rtol=0, atol=AGREE)
    np.testing.assert_allclose(model.sparse_, S, rtol=0, atol=AGREE)
    np.testing.assert_allclose(model.certificate_.Z, Z, rtol=0, atol=AGREE)


@pytest.mark.parametrize("seed", range(3))
def test_the_certificate_holds_and_can_be_recomputed(seed):
    X, *_ = low_rank_plus_sparse(40, 30, 2, 0.1, seed)
    model = RobustPCA("alm", certify=True).fit(X)
    certificate = model.certificate_
    assert certificate.relative_gap <= 1e-7
    again = certificate.verify(X)
    assert again.primal == pytest.approx(certificate.primal, rel=ROUNDING)
    assert again.dual == pytest.approx(certificate.dual, rel=ROUNDING)
    tight = RobustPCA("admm", tol=1e-9, max_iter=5000).fit(X)
    best = np.linalg.norm(tight.low_rank_, "nuc") + tight.alpha_ * np.abs(X - tight.low_rank_).sum()
    with pytest.warns(ConvergenceWarning, match=r"may be \d+\.\d% above the minimum"):
        loose = RobustPCA("alm", tol=1e-3).fit(X).certificate_
    assert loose.dual <= best <= loose.primal  # what it proves of a poor solution is true too


@pytest.mark.parametrize("shape", [(3, 3), (5, 12), (20, 20), (50, 40)])
def test_small_data_are_solved_to_the_optimum_by_default(shape):
    """Noise is not of low rank + sparse: the growing penalty ends some per cent above the minimum."""
    X = np.random.default_rng(1).standard_normal(shape)
    model = RobustPCA(random_state=0).fit(X)
    assert model.status_ == "converged"
    assert "then admm" in model.strategy_
    tight = RobustPCA("admm", tol=1e-9, max_iter=20_000).fit(X).certificate_
    assert model.certificate_.primal <= tight.primal * (1 + 1e-3)


@pytest.mark.parametrize("model", [RobustPCA("alm"), RobustPCA(random_state=0)])
def test_a_fast_method_far_from_the_optimum_has_not_converged(model):
    X = np.random.default_rng(0).standard_normal((420, 420) if model.method == "auto" else (20, 20))
    with pytest.warns(ConvergenceWarning, match=r"above the minimum; certify=True goes on"):
        model.fit(X)
    assert model.status_ == "stalled"
    assert model.certificate_.relative_gap > 0.01


def test_the_convex_problem_agrees_with_cvxpy():
    cp = pytest.importorskip("cvxpy")
    X, *_ = low_rank_plus_sparse(14, 10, 2, 0.1, seed=1)
    X[2, 3] = np.nan
    known = np.isfinite(X)
    L, S = cp.Variable(X.shape), cp.Variable(X.shape)
    objective = cp.normNuc(L) + cp.sum(cp.abs(S)) / np.sqrt(14)
    filled = np.nan_to_num(X)
    constraints = [cp.multiply(known, L + S) == filled, cp.multiply(1 - known, S) == 0]
    value = cp.Problem(cp.Minimize(objective), constraints).solve(solver="CLARABEL")
    model = RobustPCA("admm", penalty=3.0, tol=5e-6, max_iter=5000).fit(X)
    assert model.certificate_.primal == pytest.approx(value, rel=1e-5)
    np.testing.assert_allclose(model.low_rank_, L.value, atol=1e-2)  # the objective is flat about its minimum


def test_missing_entries_are_filled():
    X, L, _S = low_rank_plus_sparse(120, 90, 2, 0.05)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    for model in (RobustPCA("alm"), RobustPCA("alternating", rank=2, random_state=0)):
        assert relative_error(model.fit(X).low_rank_, L) < 1e-5
        assert not model.sparse_[np.isnan(X)].any()


def test_dense_noise_and_gross_errors():
    X, L, _S = low_rank_plus_sparse(150, 100, 3, 0.05)
    noisy = X + 0.05 * np.random.default_rng(2).standard_normal(X.shape)
    model = RobustPCA("stable").fit(noisy)
    assert model.noise_ == pytest.approx(0.05, rel=0.5)
    assert relative_error(model.low_rank_, L) < 0.05
    assert model.certificate_.relative_gap <= 1e-7
    again = model.certificate_.verify(noisy)
    assert again.gap == pytest.approx(model.certificate_.gap, abs=1e-9 * again.primal)
    classical = np.linalg.svd(noisy)
    rank3 = (classical[0][:, :3] * classical[1][:3]) @ classical[2][:3]
    assert relative_error(model.low_rank_, L) < 0.5 * relative_error(rank3, L)


def test_blocks_of_rows_as_they_come():
    X, L, S = low_rank_plus_sparse(400, 60, 2, 0.05)
    model = RobustPCA("online", random_state=0)
    for i in range(0, 400, 50):
        model.partial_fit(X[i : i + 50])
    assert model.n_samples_seen_ == 400
    _scores, low, sparse = model.separate(X)
    assert relative_error(low, L) < 0.1
    assert f1(np.abs(sparse) > 0.5, np.abs(S) > 0.5) > 0.9
    assert f1(np.abs(RobustPCA("online", random_state=0).fit(X).sparse_) > 0.5, np.abs(S) > 0.5) > 0.9


def test_new_rows_are_placed_by_their_good_entries():
    X, L, S = low_rank_plus_sparse(200, 60, 3, 0.05)
    model = RobustPCA("alm").fit(X[:150])
    scores, low, sparse = model.separate(X[150:])
    assert relative_error(low, L[150:]) < 1e-3
    assert f1(np.abs(sparse) > 0.5, np.abs(S[150:]) > 0.5) > 0.99
    np.testing.assert_allclose(model.transform(X[150:]), scores)
    np.testing.assert_allclose(model.inverse_transform(scores), low)


def test_one_outlier_turns_pca_and_not_robust_pca():
    rng = np.random.default_rng(0)
    t = rng.standard_normal(100)
    X = np.column_stack([t, t, t, t, t]) + 0.01 * rng.standard_normal((100, 5))
    spoilt = X.copy()
    spoilt[0, 0] = 300.0
    true = np.ones(5) / np.sqrt(5)
    pca = np.linalg.svd(spoilt - spoilt.mean(axis=0))[2][0]
    robust = RobustPCA("stable").fit(spoilt).components_[0]
    assert abs(pca @ true) < 0.6
    assert abs(robust @ true) > 0.999


def test_centring_is_undone():
    X, _L, _S = low_rank_plus_sparse(100, 40, 2, 0.05)
    far = X + np.arange(40) * 100.0
    model = RobustPCA(center=True).fit(far)
    np.testing.assert_allclose(model.low_rank_ + model.sparse_, far, atol=1e-4)
    assert model.rank_ <= 3
    assert model.certificate_.verify(far).primal == pytest.approx(model.certificate_.primal, rel=1e-9)


def test_float32_stays_float32():
    X, L, _S = low_rank_plus_sparse(120, 80, 3, 0.05, dtype=np.float32)
    for method in ("admm", "alm", "alternating", "stable"):
        model = RobustPCA(method, **({"rank": 3} if method == "alternating" else {}), random_state=0).fit(X)
        assert model.low_rank_.dtype == model.sparse_.dtype == model.transform(X).dtype == np.float32
        assert relative_error(model.low_rank_, L) < 0.02


def test_names_reach_the_outliers():
    pd = pytest.importorskip("pandas")
    X, *_ = low_rank_plus_sparse(60, 4, 1, 0.0)
    X[7, 2] += 50.0
    model = RobustPCA().fit(pd.DataFrame(X, columns=["a", "b", "c", "d"]))
    first = model.outlier_frame(1)
    assert first["row"].iloc[0] == 7
    assert first["column"].iloc[0] == "c"
    assert first["beyond"].iloc[0] == pytest.approx(50.0, abs=1.0)


@pytest.mark.parametrize("X", [np.zeros((20, 10)), np.full((20, 10), 3.0), np.ones((1, 5)), np.ones((5, 1))])
def test_constant_data(X):
    model = RobustPCA().fit(X)
    np.testing.assert_allclose(model.low_rank_ + model.sparse_, X, atol=1e-6)
    assert model.rank_ <= 1
    assert np.isfinite(model.transform(X)).all()


def test_a_row_or_column_with_no_entry():
    X, _L, _S = low_rank_plus_sparse(60, 40, 2, 0.03)
    X[4], X[:, 6] = np.nan, np.nan
    model = RobustPCA("alm").fit(X)
    assert np.isfinite(model.low_rank_).all()
    assert np.abs(model.low_rank_[4]).max() < 1e-6
    assert np.isfinite(model.transform(X)).all()


@pytest.mark.parametrize(
    "model, X, word",
    [
        (RobustPCA(), np.array([[1.0, np.inf], [1.0, 2.0]]), "infinity"),
        (RobustPCA(), np.full((3, 3), np.nan), "no observed entry"),
        (RobustPCA("alternating", rank=7), np.ones((5, 9)), "rank"),
        (RobustPCA("alm", rank=2), np.ones((5, 9)), "rank"),
        (RobustPCA("alternating", alpha=0.1, rank=1), np.ones((5, 9)), "alpha"),
        (RobustPCA("alternating"), np.random.default_rng(0).standard_normal((30, 30)), "rank"),
        (RobustPCA("stable", certify=True), np.ones((5, 9)), "certify"),
        (RobustPCA("alm", noise=0.1), np.ones((5, 9)), "noise"),
        (RobustPCA("adm"), np.ones((5, 9)), "did you mean 'admm'"),
    ],
)
def test_what_cannot_be_used_is_said(model, X, word):
    with pytest.raises(InputError, match=word):
        model.fit(X)


def test_partial_fit_is_for_online():
    with pytest.raises(AttributeError, match="partial_fit"):
        RobustPCA("alm").partial_fit(np.ones((5, 3)))


def test_time_limit():
    X, *_ = low_rank_plus_sparse(60, 50, 2, 0.1)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model = RobustPCA("admm", time_limit=1e-9).fit(X)
    assert model.status_ == "time_limit"
    assert model.certificate_.gap > 0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_step_of_the_multipliers_is_that_of_the_equations(dtype):
    rng = np.random.default_rng(0)
    X, L, Z = rng.standard_normal((3, 30, 20)).astype(dtype)
    X[3, 4] = np.nan
    Z = np.clip(Z, -0.2, 0.2)
    Z[3, 4] = 0
    expected = reference.multiplier_step(X, L, Z, 0.2, 1.5, 2.0)
    M, new = L.copy(), Z.copy()
    square = kernels.multiplier_step(X, new, M, 0.2, 1.5, 2.0, 2)
    tolerance = ROUNDING if dtype == np.float64 else 1e-5
    np.testing.assert_allclose(new, expected[0], atol=tolerance)
    np.testing.assert_allclose(M, expected[1], atol=tolerance)
    assert square == pytest.approx(expected[2], rel=10 * tolerance)


def test_the_entrywise_kernels():
    rng = np.random.default_rng(0)
    X, L = rng.standard_normal((2, 300, 200))
    X[3, 4] = np.nan
    near = np.abs(X - L) <= 0.7
    W = L.copy()
    square = kernels.keep_near(X, W, 0.7, 2)
    np.testing.assert_array_equal(W, np.where(near, X, L))
    assert square == pytest.approx(((X - L)[near] ** 2).sum(), rel=ROUNDING)
    W = L.copy()
    value = kernels.clip_to(X, W, 0.7, 2)
    R = np.nan_to_num(X - L)
    np.testing.assert_allclose(W, L + np.clip(R, -0.7, 0.7), atol=ROUNDING)
    huber = np.where(np.abs(R) <= 0.7, R**2 / 2, 0.7 * np.abs(R) - 0.245)
    assert value == pytest.approx(huber.sum(), rel=ROUNDING)


def test_results_do_not_depend_on_threads():
    X, *_ = low_rank_plus_sparse(80, 60, 2, 0.1)
    one, two = (RobustPCA("alm", n_jobs=n, random_state=0).fit(X) for n in (1, 2))
    np.testing.assert_array_equal(one.sparse_, two.sparse_)


def test_without_a_sparse_part_it_completes():
    """α = ∞ is (11.26): X = L at the observed entries."""
    X, L, _ = low_rank_plus_sparse(60, 50, 2, 0.0)
    X[np.random.default_rng(0).random(X.shape) < 0.4] = np.nan
    found = admm(X, np.inf, IterationLimits(tol=1e-9, max_iter=2000), n_threads=1, rng=np.random.default_rng(0))
    assert relative_error(found.low_rank.toarray(), L) < 1e-6


def test_a_background_that_gains_a_pattern_is_followed_block_by_block():
    """It comes after the first block: the rank grows, and scores are those on the components as they are then."""
    rng = np.random.default_rng(0)
    patterns = np.linalg.qr(rng.standard_normal((60, 2)))[0].T
    model = RobustPCA("online", random_state=0)
    for k in range(6):
        weights = np.column_stack([10 + rng.standard_normal(40), 3.0 * (k > 0) * rng.standard_normal(40)])
        L = weights @ patterns
        X = L + 0.01 * rng.standard_normal(L.shape)
        X[rng.random(X.shape) < 0.02] += 5.0
        model.partial_fit(X)
    assert model.rank_ >= 2
    assert np.linalg.norm(model.low_rank_ - L) < 0.05 * np.linalg.norm(L)


@pytest.mark.filterwarnings("ignore:RobustPCA ended with status max_iter")
def test_little_noise_leaves_the_entries_as_they_are():
    """Steps are of the size of the noise: they begin where there is none."""
    X = np.array([[1.0, 3.0], [2.0, np.nan]])
    L = RobustPCA("stable", noise=1e-6, alpha=10.0).fit(X).low_rank_
    np.testing.assert_allclose(L[np.isfinite(X)], X[np.isfinite(X)], atol=1e-4)


@pytest.mark.parametrize("dtype, scale", [(np.float64, 1e200), (np.float32, 1e17)])
def test_values_whose_squares_are_infinite_are_refused(dtype, scale):
    X = (scale * np.random.default_rng(0).standard_normal((6, 4))).astype(dtype)
    for model in (RobustPCA(), GraphRobustPCA(), MatrixCompletion()):
        with pytest.raises(InputError, match="squares are infinite"):
            model.fit(X)
