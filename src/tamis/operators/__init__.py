"""y = A x and x = Aᴴ y without looking at how A is stored: matrices, transforms, and what is made of them."""

from tamis.operators.adapted import Adapted
from tamis.operators.adjoint_check import check_adjoint
from tamis.operators.as_operator import as_operator
from tamis.operators.base import Operator
from tamis.operators.complex_arrays import ComplexDense, ComplexSparse
from tamis.operators.convolution import Convolution
from tamis.operators.cosine import DCT
from tamis.operators.dense import Dense
from tamis.operators.diagonal import Diagonal, Identity, RandomSigns
from tamis.operators.fourier import DFT
from tamis.operators.gabor import Gabor
from tamis.operators.hadamard import Hadamard
from tamis.operators.radial_lines import radial_lines
from tamis.operators.random_matrices import Bernoulli
from tamis.operators.real_forms import RealPairs, RealRows, mirrored_frequencies, mirrored_pieces, real_form, split
from tamis.operators.restriction import Mask, Restriction
from tamis.operators.shifted import Shifted
from tamis.operators.sparse import Sparse
from tamis.operators.sparse_plus_low_rank import SparsePlusLowRank
from tamis.operators.stacks import block_diag, hstack, vstack
from tamis.operators.standardised import Standardised
from tamis.operators.streamed import Streamed
from tamis.operators.wavelet import Wavelet

__all__ = [
    "DCT",
    "DFT",
    "Adapted",
    "Bernoulli",
    "ComplexDense",
    "ComplexSparse",
    "Convolution",
    "Dense",
    "Diagonal",
    "Gabor",
    "Hadamard",
    "Identity",
    "Mask",
    "Operator",
    "RandomSigns",
    "RealPairs",
    "RealRows",
    "Restriction",
    "Shifted",
    "Sparse",
    "SparsePlusLowRank",
    "Standardised",
    "Streamed",
    "Wavelet",
    "as_operator",
    "block_diag",
    "check_adjoint",
    "hstack",
    "mirrored_frequencies",
    "mirrored_pieces",
    "radial_lines",
    "real_form",
    "split",
    "vstack",
]
