"""Problems at the edge: what cannot be measured, proved or told from rounding is said, whatever the method."""

import time

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator
from sklearn.base import clone

from tamis import InputError
from tamis.operators import DCT, Diagonal, Restriction, as_operator
from tamis.sensing import (
    RECOVERIES,
    CompressedSensor,
    PartialDCT,
    PartialFourier,
    Wavelet,
    amp,
    basis_pursuit,
    bpdn,
    coherence,
    cosamp,
    dantzig,
    dual_certificate,
    exact_recovery,
    guaranteed_sparsity,
    htp,
    l0,
    recover,
    rip_bounds,
    subspace_pursuit,
    total_variation,
)
from tamis.solvers import Status
from tamis.solvers.support_least_squares import estimated_lengths, operator_norm
from tolerances import AGREE


def test_columns_that_nearly_agree_are_two_columns_and_prove_nothing():
    eye = np.eye(4)
    A, y = np.c_[eye[:, :3], eye[:, 0] + 1e-7 * eye[:, 3]], np.array([1.0, 0, 0, 5.0])
    found = l0(A, y, 2)
    assert found.support.tolist() == [0, 3]
    assert found.residual_norm < 1e-6
    assert found.certificate is None


@pytest.mark.parametrize("function", [cosamp, subspace_pursuit, htp])
def test_the_code_of_a_support_is_its_least_squares(function):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        A, y = rng.standard_normal((6, 9)), rng.standard_normal(6)
        found = function(A, y, 2)
        X = A[:, found.support]
        best = np.linalg.norm(y - X @ np.linalg.lstsq(X, y, rcond=None)[0])
        assert found.residual_norm == pytest.approx(best, rel=1e-9)
        assert found.residual_norm <= found.diagnostics.trace.min() * (1 + 1e-9)


def test_message_passing_that_finds_nothing_is_stalled():
    A = np.random.default_rng(0).standard_normal((5, 400))
    found = amp(A, A[:, 0] + A[:, 1])
    assert found.status is Status.STALLED


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_the_dantzig_selector_keeps_its_bound_in_any_unit(unit):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((10, 15))
    y = unit * A[:, :3].sum(axis=1)
    found = dantzig(A, y, 0.05 * np.abs(A.T @ y).max() / 10)
    assert found.status is Status.CONVERGED
    assert np.abs(found.code).sum() / unit == pytest.approx(2.493, abs=0.01)
    assert found.certificate.correlation <= found.certificate.alpha * (1 + 1e-7)
    assert found.certificate.gap <= 1e-7 * found.certificate.value


@pytest.mark.parametrize("tol", ["a", None, -1.0, np.nan])
def test_the_dantzig_selector_checks_its_tolerance(tol):
    with pytest.raises(InputError, match="tol"):
        dantzig(np.eye(3), np.ones(3), 0.1, tol=tol)


def test_certificates_are_verified_on_whatever_was_given():
    A = np.random.default_rng(3).standard_normal((10, 15))
    y, P, sparse = A[:, 0], PartialDCT(0.5, random_state=0).operator(16), sp.csr_array(A)
    bounds = rip_bounds(A, 2, normalise=True)
    assert bounds.verify(A).lower == pytest.approx(bounds.lower)
    for evidence in (rip_bounds(P, 2), exact_recovery(P, [1, 2]), dual_certificate(P, [1], [1.0])):
        again = evidence.verify(P)
        name = "lower" if hasattr(again, "lower") else "value"
        assert getattr(again, name) == pytest.approx(getattr(evidence, name))
    for function, arguments in ((dantzig, (0.1,)), (l0, (2,))):
        proof = function(sparse, y, *arguments).certificate
        assert proof.verify(sparse, y).bound == pytest.approx(proof.bound, abs=1e-9)
        assert proof.verify(A, y, basis=np.eye(15)).bound == pytest.approx(proof.bound, abs=1e-9)
    A[:, 5] = 0.0
    condition = exact_recovery(A, [0, 1])
    assert condition.verify(A).value == pytest.approx(condition.value)


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_guaranteed_where_two_columns_agree(seed):
    A = np.random.default_rng(seed).standard_normal((5, 4))
    A[:, 3] = (seed + 0.1) * A[:, 0]
    assert guaranteed_sparsity(A) == 0


@pytest.mark.parametrize(("method", "option"), [("l0", {"n_nonzero": 6}), ("dantzig", {"alpha": 0.01})])
def test_branches_and_programmes_end_in_time(method, option):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((100, 600))
    begun = time.monotonic()
    found = recover(A, A[:, :30].sum(axis=1), method, **option, time_limit=0.2)
    assert found.status is Status.TIME_LIMIT
    assert time.monotonic() - begun < 20


def test_a_sensor_without_a_seed_recovers_only_what_it_measured():
    x = np.zeros(200)
    x[[20, 90, 150]] = 3.0, -2.0, 1.0
    sensor = CompressedSensor(PartialDCT(0.2), "identity", "omp", shape=200)
    y = sensor.measure(x)
    np.testing.assert_allclose(sensor.recover(y).signal, x, atol=AGREE)
    with pytest.raises(InputError, match="random_state"):
        clone(sensor).recover(y)
    seeded = CompressedSensor(PartialDCT(0.2, random_state=0), "identity", "omp", shape=200)
    np.testing.assert_allclose(clone(seeded).recover(seeded.measure(x)).signal, x, atol=AGREE)


