"""Transforms: the laws of every operator, and that each is the matrix that its formula says."""

import subprocess
import sys

import numpy as np
import pylops
import pytest
import pywt
import scipy.fft
import scipy.linalg
import scipy.signal
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis import InputError
from tamis.operators import (
    DCT,
    DFT,
    Bernoulli,
    Convolution,
    Diagonal,
    Gabor,
    Hadamard,
    Identity,
    Mask,
    RandomSigns,
    RealPairs,
    RealRows,
    Restriction,
    Wavelet,
    mirrored_frequencies,
    mirrored_pieces,
    radial_lines,
    split,
)
from tamis.testing import check_operator
from tolerances import ROUNDING

H1, H2 = np.array([1.0, -2.0, 0.5]), np.arange(6.0).reshape(2, 3) - 1.5
LONG = np.random.default_rng(0).standard_normal(70)  # too long to be summed one by one
LARGE = np.random.default_rng(1).standard_normal((4, 7))

MAKERS = {
    "dct": lambda: DCT(12),
    "dct of one": lambda: DCT(1),
    "dct 2-D": lambda: DCT((4, 5)),
    "dct 3-D": lambda: DCT((2, 3, 2)),
    "dft": lambda: DFT(9),
    "dft 2-D": lambda: DFT((3, 4)),
    "hadamard": lambda: Hadamard(16),
    "hadamard of one": lambda: Hadamard(1),
    "signs": lambda: RandomSigns(7, 1),
    "identity": lambda: Identity(5),
    "diagonal": lambda: Diagonal([1.0, 0.0, -3.0]),
    "complex diagonal": lambda: Diagonal([1j, 2.0 - 1j]),
    "bernoulli": lambda: Bernoulli(9, 70, 3),
    "restriction": lambda: Restriction(8, [5, 0, 3]),
    "restriction with repeats": lambda: Restriction(8, [5, 0, 5]),
    "mask": lambda: Mask(np.arange(12).reshape(3, 4) % 3 == 0),
    "gabor": lambda: Gabor(24, 8, 2),
    "gabor of an odd length": lambda: Gabor(23, np.hanning(7), 3, 10),
    "partial dct": lambda: Restriction(16, [1, 7, 2]) @ DCT(16),
    "partial dft": lambda: Restriction(16, [1, 7, 2]) @ DFT(16),
    "partial dct basis": lambda: Restriction(16, [1, 7, 2]) @ DCT(16).T,
    "radial lines": lambda: Mask(radial_lines((6, 5), 3)) @ DFT((6, 5)),
    "real rows": lambda: RealRows(Restriction(16, [1, 7, 2]) @ DFT(16)),
    "real rows of an array": lambda: RealRows(np.arange(6.0).reshape(2, 3) * (1 + 2j)),
    "real pairs of a line": lambda: RealPairs(DFT(7), mirrored_frequencies(7)),
    "real pairs of a grid": lambda: RealPairs(DFT((4, 6)), mirrored_frequencies((4, 6))),
    "real pairs of a frame": lambda: RealPairs(Gabor(24, 8, 2), mirrored_pieces(Gabor(24, 8, 2))),
    "partial hadamard": lambda: Restriction(16, [1, 7, 2, 0]) @ Hadamard(16) @ RandomSigns(16, 0),
    "wavelet seen in frequencies": lambda: Mask(np.eye(8, dtype=bool)) @ DFT((8, 8)) @ Wavelet("haar", (8, 8)).H,
    **{
        f"convolution {mode} {len(h)} {h.dtype}": lambda h=h, mode=mode: Convolution(h, len(h) + 5, mode)
        for mode in ("same", "full", "valid", "circular")
        for h in (H1, 1j * H1, LONG, LONG * 1j + 1.0)
    },
    **{
        f"convolution 2-D {mode} {h.size} {h.dtype}": lambda h=h, mode=mode: Convolution(h, (5, 8), mode)
        for mode in ("same", "full", "valid", "circular")
        for h in (H2, LARGE, 1j * H2, 1j * LARGE)
    },
    **{
        f"wavelet {name}": lambda name=name: Wavelet(name, 24, 2)
        for name in ("haar", "db4", "sym5", "bior4.4", "rbio2.6")
    },
    **{f"wavelet 2-D {name}": lambda name=name: Wavelet(name, (8, 12), 2) for name in ("db2", "bior2.2")},
    "inverse wavelet": lambda: Wavelet("bior2.4", 16).inverse,
}


