"""Recoveries as objects: the parameters of a function, kept until there is something to recover.

``OMP(n_nonzero=10).recover(A, y)`` is ``omp(A, y, n_nonzero=10)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from tamis.sensing.recoveries.amp import amp
from tamis.sensing.recoveries.convex import basis_pursuit, bpdn
from tamis.sensing.recoveries.dantzig import dantzig
from tamis.sensing.recoveries.greedy import mp, omp
from tamis.sensing.recoveries.l0 import l0
from tamis.sensing.recoveries.proximal import fista, ista
from tamis.sensing.recoveries.reweighted import reweighted_l1
from tamis.sensing.recoveries.supports import cosamp, htp, subspace_pursuit
from tamis.sensing.recoveries.thresholding import iht, niht
from tamis.sensing.recoveries.total_variation import total_variation
from tamis.sensing.recovery import Recovery


class RecoveryMethod(BaseEstimator):
    """The parameters of a recovery; ``function(A, y, **parameters)`` is what runs."""

    function: ClassVar[Callable[..., Recovery]]

    def recover(self, A: Any, y: Any, *, basis: Any = None, start: Any = None, **others: Any) -> Recovery:
        """The recovery with these parameters; ``others`` take the place of parameters of the same name."""
        return type(self).function(A, y, basis=basis, start=start, **{**self.get_params(deep=False), **others})


class MP(RecoveryMethod):
    """Matching pursuit. Parameters are those of `mp`."""

    function = staticmethod(mp)

    def __init__(
        self,
        *,
        n_nonzero: int | None = None,
        noise: float | None = None,
        tol: float = 1e-7,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        column_norms: Any = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.noise = noise
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.column_norms = column_norms


class OMP(RecoveryMethod):
    """Orthogonal matching pursuit. Parameters are those of `omp`."""

    function = staticmethod(omp)

    def __init__(
        self,
        *,
        n_nonzero: int | None = None,
        noise: float | None = None,
        tol: float | None = None,
        time_limit: float | None = None,
        column_norms: Any = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.noise = noise
        self.tol = tol
        self.time_limit = time_limit
        self.column_norms = column_norms


class IHT(RecoveryMethod):
    """Iterative hard thresholding. Parameters are those of `iht`."""

    function = staticmethod(iht)

    def __init__(
        self,
        *,
        n_nonzero: int | None = None,
        step: float | None = None,
        noise: float | None = None,
        tol: float = 1e-7,
        max_iter: int = 5_000,
        time_limit: float | None = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.step = step
        self.noise = noise
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit


class NIHT(RecoveryMethod):
    """Normalised iterative hard thresholding. Parameters are those of `niht`."""

    function = staticmethod(niht)

    def __init__(
        self,
        *,
        n_nonzero: int | None = None,
        noise: float | None = None,
        tol: float = 1e-7,
        max_iter: int = 1_000,
        time_limit: float | None = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.noise = noise
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit


class HTP(RecoveryMethod):
    """Hard thresholding pursuit. Parameters are those of `htp`."""

    function = staticmethod(htp)

    def __init__(
        self,
        *,
        n_nonzero: int | None = None,
        noise: float | None = None,
        tol: float = 1e-7,
        max_iter: int = 200,
        time_limit: float | None = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.noise = noise
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit


class CoSaMP(RecoveryMethod):
    """Compressive sampling matching pursuit. Parameters are those of `cosamp`."""

    function = staticmethod(cosamp)

    def __init__(
        self,
        *,
        n_nonzero: int | None = None,
        noise: float | None = None,
        tol: float = 1e-7,
        max_iter: int = 200,
        time_limit: float | None = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.noise = noise
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit


class SubspacePursuit(RecoveryMethod):
    """Subspace pursuit. Parameters are those of `subspace_pursuit`."""

    function = staticmethod(subspace_pursuit)

    def __init__(
        self,
        *,
        n_nonzero: int | None = None,
        noise: float | None = None,
        tol: float = 1e-7,
        max_iter: int = 200,
        time_limit: float | None = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.noise = noise
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit


class ISTA(RecoveryMethod):
    """Iterative soft thresholding. Parameters are those of `ista`."""

    function = staticmethod(ista)

    def __init__(
        self,
        *,
        alpha: float | None = None,
        step: float | None = None,
        tol: float = 1e-7,
        max_iter: int = 10_000,
        time_limit: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.step = step
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit


class FISTA(RecoveryMethod):
    """Accelerated iterative soft thresholding. Parameters are those of `fista`."""

    function = staticmethod(fista)

    def __init__(
        self, *, alpha: float | None = None, tol: float = 1e-7, max_iter: int = 10_000, time_limit: float | None = None
    ) -> None:
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit


class BasisPursuit(RecoveryMethod):
    """Basis pursuit, exactly and with a proof. Parameters are those of `basis_pursuit`."""

    function = staticmethod(basis_pursuit)

    def __init__(self, *, tol: float = 1e-7, max_iter: int = 20_000, time_limit: float | None = None) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit


class BPDN(RecoveryMethod):
    """Basis pursuit denoising, penalised or within a radius. Parameters are those of `bpdn`."""

    function = staticmethod(bpdn)

    def __init__(
        self,
        *,
        alpha: float | None = None,
        noise: float | None = None,
        tol: float = 1e-7,
        max_iter: int = 20_000,
        time_limit: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.noise = noise
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit


class AMP(RecoveryMethod):
    """Approximate message passing. Parameters are those of `amp`."""

    function = staticmethod(amp)

    def __init__(
        self,
        *,
        threshold: float | None = None,
        noise: float | None = None,
        tol: float = 1e-7,
        max_iter: int = 500,
        time_limit: float | None = None,
    ) -> None:
        self.threshold = threshold
        self.noise = noise
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit


class ReweightedL1(RecoveryMethod):
    """Reweighted ℓ₁. Parameters are those of `reweighted_l1`."""

    function = staticmethod(reweighted_l1)

    def __init__(
        self,
        *,
        noise: float | None = None,
        epsilon: float | None = None,
        max_iter: int = 8,
        tol: float = 1e-7,
        time_limit: float | None = None,
    ) -> None:
        self.noise = noise
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit


class TotalVariation(RecoveryMethod):
    """Least total variation of images. Parameters are those of `total_variation`."""

    function = staticmethod(total_variation)

    def __init__(
        self,
        *,
        alpha: float | None = None,
        shape: tuple[int, ...] | None = None,
        noise: float | None = None,
        tol: float = 1e-5,
        max_iter: int = 20_000,
        time_limit: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.shape = shape
        self.noise = noise
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit


class Dantzig(RecoveryMethod):
    """The Dantzig selector. Parameters are those of `dantzig`."""

    function = staticmethod(dantzig)

    def __init__(self, *, alpha: float | None = None, tol: float = 1e-7, time_limit: float | None = None) -> None:
        self.alpha = alpha
        self.tol = tol
        self.time_limit = time_limit


class L0(RecoveryMethod):
    """Best support by branch and bound. Parameters are those of `l0`."""

    function = staticmethod(l0)

    def __init__(
        self,
        *,
        n_nonzero: int | None = None,
        noise: float | None = None,
        tol: float = 1e-7,
        max_nodes: int = 1_000_000,
        time_limit: float | None = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.noise = noise
        self.tol = tol
        self.max_nodes = max_nodes
        self.time_limit = time_limit


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
