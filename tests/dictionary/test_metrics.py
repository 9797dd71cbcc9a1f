"""What is measured of atoms, and the drawing of them."""

import numpy as np
import pytest

from dictionary.problems import unit
from tamis import InputError
from tamis._core.atoms_image import atoms_image, tile_shape
from tamis.dictionary import atom_coherence, atom_usage, dct_atoms, recovered_atoms
from tamis.plots import atoms


def test_atoms_are_recovered_up_to_sign_order_and_length():
    rng = np.random.default_rng(0)
    D = unit(rng.standard_normal((12, 8)))
    shuffled = (D * rng.choice([-3.0, 0.5], (12, 1)))[rng.permutation(12)]
    assert recovered_atoms(D, shuffled) == 1.0
    assert recovered_atoms(D, np.repeat(D[:1], 12, axis=0)) == pytest.approx(1 / 12)  # one atom answers for one only
    assert recovered_atoms(D, unit(rng.standard_normal((12, 8)))) < 0.5
    with pytest.raises(InputError, match="one length"):
        recovered_atoms(D, D[:, :5])


def test_coherence_and_usage():
    assert atom_coherence(dct_atoms(64, (8, 8))) < 1e-12
    assert atom_coherence([[1.0, 0.0], [2.0, 0.0]]) == pytest.approx(1.0)
    np.testing.assert_array_equal(atom_usage(np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]])), [0, 1, 2])


def test_an_image_of_atoms_holds_every_atom():
    D = dct_atoms(100, (8, 8))
    image = atoms_image(D)
    assert image.shape == (91, 91)
    np.testing.assert_allclose(image[10:18, 1:9], (0.5 + 0.5 * D[10] / np.abs(D[10]).max()).reshape(8, 8))
    assert atoms_image(np.ones((3, 48))).shape[2] == 3
    assert tile_shape(7) == (1, 7, 1)
    with pytest.raises(InputError, match="does not hold"):
        tile_shape(64, (8, 9))


def test_atoms_are_drawn():
    ax = atoms(dct_atoms(64, (8, 8)), order=range(16))
    assert ax.get_title() == "16 atoms of 8 × 8"
    assert ax.images[0].get_array().shape == (37, 37)
    with pytest.raises(InputError, match="atoms in rows"):
        atoms(np.zeros(4))
