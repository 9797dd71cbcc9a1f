"""Recoveries as objects: the parameters of a function, kept until there is something to recover.

``OMP(n_nonzero=10).recover(A, y)`` is ``omp(A, y, n_nonzero=10)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from tamis._core.parameters import constructor, keywords_of
from tamis.sensing.recoveries.amp import amp
from tamis.sensing.recoveries.basis_pursuit import basis_pursuit, bpdn
from tamis.sensing.recoveries.dantzig import dantzig
from tamis.sensing.recoveries.hard_thresholding import iht, niht
from tamis.sensing.recoveries.l0 import l0
from tamis.sensing.recoveries.matching_pursuit import mp, omp
from tamis.sensing.recoveries.reweighted_l1 import reweighted_l1
from tamis.sensing.recoveries.soft_thresholding import fista, ista
from tamis.sensing.recoveries.support_pursuits import cosamp, htp, subspace_pursuit
from tamis.sensing.recoveries.total_variation import total_variation
from tamis.sensing.recovery import Recovery

GIVEN_LATER = ("A", "y", "basis", "start")  # with the measurements


class RecoveryMethod(BaseEstimator):
    """The parameters of a recovery; ``function(A, y, **parameters)`` is what runs.

    ``class Own(RecoveryMethod, function=own)`` has the parameters of ``own(A, y, …, *, basis, start)``, by keyword.
    """

    function: ClassVar[Callable[..., Recovery]]

    def __init_subclass__(cls, function: Callable[..., Recovery] | None = None, **others: Any) -> None:
        super().__init_subclass__(**others)
        if function is not None:
            cls.function = staticmethod(function)
            cls.__init__ = constructor(keywords_of(function, without=GIVEN_LATER))  # type: ignore[method-assign]

    def __init__(self, **parameters: Any) -> None:
        raise TypeError("RecoveryMethod has no function of its own: derive from it with function=…")

    def recover(self, A: Any, y: Any, *, basis: Any = None, start: Any = None, **others: Any) -> Recovery:
        """The recovery with these parameters; ``others`` take the place of parameters of the same name."""
        return type(self).function(A, y, basis=basis, start=start, **{**self.get_params(deep=False), **others})


class MP(RecoveryMethod, function=mp):
    """Matching pursuit. Parameters are those of `mp`."""


class OMP(RecoveryMethod, function=omp):
    """Orthogonal matching pursuit. Parameters are those of `omp`."""


class IHT(RecoveryMethod, function=iht):
    """Iterative hard thresholding. Parameters are those of `iht`."""


class NIHT(RecoveryMethod, function=niht):
    """Normalised iterative hard thresholding. Parameters are those of `niht`."""


class HTP(RecoveryMethod, function=htp):
    """Hard thresholding pursuit. Parameters are those of `htp`."""


class CoSaMP(RecoveryMethod, function=cosamp):
    """Compressive sampling matching pursuit. Parameters are those of `cosamp`."""


class SubspacePursuit(RecoveryMethod, function=subspace_pursuit):
    """Subspace pursuit. Parameters are those of `subspace_pursuit`."""


class ISTA(RecoveryMethod, function=ista):
    """Iterative soft thresholding. Parameters are those of `ista`."""


class FISTA(RecoveryMethod, function=fista):
    """Accelerated iterative soft thresholding. Parameters are those of `fista`."""


class BasisPursuit(RecoveryMethod, function=basis_pursuit):
    """Basis pursuit, exactly and with a proof. Parameters are those of `basis_pursuit`."""


class BPDN(RecoveryMethod, function=bpdn):
    """Basis pursuit denoising, penalised or within a radius. Parameters are those of `bpdn`."""


class AMP(RecoveryMethod, function=amp):
    """Approximate message passing. Parameters are those of `amp`."""


class ReweightedL1(RecoveryMethod, function=reweighted_l1):
    """Reweighted ℓ₁. Parameters are those of `reweighted_l1`."""


class TotalVariation(RecoveryMethod, function=total_variation):
    """Least total variation of images. Parameters are those of `total_variation`."""


class Dantzig(RecoveryMethod, function=dantzig):
    """The Dantzig selector. Parameters are those of `dantzig`."""


class L0(RecoveryMethod, function=l0):
    """Best support by branch and bound. Parameters are those of `l0`."""


METHODS: dict[str, type[RecoveryMethod]] = {
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
