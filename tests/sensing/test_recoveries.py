"""Every recovery: planted codes, laws, and what must not happen."""

import inspect
import time

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from sklearn.linear_model import orthogonal_mp

from tamis import InputError
from tamis.operators import DCT, DFT, Restriction
from tamis.sensing import IHT, Recovery, ista, mp, omp, recover
from tamis.sensing.recoveries import RECOVERIES
from tamis.solvers import Status
from tolerances import AGREE, ROUNDING

TOLD = [name for name, kind in RECOVERIES.items() if "n_nonzero" in inspect.signature(kind.function).parameters]
PENALISED = ["ista", "fista"]
FINDS = sorted(set(RECOVERIES) - {"ista", "iht", "dantzig", "l0", "total_variation"})
ALL = sorted(set(RECOVERIES) - {"dantzig", "l0", "total_variation"})


def planted(seed=0, m=60, n=150, k=6, dtype=float, signals=None):
    rng = np.random.default_rng(seed)
    A, shape = rng.standard_normal((m, n)), (n,) if signals is None else (n, signals)
    s = np.zeros(shape, dtype)
    for column in s.reshape(n, -1).T:
        S = rng.choice(n, k, replace=False)
        column[S] = rng.choice([-1.0, 1.0], k) * rng.uniform(1, 2, k)
        if dtype is complex:
            column[S] *= np.exp(2j * np.pi * rng.uniform(size=k))
    if dtype is complex:
        A = A + 1j * rng.standard_normal((m, n))
    return A, s, A @ s


def arguments(name, k=6):
    if name in PENALISED:
        return {"alpha": 1e-3}
    if name == "bpdn":
        return {"noise": 1e-3}
    return {"n_nonzero": k} if name in TOLD else {}


def error(found, s):
    return np.linalg.norm(found.code - s) / np.linalg.norm(s)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("name", FINDS)
def test_a_planted_code_is_found(name, dtype):
    A, s, y = planted(dtype=dtype)
    found = recover(A, y, name, **arguments(name))
    assert found.status is Status.CONVERGED
    assert found.code.dtype == (np.complex128 if dtype is complex else np.float64)
    assert error(found, s) < (0.01 if name in ("fista", "bpdn") else 1e-5)
    assert found.residual_norm == pytest.approx(np.linalg.norm(y - A @ found.code), abs=1e-12 * np.linalg.norm(y))


@pytest.mark.parametrize("dtype", [float, complex])
def test_iht_finds_a_very_sparse_code(dtype):
    """With the step 1/‖A‖² it needs more measurements than the others."""
    A, s, y = planted(m=120, k=3, dtype=dtype)
    found = recover(A, y, "iht", n_nonzero=3)
    assert found.status is Status.CONVERGED
    assert error(found, s) < 1e-5
    trace = found.diagnostics.trace
    assert (np.diff(trace) <= ROUNDING * trace[0]).all()


@pytest.mark.parametrize("name", FINDS)
def test_several_signals_are_recovered_as_each_alone(name):
    A, s, Y = planted(signals=3)
    found = recover(A, Y, name, **arguments(name))
    assert found.code.shape == s.shape
    assert found.residual_norm.shape == (3,)
    assert len(found.statuses) == 3
    for k in range(3):
        alone = recover(A, Y[:, k], name, **arguments(name))
        np.testing.assert_allclose(found.code[:, k], alone.code, rtol=0, atol=AGREE)


@pytest.mark.parametrize("name", ALL)
def test_nothing_measured_is_nothing(name):
    A, _, y = planted()
    found = recover(A, 0 * y, name, **arguments(name))
    assert found.status is Status.CONVERGED
    assert not found.code.any()
    assert found.residual_norm == 0
    if found.certificate is not None:
        assert found.certificate.gap == 0


@pytest.mark.parametrize("name", TOLD)
def test_more_nonzeros_than_rows_are_refused(name):
    A, _, y = planted()
    with pytest.raises(InputError, match=r"n_nonzero must be at most 60, got 61") as caught:
        recover(A, y, name, n_nonzero=61)
    assert caught.value.argument == "n_nonzero"


