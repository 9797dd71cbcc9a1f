"""Tamis finds the few things that matter in data, and hands over the evidence with the answer."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tamis._core.errors import InputError as InputError
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
    from tamis.linear import sparse_path as sparse_path
    from tamis.selection import FCBF as FCBF
    from tamis.selection import EmbeddedSelector as EmbeddedSelector
    from tamis.selection import LasVegasWrapper as LasVegasWrapper
    from tamis.selection import MultiSURF as MultiSURF
    from tamis.selection import Relief as Relief
    from tamis.selection import ReliefF as ReliefF
    from tamis.selection import RReliefF as RReliefF
    from tamis.selection import SubsetSelector as SubsetSelector
    from tamis.selection import TreeSelector as TreeSelector
    from tamis.selection import find_redundant as find_redundant
    from tamis.sources import as_source as as_source

__version__ = "0.1.0"

# Loaded when first used, so that `import tamis` costs next to nothing.
_HOMES = {
    "InputError": "tamis._core.errors",
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
    "sparse_path": "tamis.linear",
    "FCBF": "tamis.selection",
    "LasVegasWrapper": "tamis.selection",
    "MultiSURF": "tamis.selection",
    "RReliefF": "tamis.selection",
    "EmbeddedSelector": "tamis.selection",
    "Relief": "tamis.selection",
    "ReliefF": "tamis.selection",
    "SubsetSelector": "tamis.selection",
    "TreeSelector": "tamis.selection",
    "find_redundant": "tamis.selection",
    "as_source": "tamis.sources",
}

_FAMILIES = (
    "datafits", "datasets", "linear", "operators", "penalties", "plots", "selection", "solvers", "sources", "stats",
    "testing",
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