@pytest.mark.parametrize("side", ["A", "A.T", "A.H"])
@pytest.mark.parametrize("kind", MAKERS)
def test_laws(kind, side):
    A = MAKERS[kind]()
    check_operator({"A": A, "A.T": A.T, "A.H": A.H}[side])


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(["dct", "dft", "signs", "bernoulli", "same", "full", "circular", "gabor", "partial"]),
    n=st.integers(1, 40),
    m=st.integers(1, 9),
    seed=st.integers(0, 99),
)
def test_laws_of_any_size(kind, n, m, seed):
    h = np.random.default_rng(seed).standard_normal(min(m, n))
    make = {
        "dct": lambda: DCT((n, m)),
        "dft": lambda: DFT((m, n)),
        "signs": lambda: RandomSigns(n, seed),
        "bernoulli": lambda: Bernoulli(m, n, seed),
        "gabor": lambda: Gabor(n, h + 5.0, max(1, len(h) // 2), m + 3),
        "partial": lambda: Restriction(n, np.random.default_rng(seed).permutation(n)[:m]) @ DFT(n),
    }
    check_operator((make[kind] if kind in make else lambda: Convolution(h, n, kind))(), seed=seed)


def full(A):
    return A @ np.eye(A.shape[1])


@pytest.mark.parametrize("n", [1, 2, 7, 64, (3, 5)])
@pytest.mark.parametrize("kind", [DCT, DFT])
def test_transforms_are_unitary(kind, n):
    A = kind(n)
    np.testing.assert_allclose(full(A.H @ A), np.eye(A.shape[0]), atol=ROUNDING)


def test_transforms_are_scipys():
    x, X = np.random.default_rng(0).standard_normal((2, 12)), np.random.default_rng(1).standard_normal((4, 6))
    np.testing.assert_allclose(DCT(12) @ x.T, scipy.fft.dct(x, norm="ortho").T, atol=ROUNDING)
    np.testing.assert_allclose(DCT(12).T @ x.T, scipy.fft.idct(x, norm="ortho").T, atol=ROUNDING)
    np.testing.assert_allclose(DFT(12) @ x.T, np.fft.fft(x, norm="ortho").T, atol=ROUNDING)
    np.testing.assert_allclose(DFT((4, 6)) @ X.ravel(), np.fft.fft2(X, norm="ortho").ravel(), atol=ROUNDING)
    np.testing.assert_allclose(DCT((4, 6)) @ X.ravel(), scipy.fft.dctn(X, norm="ortho").ravel(), atol=ROUNDING)
    np.testing.assert_allclose(full(Hadamard(32)), scipy.linalg.hadamard(32) / np.sqrt(32), atol=ROUNDING)


@pytest.mark.parametrize("n", [1_000, 4_096])
def test_columns_in_closed_form_keep_their_digits_far_out(n):
    S = np.array([n - 1, 0, n // 2 + 1])
    for A in (DCT(n), DFT(n), DCT(n).T, DFT(n).H):
        np.testing.assert_allclose(A.columns(S), A @ np.eye(n)[:, S], rtol=0, atol=ROUNDING)


def test_columns_of_subsampled_transforms_cost_only_the_entries_asked_for():
    n, rows, S = 1 << 20, np.arange(5) * 1_000, [3, 1 << 19]  # whole columns of 10⁶ rows would show in the memory
    for A in (DCT(n), DFT(n), Hadamard(n), DCT(n).T, Bernoulli(n, n, 0)):
        calls = []
        entries = A.entries
        A.entries = lambda I, J, entries=entries, calls=calls: calls.append((len(I), len(J))) or entries(I, J)
        assert (Restriction(n, rows) @ A).columns(S).shape == (5, 2)
        assert calls == [(5, 2)]


@pytest.mark.parametrize("shape, kernel", [(30, 4), (100, 80), ((7, 9), (2, 3)), ((7, 9), (5, 6))])
@pytest.mark.parametrize("mode", ["same", "full", "valid"])
def test_convolution_is_scipys(shape, kernel, mode):
    rng = np.random.default_rng(0)
    x, h = rng.standard_normal(shape), rng.standard_normal(kernel)
    expected = scipy.signal.convolve(x, h, mode, method="direct")
    np.testing.assert_allclose(Convolution(h, shape, mode) @ x.ravel(), expected.ravel(), atol=ROUNDING)


@pytest.mark.parametrize("length", [1, 3, 90])
def test_circular_convolution_is_a_product_of_spectra(length):
    rng = np.random.default_rng(0)
    x, h = rng.standard_normal(90), rng.standard_normal(length)
    expected = np.fft.ifft(np.fft.fft(x) * np.fft.fft(h, 90)).real
    np.testing.assert_allclose(Convolution(h, 90, "circular") @ x, expected, atol=ROUNDING)


@pytest.mark.parametrize("n", [1, 2, 5, 8, (3, 4), (4, 6), (1, 5)])
def test_real_pairs_of_a_unitary_transform_are_an_orthonormal_basis(n):
    B = RealPairs(DFT(n), mirrored_frequencies(n))
    np.testing.assert_allclose(full(B.T @ B), np.eye(B.shape[0]), atol=ROUNDING)
    np.testing.assert_allclose(full(B @ B.T), np.eye(B.shape[0]), atol=ROUNDING)


def test_real_pairs_of_a_gabor_frame_are_a_tight_frame():
    A = Gabor(37, 9, 3, 12)
    B = RealPairs(A, mirrored_pieces(A))
    np.testing.assert_allclose(full(B.T @ B), np.eye(37), atol=ROUNDING)
    assert (np.linalg.norm(full(B), axis=1) > 0.1).all()  # no row is zero, as Im of a real one would be


def test_real_rows_have_the_norms_of_the_complex_operator():
    x = np.random.default_rng(0).standard_normal(16)
    A = Restriction(16, [1, 7, 2]) @ DFT(16)
    assert np.linalg.norm(RealRows(A) @ x) == pytest.approx(np.linalg.norm(A @ x), rel=ROUNDING)
    np.testing.assert_array_equal(RealRows(A) @ x, split(A @ x))


@pytest.mark.parametrize("shape", [(8, 8), (9, 9), (8, 11), (32, 20), (1, 6)])
@pytest.mark.parametrize("n_lines", [1, 2, 5, 9])
def test_radial_lines_take_frequencies_with_their_mirrors(shape, n_lines):
    observed = radial_lines(shape, n_lines)
    assert observed[0, 0]
    assert observed[0].all()  # the first line lies along the rows, whole
    np.testing.assert_array_equal(observed.ravel(), observed.ravel()[mirrored_frequencies(shape)])


def test_more_radial_lines_see_more_and_none_has_gaps():
    counts = [radial_lines((64, 64), n).sum() for n in (1, 4, 16, 64)]
    assert counts == sorted(counts)
    assert counts[0] == 64
    assert 0.2 < counts[2] / 64**2 < 0.25  # 16 lines of 64 less what they share near the middle


def test_random_matrices_are_fixed_by_their_state_and_look_random():
    A = Bernoulli(400, 300, 5)
    X = full(A)
    np.testing.assert_array_equal(X, full(Bernoulli(400, 300, 5)))
    assert np.array_equal(np.abs(X), np.ones((400, 300)))
    assert (full(Bernoulli(400, 300, 6)) != X).mean() == pytest.approx(0.5, abs=0.01)  # 7 standard errors
    coherence = np.abs(X.T @ X - 400 * np.eye(300)).max() / np.sqrt(400)
    assert coherence < 6  # 45,000 pairs of standard normals: beyond 6 once in 10⁴ matrices
    np.testing.assert_array_equal(RandomSigns(50, 3).d, RandomSigns(50, 3).d)
    assert (RandomSigns(5_000, 3).d == 1).mean() == pytest.approx(0.5, abs=0.05)
    first = Bernoulli(3, 4)
    np.testing.assert_array_equal(full(first), full(first))  # a state that was drawn is kept


def test_restrictions_pick_and_put_back():
    x, mask = np.arange(6.0), np.array([True, False, True, False, False, True])
    np.testing.assert_array_equal(Restriction(6, [4, 1]) @ x, [4.0, 1.0])
    np.testing.assert_array_equal(Restriction(6, [4, 1]).T @ np.array([5.0, 7.0]), [0, 7, 0, 0, 5, 0])
    np.testing.assert_array_equal(Restriction(6, [4, 4]).T @ np.array([5.0, 7.0]), [0, 0, 0, 0, 12, 0])
    np.testing.assert_array_equal(Restriction(6, mask) @ x, Mask(mask) @ x)
    assert Restriction(6, []).shape == (0, 6)


@pytest.mark.parametrize("name", ["haar", "db1", "db10", "sym6", "coif2"])
@pytest.mark.parametrize("n", [32, 48, (16, 8)])
def test_orthogonal_wavelets_are_orthonormal(name, n):
    A = Wavelet(name, n, level=3)
    np.testing.assert_allclose(full(A.T @ A), np.eye(A.shape[0]), atol=1e-10)  # PyWavelets' filters are typed to 1e-12
    np.testing.assert_allclose(full(A.inverse @ A), np.eye(A.shape[0]), atol=1e-10)


@pytest.mark.parametrize("name", ["bior4.4", "bior1.3", "rbio3.5"])
@pytest.mark.parametrize("n", [32, (16, 24)])
def test_biorthogonal_wavelets_have_a_true_adjoint_and_an_inverse(name, n):
    A = Wavelet(name, n, level=2)
    check_operator(A)
    check_operator(A.inverse)
    np.testing.assert_allclose(full(A.inverse @ A), np.eye(A.shape[0]), atol=1e-10)
    assert np.abs(full(A.T @ A) - np.eye(A.shape[0])).max() > 1e-3  # the transpose is something else


def test_wavelet_coefficients_are_pywavelets():
    x, X = np.random.default_rng(0).standard_normal(64), np.random.default_rng(1).standard_normal((32, 16))
    coefficients = np.concatenate(pywt.wavedec(x, "db2", mode="periodization", level=3))
    np.testing.assert_allclose(Wavelet("db2", 64, 3) @ x, coefficients, atol=ROUNDING)
    image = pywt.coeffs_to_array(pywt.wavedec2(X, "db2", mode="periodization", level=2))[0]
    np.testing.assert_allclose(Wavelet("db2", (32, 16), 2) @ X.ravel(), image.ravel(), atol=ROUNDING)


def test_the_level_of_a_wavelet_is_as_deep_as_the_signal_allows():
    assert Wavelet("haar", 64).level == 6
    assert Wavelet("db4", 64).level == 3  # the coarse part is not shorter than the filter of 8
    assert Wavelet("haar", 48).level == 4
    assert Wavelet("haar", (48, 40)).level == 3
    assert Wavelet("db4", 2).level == 1


@pytest.mark.parametrize(
    "n, window, hop, M", [(64, 16, 4, 16), (60, 16, 5, 20), (37, 9, 3, 12), (12, np.ones(3), 3, 4)]
)
def test_gabor_frames_are_tight(n, window, hop, M):
    A = Gabor(n, window, hop, M)
    assert A.shape == (-(-n // hop) * M, n)
    np.testing.assert_allclose(full(A.H @ A), np.eye(n), atol=ROUNDING)


def test_a_pure_tone_is_one_frequency_in_every_piece():
    A = Gabor(128, 32, 8)
    c = A @ np.exp(2j * np.pi * 5 / 32 * np.arange(128))
    size = np.abs(c.reshape(A.coefficients_shape))
    assert (size.argmax(axis=1) == 5).all()


@pytest.mark.parametrize("k", [1, 3])
def test_agreement_with_pylops(k):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((16, k))
    ours, theirs = DFT(16), pylops.signalprocessing.FFT(16, norm="none", dtype=np.complex128)
    np.testing.assert_allclose(ours @ x, theirs @ x.astype(complex) / 4, atol=ROUNDING)
    theirs = pylops.signalprocessing.Convolve1D(16, h=H1, offset=1)
    np.testing.assert_allclose(Convolution(H1, 16) @ x, theirs @ x, atol=ROUNDING)
    np.testing.assert_allclose(Convolution(H1, 16).T @ x, theirs.H @ x, atol=ROUNDING)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: DCT(0), "n must be ≥ 1"),
        (lambda: DCT(()), "a length or a shape"),
        (lambda: DFT(2.5), "n must be a whole number"),
        (lambda: Hadamard(12), r"n must be a power of two, got 12: pad the signals to 16"),
        (lambda: Convolution([1.0, 2.0], (4, 4)), "kernel has 1 axes and the signals have 2"),
        (lambda: Convolution(np.ones(5), 4, "valid"), "longer than the signals"),
        (lambda: Convolution(np.ones(5), 4, "circular"), "longer than the signals"),
        (lambda: Convolution(np.ones(2), 4, "sme"), "did you mean 'same'"),
        (lambda: Convolution([1.0, np.nan], 4), "finite numbers"),
        (lambda: Convolution([], 4), "finite numbers"),
        (lambda: Restriction(4, [0, 4]), "positions from 0 to 3, got 4"),
        (lambda: Restriction(4, [-1]), "positions from 0 to 3, got -1"),
        (lambda: Restriction(4, [0.5]), "list of positions"),
        (lambda: Restriction(4, [True, False]), "a mask needs n = 4 booleans"),
        (lambda: Mask([0, 1]), "array of booleans"),
        (lambda: Diagonal(np.eye(2)), "a vector of numbers"),
        (lambda: RandomSigns(3, -1), "random_state must be ≥ 0"),
        (lambda: Bernoulli(3, 0), "n must be ≥ 1"),
        (lambda: Wavelet("db", 8), "discrete wavelet of PyWavelets.*got 'db'"),
        (lambda: Wavelet("morl", 8), "discrete wavelet"),
        (lambda: Wavelet("haar", 7), "n must be even, got length 7"),
        (lambda: Wavelet("haar", 12, 3), "multiples of 8, got length 12"),
        (lambda: Wavelet("haar", (8, 6), 2), r"multiples of 4, got shape \(8, 6\)"),
        (lambda: Gabor(16, 8, 2, 6), "n_frequencies=6 is less than the window's length 8"),
        (lambda: Gabor(4, 8, 2), "longer than the signals"),
        (lambda: Gabor(16, np.array([1.0, 0.0, 1.0]), 3), "uncovered with hop=3"),
        (lambda: Gabor(16, np.array([1j, 2.0])), "real numbers"),
        (lambda: RealPairs(DFT(4), [1, 2, 3, 0]), "position of its conjugate, and back"),
        (lambda: RealPairs(DFT(4), [0, 1]), "each of the 4 rows"),
        (lambda: radial_lines(16, 3), r"images of shape \(h, w\)"),
        (lambda: radial_lines((4, 4), 0), "n_lines must be ≥ 1"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(make, words):
    with pytest.raises(InputError, match=words) as error:
        make()
    assert "\n" not in str(error.value)


def test_importing_operators_does_not_import_pywavelets():
    code = "import sys, tamis.operators; sys.exit('pywt' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