@pytest.mark.parametrize("name", FINDS)
def test_zero_columns_are_never_used(name):
    A, s, y = planted()
    free = np.flatnonzero(s == 0)[:20]
    A[:, free] = 0
    found = recover(A, y, name, **arguments(name))
    assert not found.code[free].any()
    assert error(found, s) < 0.01


@pytest.mark.parametrize("name", ["mp", "omp", "basis_pursuit", "bpdn"])
def test_of_equal_columns_the_first_or_both_are_used(name):
    """The measurements are met as well as without the copy; pursuits take the first."""
    A, s, y = planted()
    j = int(np.flatnonzero(s)[0])
    A = np.column_stack([A, A[:, j]])
    found = recover(A, y, name, **arguments(name))
    assert found.status is Status.CONVERGED
    assert found.code[j] + found.code[-1] == pytest.approx(s[j], rel=0.01)
    if name in ("mp", "omp"):
        assert found.code[-1] == 0


@pytest.mark.parametrize("name", ["htp", "cosamp", "subspace_pursuit", "niht"])
def test_copies_of_all_columns_do_not_break_least_squares(name):
    A, _s, y = planted(k=4)
    found = recover(np.column_stack([A, A]), y, name, n_nonzero=8)
    assert np.isfinite(found.code).all()
    assert found.residual_norm < 1e-3 * np.linalg.norm(y) or found.status is not Status.CONVERGED


@pytest.mark.parametrize("name", ["mp", "omp", "niht", "htp", "cosamp", "subspace_pursuit", "amp"])
def test_lengths_of_columns_do_not_matter(name):
    A, _s, y = planted(m=80, n=120, k=4)
    lengths = np.random.default_rng(1).uniform(0.01, 100, A.shape[1])
    plain = recover(A, y, name, **arguments(name, 4))
    scaled = recover(A * lengths, y, name, **arguments(name, 4))
    np.testing.assert_allclose(scaled.code * lengths, plain.code, rtol=0, atol=1e-6 * np.abs(plain.code).max())
    assert np.array_equal(scaled.support, plain.support)


@pytest.mark.parametrize("name", ALL)
def test_a_wrong_adjoint_is_named(name):
    A, _, y = planted()
    wrong = LinearOperator(A.shape, matvec=lambda x: A @ x, rmatvec=lambda r: A.T @ r * 1.01, dtype=float)
    with pytest.raises(InputError, match="the adjoint of _CustomLinearOperator 60 × 150 is wrong"):
        recover(wrong, y, name, **arguments(name))


def test_the_adjoint_is_tried_once_however_many_signals():
    A, _, Y = planted(signals=4)
    calls = []
    counted = LinearOperator(A.shape, matvec=lambda x: calls.append(1) or A @ x, rmatvec=lambda r: A.T @ r, dtype=float)
    recover(counted, Y, "omp", n_nonzero=1, column_norms=None) if False else omp(
        counted, Y, n_nonzero=1, column_norms=1.0
    )
    assert len(calls) <= 1 + 4 * (1 + 1) + 4  # one trial, a column for each signal, the residuals of all


@pytest.mark.parametrize("name", FINDS)
def test_complex_measurements_of_a_real_operator_keep_their_imaginary_parts(name):
    A, s, y = planted()
    found = recover(A, y + 1j * (A @ np.roll(s, 1)), name, **arguments(name, 12))
    assert found.code.dtype == np.complex128
    assert error(found, s + 1j * np.roll(s, 1)) < 0.02


def test_a_complex_start_of_a_real_system_is_refused():
    A, s, y = planted()
    with pytest.raises(InputError, match="start is complex"):
        recover(A, y, "fista", alpha=0.1, start=s + 0j)


def test_too_long_a_step_is_a_stall_and_never_converged():
    """The textbook's step diverges on a matrix of norm beyond √2; the default does not."""
    A, s, y = planted()
    assert recover(A, y, IHT(n_nonzero=6, step=1.0)).status is Status.STALLED
    assert ista(A, y, alpha=1e-3, step=1.0).status is Status.STALLED
    A, s, _ = planted(m=120, k=3)
    B = A / np.linalg.norm(A, 2)
    found = recover(B, B @ s, IHT(n_nonzero=3, step=1.0))
    assert found.status is Status.CONVERGED
    assert error(found, s) < 1e-4


