"""Where ℓ₁ recovery from Gaussian measurements changes from success to failure, and the threshold that goes with it."""

from __future__ import annotations

import numpy as np
import scipy.optimize
import scipy.special


def l1_transition(delta: float) -> tuple[float, float]:
    """ρ(δ) = max_z [1 − (2/δ) h(z)] / [1 + z² − 2 h(z)] with h(z) = (1 + z²) Φ(−z) − z φ(z), and the z that attains it.

    z is also the threshold of `amp` that is best for the least favourable signals of that sparsity (Donoho, Maleki &
    Montanari 2009).
    """
    if delta >= 1.0:
        return 1.0, 0.0

    def negative(z: float) -> float:
        h = (1.0 + z**2) * scipy.special.ndtr(-z) - z * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
        return float(-(1.0 - 2.0 * h / delta) / (1.0 + z**2 - 2.0 * h))

    z = np.linspace(0.0, 12.0, 241)[1:]
    near = z[int(np.argmin([negative(v) for v in z]))]
    bounds = (max(1e-6, near - 0.1), near + 0.1)
    found = scipy.optimize.minimize_scalar(negative, bounds=bounds, method="bounded", options={"xatol": 1e-10})
    return float(-found.fun), float(found.x)