@pytest.mark.parametrize("basis", ["dct", "haar", Wavelet("haar")])
def test_a_basis_is_taken_by_its_name(basis):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((30, 64))
    given = CompressedSensor(A, basis, "omp", shape=64).recover(A @ np.ones(64), n_nonzero=3)
    found = recover(A, A @ np.ones(64), "omp", basis=basis, n_nonzero=3)
    np.testing.assert_allclose(found.signal, given.signal, atol=AGREE)


@pytest.mark.parametrize(
    "method", sorted(set(RECOVERIES) - {"ista", "fista", "bpdn", "dantzig", "total_variation", "l0"})
)
def test_measurements_that_no_column_sees_are_not_converged(method):
    option = {"n_nonzero": 1} if "n_nonzero" in RECOVERIES[method]().get_params() else {}
    for A in (np.eye(4)[:, :2], np.zeros((4, 2))):
        found = recover(A, [0, 0, 1.0, 1.0], method, **option)
        assert found.status is Status.STALLED
        assert not found.code.any()


@pytest.mark.parametrize("kind", [float, complex])
def test_a_radius_around_measurements_that_no_column_sees(kind):
    assert bpdn(np.eye(4)[:, :2].astype(kind), [0, 0, 1.0, 1.0], noise=0.1).status is Status.STALLED


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_numbers_whose_squares_are_none_are_refused(unit):
    A = np.random.default_rng(0).standard_normal((10, 20))
    with pytest.raises(InputError, match="units"):
        basis_pursuit(unit * A, A[:, 0])
    with pytest.raises(InputError, match="units"):
        recover(A, unit * A[:, 0], "omp", n_nonzero=1)
    with pytest.raises(InputError, match="units"):
        coherence(unit * A)


@pytest.mark.parametrize("method", sorted(RECOVERIES))
def test_no_signals_are_no_codes(method):
    options = {"n_nonzero": 1, "alpha": 0.1}
    if method == "total_variation":
        options = {"noise": 0.0}
    taken = RECOVERIES[method]().get_params()
    A = np.random.default_rng(0).standard_normal((10, 20))
    found = recover(A, np.zeros((10, 0)), method, **{k: v for k, v in options.items() if k in taken})
    assert found.code.shape == (20, 0)


def test_an_operator_without_an_adjoint_is_named():
    A = LinearOperator((3, 3), matvec=lambda x: x, dtype=float)
    with pytest.raises(InputError, match="rmatvec"):
        basis_pursuit(A, np.ones(3))


def test_the_norm_is_found_whatever_direction_has_it():
    """Any one start may be orthogonal to it."""
    u = np.cos(np.arange(1, 51.0))
    v = np.sin(np.arange(50.0))
    v -= (v @ u) / (u @ u) * u
    v /= np.linalg.norm(v)
    assert operator_norm(as_operator(np.eye(50) + 2 * np.outer(v, v))) == pytest.approx(3.0, rel=0.04)


@pytest.mark.parametrize("unit", [1e-3, 65_535.0])
def test_total_variation_does_not_depend_on_units(unit):
    image = np.kron(np.array([[0.2, 0.9], [0.6, 0.1]]), np.ones((4, 4)))
    A = PartialFourier(0.5, random_state=0).operator((8, 8))
    y = A @ image.ravel()
    for options in ({"noise": 0.01}, {"alpha": 1e-4}):
        cases = (
            (A, y, options),
            (A, unit * y, {k: unit * v for k, v in options.items()}),
            (1e3 * A, 1e3 * y, {k: v * (1e3 if k == "noise" else 1e6) for k, v in options.items()}),
        )
        codes = [total_variation(B, z, shape=(8, 8), max_iter=100, **given).code for B, z, given in cases]
        np.testing.assert_allclose(codes[1] / unit, codes[0], atol=1e-9)
        np.testing.assert_allclose(codes[2], codes[0], atol=1e-9)


def test_lengths_of_many_columns_are_estimated():
    n = 4096
    rng = np.random.default_rng(0)
    rows = Restriction(n, np.sort(rng.choice(n, n // 4, replace=False))) @ DCT(n)
    np.testing.assert_allclose(estimated_lengths(rows), 0.5, rtol=0.02)
    scale = rng.uniform(0.5, 2.0, n)
    scale[7] = 0.0
    estimated = estimated_lengths(rows @ Diagonal(scale))
    assert estimated[7] == 0.0
    assert np.median(np.abs(estimated / np.where(scale > 0, 0.5 * scale, 1.0) - 1)) < 0.06
    s = np.zeros(n)
    s[[5, 1000, 3000]] = 1.0, -2.0, 3.0
    found = recover(rows @ Diagonal(scale), rows @ (scale * s), "omp", n_nonzero=3)
    np.testing.assert_allclose(found.code, s, atol=AGREE)
