"""Dictionary learning: alternate a coder (codes given atoms) and an update (atoms given codes)."""

from tamis.dictionary.coders import Coder, FISTACoder, LassoCoder, OMPCoder, ThresholdCoder
from tamis.dictionary.compression import ImageCodes, compress
from tamis.dictionary.estimators import KSVD, OnlineDictionary, OrthogonalDictionary
from tamis.dictionary.fixed_atoms import dct_atoms, haar_atoms
from tamis.dictionary.images import denoise, inpaint
from tamis.dictionary.learner import DictionaryLearner
from tamis.dictionary.metrics import atom_coherence, atom_usage, recovered_atoms
from tamis.dictionary.noise import image_noise_level
from tamis.dictionary.sparse_coder import SparseCoder
from tamis.dictionary.updates import (
    CompleteUpdate,
    KSVDUpdate,
    MODUpdate,
    OnlineUpdate,
    ProcrustesUpdate,
    ProjectedUpdate,
    Update,
)

__all__ = [
    "KSVD",
    "Coder",
    "CompleteUpdate",
    "DictionaryLearner",
    "FISTACoder",
    "ImageCodes",
    "KSVDUpdate",
    "LassoCoder",
    "MODUpdate",
    "OMPCoder",
    "OnlineDictionary",
    "OnlineUpdate",
    "OrthogonalDictionary",
    "ProcrustesUpdate",
    "ProjectedUpdate",
    "SparseCoder",
    "ThresholdCoder",
    "Update",
    "atom_coherence",
    "atom_usage",
    "compress",
    "dct_atoms",
    "denoise",
    "haar_atoms",
    "image_noise_level",
    "inpaint",
    "recovered_atoms",
]
