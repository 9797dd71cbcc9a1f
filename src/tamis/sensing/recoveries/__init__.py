"""How a sparse code is found: each recovery as a function, and as a class that keeps its parameters."""

from tamis.sensing.recoveries.amp import AMP
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recoveries.basis_pursuit import BPDN, BasisPursuit
from tamis.sensing.recoveries.dantzig import Dantzig
from tamis.sensing.recoveries.hard_thresholding import IHT, NIHT
from tamis.sensing.recoveries.l0 import L0
from tamis.sensing.recoveries.matching_pursuit import MP, OMP
from tamis.sensing.recoveries.reweighted_l1 import ReweightedL1
from tamis.sensing.recoveries.soft_thresholding import FISTA, ISTA
from tamis.sensing.recoveries.support_pursuits import HTP, CoSaMP, SubspacePursuit
from tamis.sensing.recoveries.total_variation import TotalVariation

RECOVERIES: dict[str, type[RecoveryMethod]] = {
    "basis_pursuit": BasisPursuit,
    "bpdn": BPDN,
    "omp": OMP,
    "mp": MP,
    "iht": IHT,
    "niht": NIHT,
    "htp": HTP,
    "cosamp": CoSaMP,
    "subspace_pursuit": SubspacePursuit,
    "ista": ISTA,
    "fista": FISTA,
    "amp": AMP,
    "reweighted_l1": ReweightedL1,
    "total_variation": TotalVariation,
    "dantzig": Dantzig,
    "l0": L0,
}

__all__ = [
    "AMP",
    "BPDN",
    "FISTA",
    "HTP",
    "IHT",
    "ISTA",
    "L0",
    "MP",
    "NIHT",
    "OMP",
    "RECOVERIES",
    "BasisPursuit",
    "CoSaMP",
    "Dantzig",
    "RecoveryMethod",
    "ReweightedL1",
    "SubspacePursuit",
    "TotalVariation",
]
