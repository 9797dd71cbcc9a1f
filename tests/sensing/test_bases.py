"""Bases: synthesis after analysis is the signal, and which of them are orthonormal."""

import numpy as np
import pytest

from tamis import InputError
from tamis.sensing.bases import DCT, Dictionary, Fourier, Gabor, Identity, Wavelet, as_basis
from tamis.testing import check_operator
from tolerances import ROUNDING

WAVELETS = 1e-10  # PyWavelets' filters are typed to 1e-12
HADAMARD = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2)
BASES = {
    "identity": Identity(),
    "fourier": Fourier(),
    "dct": DCT(),
    "haar": Wavelet("haar"),
    "db4": Wavelet("db4"),
    "bior4.4": Wavelet("bior4.4", level=2),
}


def full(A):
    return A @ np.eye(A.shape[1])


@pytest.mark.parametrize("shape", [2, 16, 37, 64, (8, 8), (6, 10), (7, 5)])
@pytest.mark.parametrize("name", BASES)
def test_synthesis_undoes_analysis(name, shape):
    basis = BASES[name]
    x = np.random.default_rng(0).standard_normal(shape)
    code = basis.analyse(x)
    assert code.dtype == np.float64
    np.testing.assert_allclose(basis.synthesise(code, shape), x, atol=WAVELETS)
    check_operator(basis.operator(shape))
    Psi = full(basis.operator(shape))
    orthonormal = Psi.shape[0] == Psi.shape[1] and np.allclose(Psi.T @ Psi, np.eye(len(Psi)), rtol=0, atol=WAVELETS)
    assert basis.orthonormal(shape) == orthonormal


@pytest.mark.parametrize("basis", [Gabor(window=8), Gabor(np.hanning(9)[1:-1], hop=3, n_frequencies=10)])
@pytest.mark.parametrize("n", [24, 31])
def test_gabor_frames_are_tight_and_real_for_real_signals(basis, n):
    x = np.random.default_rng(0).standard_normal(n)
    code = basis.analyse(x)
    assert code.dtype == np.float64
    np.testing.assert_allclose(basis.synthesise(code, n), x, atol=ROUNDING)
    assert np.linalg.norm(code) == pytest.approx(np.linalg.norm(x), rel=ROUNDING)
    check_operator(basis.operator(n))
    assert not basis.orthonormal(n)


@pytest.mark.parametrize("basis", [Fourier(), Gabor(window=8), DCT(), Wavelet("haar")])
def test_complex_signals_keep_their_imaginary_parts(basis):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(32) + 1j * rng.standard_normal(32)
    np.testing.assert_allclose(basis.synthesise(basis.analyse(x), 32), x, atol=WAVELETS)


def test_what_is_sparse_where():
    t = np.arange(256)
    tone, steps = np.cos(2 * np.pi * 10 * t / 256), np.repeat([1.0, -2.0, 0.5, 3.0], 64)

    def count(basis, x):
        return int((np.abs(basis.analyse(x)) > 1e-9).sum())

    assert count(Fourier(), tone) == 1
    assert count(Wavelet("haar"), steps) == 4
    assert count(Wavelet("haar"), tone) > 100
    assert count(Fourier(), steps) > 100


def test_signals_that_cannot_be_halved_are_continued_by_their_mirror_image():
    basis, x = Wavelet("haar", level=3), np.ones(13)
    assert basis.operator(13).shape == (13, 16)
    assert (np.abs(basis.analyse(x)) > 1e-12).sum() == 2  # a constant stays one: only the coarse part
    assert basis.coarse(13).sum() == 2


def test_a_dictionary_is_its_atoms():
    atoms = np.random.default_rng(0).standard_normal((7, 4))
    np.testing.assert_array_equal(full(Dictionary(atoms).operator(4)), atoms.T)
    np.testing.assert_array_equal(full(Dictionary(atoms).operator((2, 2))), atoms.T)
    x = np.arange(4.0)
    np.testing.assert_allclose(Dictionary(atoms).synthesise(Dictionary(atoms).analyse(x), 4), x, atol=ROUNDING)
    assert Dictionary(HADAMARD).orthonormal(2)
    assert not Dictionary(atoms).orthonormal(4)


def test_short_names():
    assert isinstance(as_basis("dct"), DCT)
    assert isinstance(as_basis(None), Identity)
    assert as_basis("sym8").name == "sym8"
    assert isinstance(as_basis(np.eye(3)), Dictionary)
    assert as_basis(basis := Gabor()) is basis


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: as_basis("dtc"), "basis must be one of .* a wavelet such as 'haar'.*did you mean 'dct'"),
        (lambda: as_basis(3), "basis must be one of"),
        (lambda: Wavelet("db").operator(8), "discrete wavelet of PyWavelets.*got 'db'"),
        (lambda: Wavelet("haar", level=0).operator(8), "level must be ≥ 1"),
        (lambda: Gabor().operator((8, 8)), "signals on a line"),
        (lambda: Dictionary(np.eye(3)).operator(4), "atoms have 3 numbers and the signals 4"),
        (lambda: Dictionary(np.ones(3)).operator(3), "an atom in each row"),
        (lambda: Dictionary([[np.nan]]).operator(1), "finite numbers"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(make, words):
    with pytest.raises(InputError, match=words) as error:
        make()
    assert "\n" not in str(error.value)
