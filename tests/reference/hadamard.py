"""What the fast Walsh–Hadamard kernel computes: Sylvester's matrix, written out."""

import numpy as np


def hadamard(n):
    """H₁ = 1, H₂ₙ = [Hₙ Hₙ; Hₙ −Hₙ]."""
    H = np.ones((1, 1))
    while len(H) < n:
        H = np.block([[H, H], [H, -H]])
    return H


def fwht(X, scale):
    """scale · X H, for the rows of X."""
    return scale * X.astype(np.float64) @ hadamard(X.shape[1])