def test_measurements_that_no_code_explains_are_a_stall():
    rng = np.random.default_rng(0)
    A, y = rng.standard_normal((30, 10)), rng.standard_normal(30)
    for name in ("basis_pursuit", "omp", "mp"):
        found = recover(A, y, name)
        assert found.status in (Status.STALLED, Status.MAX_ITER)
        assert found.residual_norm == pytest.approx(np.linalg.norm(y - A @ np.linalg.lstsq(A, y)[0]), rel=1e-6)


@pytest.mark.parametrize("name", ALL)
def test_time_ends_every_recovery(name):
    A, _, y = planted()
    found = recover(A, y, name, time_limit=1e-9, **arguments(name))
    assert found.status is Status.TIME_LIMIT
    assert np.isfinite(found.code).all()


@pytest.mark.parametrize(
    "name", ["iht", "niht", "htp", "cosamp", "subspace_pursuit", "mp", "fista", "basis_pursuit", "amp"]
)
def test_a_start_at_the_answer_is_quick(name):
    A, _, y = planted()
    first = recover(A, y, name, **arguments(name))
    again = recover(A, y, name, start=first, **arguments(name))
    assert again.n_iter <= max(2, first.n_iter // 3)
    np.testing.assert_allclose(again.code, first.code, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["omp", "niht", "htp", "cosamp", "subspace_pursuit", "basis_pursuit"])
def test_operators_and_arrays_agree(name):
    rng = np.random.default_rng(3)
    A = Restriction(256, np.sort(rng.choice(256, 128, replace=False))) @ DCT(256)
    s = np.zeros(256)
    s[rng.choice(256, 8, replace=False)] = rng.choice([-1.0, 1.0], 8) * rng.uniform(1, 2, 8)
    y = A @ s
    written = A.columns(np.arange(256))
    for given in (A, written, csr_array(written)):
        found = recover(given, y, name, **arguments(name, 8))
        assert found.status is Status.CONVERGED
        assert error(found, s) < 1e-6


@pytest.mark.parametrize("name", ["mp", "omp", "niht", "htp", "cosamp", "subspace_pursuit", "amp"])
def test_lengths_of_columns_do_not_matter_behind_operators_either(name):
    A, s, y = planted(5, k=4)
    lengths = 10.0 ** np.random.default_rng(5).uniform(-1, 1, A.shape[1])
    found, plain = (recover(aslinearoperator(B), y, name, **arguments(name, 4)) for B in (A * lengths, A))
    np.testing.assert_allclose(found.code * lengths, plain.code, atol=1e-5)
    assert error(plain, s) < 1e-5


def test_signals_in_a_basis():
    rng = np.random.default_rng(0)
    A, s = rng.standard_normal((60, 128)), np.zeros(128)
    s[[3, 40, 90]] = 1.0, -2.0, 3.0
    Psi = DCT(128).T
    found = recover(A, A @ (Psi @ s), basis=Psi)
    np.testing.assert_allclose(found.signal, Psi @ s, atol=AGREE)
    np.testing.assert_allclose(found.code, s, atol=AGREE)
    assert found.certificate.verify(A, A @ (Psi @ s), basis=Psi).gap < AGREE
    with pytest.raises(InputError, match="basis must have 128 rows"):
        recover(A, A @ s, basis=DCT(64))


def test_partial_fourier_measurements_of_a_real_signal():
    rng = np.random.default_rng(0)
    A = Restriction(200, rng.choice(200, 80, replace=False)) @ DFT(200)
    s = np.zeros(200)
    s[rng.choice(200, 8, replace=False)] = rng.standard_normal(8)
    found = recover(A, A @ s)
    assert found.status is Status.CONVERGED
    np.testing.assert_allclose(found.code, s, atol=1e-7)


def test_an_option_that_means_nothing_is_refused():
    A, _, y = planted()
    with pytest.raises(InputError, match="alpha means nothing to omp"):
        recover(A, y, "omp", alpha=0.1)
    with pytest.raises(InputError, match="did you mean 'cosamp'"):
        recover(A, y, "cosmap")
    with pytest.raises(InputError, match="n_nonzero must be given"):
        recover(A, y, "cosamp")


@pytest.mark.parametrize(
    ("A", "y", "argument"),
    [
        (np.eye(3), [1.0, np.nan, 0.0], "y"),
        (np.eye(3), [1.0, 2.0], "y"),
        (np.eye(3), ["a", "b", "c"], "y"),
        (np.array([[np.inf, 1.0]]), [1.0], "A"),
        (np.zeros((0, 3)), np.zeros(0), "A"),
    ],
)
def test_bad_input_is_named(A, y, argument):
    with pytest.raises(InputError) as caught:
        recover(A, y)
    assert caught.value.argument == argument


def test_float32_and_integers_are_measurements_too():
    A, s, _y = planted()
    for kind in (np.float32, np.int64):
        B = np.round(10 * A).astype(kind)
        found = recover(B, (B @ s).astype(kind) if kind is np.float32 else B @ np.sign(s).astype(kind))
        assert found.status is Status.CONVERGED
        assert found.code.dtype == np.float64


def test_matching_pursuit_lowers_the_residual_at_each_step():
    A, _, y = planted(k=20)
    trace = mp(A, y, max_iter=200).diagnostics.trace
    assert (np.diff(trace) <= ROUNDING * trace[0]).all()


def test_omp_takes_its_start_first():
    A, s, y = planted()
    start = np.zeros_like(s)
    start[np.flatnonzero(s)[:3]] = 1.0
    found = omp(A, y, start=start)
    assert error(found, s) < AGREE
    with pytest.raises(InputError, match="more than n_nonzero"):
        omp(A, y, n_nonzero=2, start=start)


def test_results_pickle_and_tell_their_support():
    A, s, Y = planted(signals=2)
    found = recover(A, Y, "omp", n_nonzero=6)
    assert isinstance(found, Recovery)
    assert [x.tolist() for x in found.support] == [np.flatnonzero(column).tolist() for column in s.T]


def test_a_recovery_of_a_large_operator_writes_no_matrix():
    """16,384 unknowns: their matrix would have 67 million entries."""
    rng = np.random.default_rng(0)
    n, m, k = 2**14, 2**12, 200
    A = Restriction(n, np.sort(rng.choice(n, m, replace=False))) @ DCT(n)
    s = np.zeros(n)
    s[rng.choice(n, k, replace=False)] = rng.standard_normal(k)
    began = time.monotonic()
    found = recover(A, A @ s)
    assert found.status is Status.CONVERGED
    assert error(found, s) < AGREE
    assert time.monotonic() - began < 30


OTHERS = {"dantzig": {"alpha": 1e-3}, "l0": {"n_nonzero": 2}, "total_variation": {"alpha": 1e-3, "shape": (4, 4)}}


@pytest.mark.parametrize("name", sorted(RECOVERIES))
@pytest.mark.parametrize("time_limit", [0, -1.0, float("nan")])
def test_no_time_at_all_is_refused(name, time_limit):
    A, _, y = planted(m=10, n=16, k=2)
    with pytest.raises(InputError, match="time_limit must be") as caught:
        RECOVERIES[name].function(A, y, time_limit=time_limit, **OTHERS.get(name, arguments(name, 2)))
    assert caught.value.argument == "time_limit"


@pytest.mark.parametrize("name", OTHERS)
def test_small_problems_of_the_other_methods(name):
    """y = 0, a zero column, and an adjoint that is wrong."""
    A, s, y = planted(m=12, n=16, k=2)
    A[:, int(np.flatnonzero(s == 0)[0])] = 0.0
    function = RECOVERIES[name].function
    nothing = function(A, np.zeros(12), **OTHERS[name])
    assert not nothing.code.any()
    assert nothing.status is Status.CONVERGED
    found = function(A, y, **OTHERS[name])
    assert np.isfinite(found.code).all()
    if name != "total_variation":  # which has no columns to leave out
        assert found.code[np.flatnonzero(s == 0)[0]] == 0
        assert error(found, s) < 0.05
    wrong = LinearOperator((12, 16), matvec=lambda x: A @ x, rmatvec=lambda r: 2 * (A.T @ r), dtype=float)
    with pytest.raises(InputError, match="adjoint"):
        function(wrong, y, **OTHERS[name])


def test_the_best_support_does_not_depend_on_lengths_of_columns():
    A, s, y = planted(seed=3, m=12, n=16, k=2)
    scale = np.geomspace(1e-3, 1e3, 16)
    found = RECOVERIES["l0"].function(A * scale, y, n_nonzero=2)
    np.testing.assert_allclose(found.code * scale, s, atol=1e-9)


def test_equal_columns_give_a_best_support_that_measures_as_well():
    A, s, y = planted(seed=4, m=12, n=16, k=2)
    j = int(np.flatnonzero(s)[0])
    doubled = np.column_stack([A, A[:, j]])
    found = RECOVERIES["l0"].function(doubled, y, n_nonzero=2)
    assert np.count_nonzero(found.code) == 2
    assert found.residual_norm <= 1e-9 * np.linalg.norm(y)


def test_complex_measurements_of_the_other_methods():
    A, _, y = planted(m=12, n=16, k=2)
    with pytest.raises(InputError, match="complex"):
        RECOVERIES["dantzig"].function(A, y * (1 + 1j), **OTHERS["dantzig"])
    found = RECOVERIES["total_variation"].function(A, y * (1 + 1j), **OTHERS["total_variation"])
    np.testing.assert_allclose(found.code.imag, found.code.real, atol=1e-3 * np.abs(found.code).max())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_signals_on_a_gram_are_coded_as_each_alone(dtype):
    """Enough of them for the Gram to pay; one of them is zero, one cannot be measured."""
    A, s, _ = planted(signals=40)
    A = A.astype(dtype)
    A[-1] = 0.0
    Y = A.astype(float) @ s
    Y[:, 3] = 0.0
    Y[:, 5] = np.eye(60)[-1]
    many = omp(A, Y, n_nonzero=6)
    for i in range(40):
        one = omp(A, Y[:, i], n_nonzero=6)
        np.testing.assert_allclose(many.code[:, i], one.code, atol=1e-6 if dtype == np.float32 else AGREE)
        assert many.statuses[i] is one.status, i
    assert many.status is Status.STALLED
    np.testing.assert_allclose(many.residual_norm, np.linalg.norm(Y - A.astype(float) @ many.code, axis=0))


@pytest.mark.parametrize("kind", ["matrix", "complex", "operator"])
def test_the_path_of_a_pursuit_has_the_code_after_each_column(kind):
    """As many pursuits with 1, 2, … columns give; scikit-learn's ``return_path`` holds the same."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((20, 40)) + (1j * rng.standard_normal((20, 40)) if kind == "complex" else 0)
    y = rng.standard_normal((20, 2))
    taken = aslinearoperator(A) if kind == "operator" else A
    one, many = omp(taken, y[:, 0], 6, return_path=True), omp(taken, y, 6, return_path=True)
    assert one.path.shape == (40, 6)
    np.testing.assert_array_equal(many.path[0].toarray(), one.path.toarray())
    for k in range(1, 7):
        np.testing.assert_allclose(one.path[:, [k - 1]].toarray()[:, 0], omp(taken, y[:, 0], k).code, atol=1e-12)
    if kind == "matrix":
        B = A / np.linalg.norm(A, axis=0)
        theirs = orthogonal_mp(B, y[:, 0], n_nonzero_coefs=6, return_path=True)
        np.testing.assert_allclose(omp(B, y[:, 0], 6, return_path=True).path.toarray(), theirs, atol=1e-12)
    assert omp(taken, y[:, 0], 6).path is None
    assert omp(taken, np.zeros(20), 6, return_path=True).path.shape == (40, 0)
    nothing = omp(taken, np.column_stack([y[:, 0], np.zeros(20)]), 6, return_path=True).path
    assert [path.shape for path in nothing] == [(40, 6), (40, 0)]
