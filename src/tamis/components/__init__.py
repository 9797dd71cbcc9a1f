"""Components: scores = rows × loadings; methods differ in what they ask of the loadings (and scores).

``PCA`` asks for orthogonal directions of largest variance, ``SparsePCA`` for few columns in each, ``NMF`` for parts and
amounts that are not negative.
"""

from tamis.components.nmf import NMF
from tamis.components.nmf_rank import RankChoice, choose_rank
from tamis.components.nmf_solvers import ADMM, HALS, Multiplicative, Newton, PrimalDual
from tamis.components.pca import PCA
from tamis.components.sparse_certified import BestComponent, Certified
from tamis.components.sparse_methods import Elastic, LassoPCA, Power
from tamis.components.sparse_pca import SparsePCA

__all__ = [
    "ADMM",
    "HALS",
    "NMF",
    "PCA",
    "BestComponent",
    "Certified",
    "Elastic",
    "LassoPCA",
    "Multiplicative",
    "Newton",
    "Power",
    "PrimalDual",
    "RankChoice",
    "SparsePCA",
    "choose_rank",
]
