"""Orthogonal matching pursuit in its own words: every correlation and every fit anew."""

import numpy as np


def pursuit(A, y, k):
    """(columns in the order they join, residual norms before and after each)."""
    S, r, norms = [], y, [np.linalg.norm(y)]
    lengths = np.linalg.norm(A, axis=0)
    for _ in range(k):
        scores = np.abs(A.conj().T @ r) / lengths
        scores[S] = 0
        S.append(int(scores.argmax()))
        r = y - A[:, S] @ np.linalg.lstsq(A[:, S], y, rcond=None)[0]
        norms.append(np.linalg.norm(r))
    return S, np.array(norms)
