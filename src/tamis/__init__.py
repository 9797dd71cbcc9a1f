"""Tamis finds the few things that matter in data, and hands over the evidence with the answer."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tamis._core.config import config_context as config_context
    from tamis._core.config import get_config as get_config
    from tamis._core.config import set_config as set_config
    from tamis._core.errors import InputError as InputError
    from tamis.base.saved import load as load
    from tamis.components import NMF as NMF
    from tamis.components import PCA as PCA
    from tamis.components import SparsePCA as SparsePCA
    from tamis.dictionary import KSVD as KSVD
    from tamis.dictionary import DictionaryLearner as DictionaryLearner
    from tamis.dictionary import OnlineDictionary as OnlineDictionary
    from tamis.dictionary import OrthogonalDictionary as OrthogonalDictionary
    from tamis.dictionary import SparseCoder as SparseCoder
    from tamis.dictionary import denoise as denoise
    from tamis.dictionary import inpaint as inpaint
    from tamis.linear import BestSubset as BestSubset
    from tamis.linear import BestSubsetClassifier as BestSubsetClassifier
    from tamis.linear import ElasticNet as ElasticNet
    from tamis.linear import ElasticNetCV as ElasticNetCV
    from tamis.linear import GroupLasso as GroupLasso
    from tamis.linear import Lasso as Lasso
    from tamis.linear import LassoCV as LassoCV
    from tamis.linear import SparseClassifier as SparseClassifier
    from tamis.linear import SparseClassifierCV as SparseClassifierCV
    from tamis.linear import SparseLogisticRegression as SparseLogisticRegression
    from tamis.linear import SparseRegressor as SparseRegressor
    from tamis.linear import SparseRegressorCV as SparseRegressorCV
    from tamis.linear import SparseSVC as SparseSVC
    from tamis.linear import sparse_path as sparse_path
    from tamis.lowrank import GraphRobustPCA as GraphRobustPCA
    from tamis.lowrank import MatrixCompletion as MatrixCompletion
    from tamis.lowrank import RobustPCA as RobustPCA
    from tamis.report.notebook import select as select
    from tamis.selection import FCBF as FCBF
    from tamis.selection import EmbeddedSelector as EmbeddedSelector
    from tamis.selection import LasVegasWrapper as LasVegasWrapper
    from tamis.selection import MultiSURF as MultiSURF
    from tamis.selection import Relief as Relief
    from tamis.selection import ReliefF as ReliefF
    from tamis.selection import RReliefF as RReliefF
    from tamis.selection import SubsetSelector as SubsetSelector
    from tamis.selection import TreeSelector as TreeSelector
    from tamis.selection import compare_selectors as compare_selectors
    from tamis.selection import find_redundant as find_redundant
    from tamis.sensing import CompressedSensor as CompressedSensor
    from tamis.sensing import amp as amp
    from tamis.sensing import basis_pursuit as basis_pursuit
    from tamis.sensing import bpdn as bpdn
    from tamis.sensing import coherence as coherence
    from tamis.sensing import cosamp as cosamp
    from tamis.sensing import fista as fista
    from tamis.sensing import htp as htp
    from tamis.sensing import iht as iht
    from tamis.sensing import ista as ista
    from tamis.sensing import mp as mp
    from tamis.sensing import niht as niht
    from tamis.sensing import omp as omp
    from tamis.sensing import phase_transition as phase_transition
    from tamis.sensing import recover as recover
    from tamis.sensing import rip_bounds as rip_bounds
    from tamis.sensing import subspace_pursuit as subspace_pursuit
    from tamis.sources import as_source as as_source

__version__ = "0.1.0"

# Loaded when first used, so that `import tamis` costs next to nothing.
_HOMES = {
    "config_context": "tamis._core.config",
    "get_config": "tamis._core.config",
    "set_config": "tamis._core.config",
    "InputError": "tamis._core.errors",
    "load": "tamis.base.saved",
    "NMF": "tamis.components",
    "PCA": "tamis.components",
    "SparsePCA": "tamis.components",
    "KSVD": "tamis.dictionary",
    "DictionaryLearner": "tamis.dictionary",
    "OnlineDictionary": "tamis.dictionary",
    "OrthogonalDictionary": "tamis.dictionary",
    "SparseCoder": "tamis.dictionary",
    "denoise": "tamis.dictionary",
    "inpaint": "tamis.dictionary",
    "BestSubset": "tamis.linear",
    "BestSubsetClassifier": "tamis.linear",
    "ElasticNet": "tamis.linear",
    "ElasticNetCV": "tamis.linear",
    "GroupLasso": "tamis.linear",
    "Lasso": "tamis.linear",
    "LassoCV": "tamis.linear",
    "SparseClassifier": "tamis.linear",
    "SparseClassifierCV": "tamis.linear",
    "SparseLogisticRegression": "tamis.linear",
    "SparseRegressor": "tamis.linear",
    "SparseRegressorCV": "tamis.linear",
    "SparseSVC": "tamis.linear",
    "sparse_path": "tamis.linear",
    "GraphRobustPCA": "tamis.lowrank",
    "MatrixCompletion": "tamis.lowrank",
    "RobustPCA": "tamis.lowrank",
    "select": "tamis.report.notebook",
    "FCBF": "tamis.selection",
    "LasVegasWrapper": "tamis.selection",
    "MultiSURF": "tamis.selection",
    "RReliefF": "tamis.selection",
    "EmbeddedSelector": "tamis.selection",
    "Relief": "tamis.selection",
    "ReliefF": "tamis.selection",
    "SubsetSelector": "tamis.selection",
    "TreeSelector": "tamis.selection",
    "compare_selectors": "tamis.selection",
    "find_redundant": "tamis.selection",
    "CompressedSensor": "tamis.sensing",
    "amp": "tamis.sensing",
    "basis_pursuit": "tamis.sensing",
    "bpdn": "tamis.sensing",
    "coherence": "tamis.sensing",
    "cosamp": "tamis.sensing",
    "fista": "tamis.sensing",
    "htp": "tamis.sensing",
    "iht": "tamis.sensing",
    "ista": "tamis.sensing",
    "mp": "tamis.sensing",
    "niht": "tamis.sensing",
    "omp": "tamis.sensing",
    "phase_transition": "tamis.sensing",
    "recover": "tamis.sensing",
    "rip_bounds": "tamis.sensing",
    "subspace_pursuit": "tamis.sensing",
    "as_source": "tamis.sources",
}

_FAMILIES = (
    "components", "datafits", "datasets", "dictionary", "linear", "lowrank", "operators", "penalties", "plots",
    "selection", "sensing", "solvers", "sources", "stats", "testing",
)  # fmt: skip

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in _FAMILIES:
        return importlib.import_module(f"tamis.{name}")
    raise AttributeError(f"module 'tamis' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
