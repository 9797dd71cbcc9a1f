"""A signal is a basis times a sparse code, seen through a measurement, found by a recovery."""

from tamis.sensing.approximation import Approximation, k_term
from tamis.sensing.bases import DCT, Basis, Dictionary, Fourier, Gabor, Identity, Wavelet
from tamis.sensing.coherence import babel, coherence, guaranteed_sparsity
from tamis.sensing.denoising import Denoised, noise_level, threshold_denoise
from tamis.sensing.exact_recovery import DualCertificate, ExactRecovery, dual_certificate, exact_recovery
from tamis.sensing.gap_certificates import ConstrainedGap, PenalisedGap
from tamis.sensing.isometry import RipBounds, rip_bounds
from tamis.sensing.measurements import (
    Bernoulli,
    Gaussian,
    Measurement,
    PartialDCT,
    PartialFourier,
    PartialHadamard,
    Samples,
)
from tamis.sensing.phase_transition import PhaseTransition, donoho_tanner, phase_transition
from tamis.sensing.recover import recover
from tamis.sensing.recoveries import RECOVERIES as RECOVERIES
from tamis.sensing.recoveries.amp import AMP, amp, state_evolution
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recoveries.basis_pursuit import BPDN, BasisPursuit, basis_pursuit, bpdn
from tamis.sensing.recoveries.dantzig import Dantzig, DantzigGap, dantzig
from tamis.sensing.recoveries.hard_thresholding import IHT, NIHT, iht, niht
from tamis.sensing.recoveries.l0 import L0, NoBetterSupport, l0
from tamis.sensing.recoveries.matching_pursuit import MP, OMP, mp, omp
from tamis.sensing.recoveries.reweighted_l1 import ReweightedL1, reweighted_l1
from tamis.sensing.recoveries.soft_thresholding import FISTA, ISTA, fista, ista
from tamis.sensing.recoveries.support_pursuits import HTP, CoSaMP, SubspacePursuit, cosamp, htp, subspace_pursuit
from tamis.sensing.recoveries.total_variation import TotalVariation, total_variation
from tamis.sensing.recovery import Recovery
from tamis.sensing.sensor import CompressedSensor
from tamis.solvers.thresholds import hard_threshold, soft_threshold

__all__ = [
    "AMP",
    "BPDN",
    "DCT",
    "FISTA",
    "HTP",
    "IHT",
    "ISTA",
    "L0",
    "MP",
    "NIHT",
    "OMP",
    "Approximation",
    "Basis",
    "BasisPursuit",
    "Bernoulli",
    "CoSaMP",
    "CompressedSensor",
    "ConstrainedGap",
    "Dantzig",
    "DantzigGap",
    "Denoised",
    "Dictionary",
    "DualCertificate",
    "ExactRecovery",
    "Fourier",
    "Gabor",
    "Gaussian",
    "Identity",
    "Measurement",
    "NoBetterSupport",
    "PartialDCT",
    "PartialFourier",
    "PartialHadamard",
    "PenalisedGap",
    "PhaseTransition",
    "Recovery",
    "RecoveryMethod",
    "ReweightedL1",
    "RipBounds",
    "Samples",
    "SubspacePursuit",
    "TotalVariation",
    "Wavelet",
    "amp",
    "babel",
    "basis_pursuit",
    "bpdn",
    "coherence",
    "cosamp",
    "dantzig",
    "donoho_tanner",
    "dual_certificate",
    "exact_recovery",
    "fista",
    "guaranteed_sparsity",
    "hard_threshold",
    "htp",
    "iht",
    "ista",
    "k_term",
    "l0",
    "mp",
    "niht",
    "noise_level",
    "omp",
    "phase_transition",
    "recover",
    "reweighted_l1",
    "rip_bounds",
    "soft_threshold",
    "state_evolution",
    "subspace_pursuit",
    "threshold_denoise",
    "total_variation",
]
