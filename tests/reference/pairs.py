"""What the kernel of concordant pairs computes: every pair, one by one."""

import numpy as np


def concordant_pairs(values, positive, W):
    """Σ wᵢ wⱼ (1[vᵢ > vⱼ] + ½ 1[vᵢ = vⱼ]) over positive rows i and other rows j."""
    out = np.zeros((len(values), W.shape[1]))
    for u, v in enumerate(values):
        for i in np.flatnonzero(positive):
            for j in np.flatnonzero(~positive):
                out[u] += W[i] * W[j] * ((v[i] > v[j]) + 0.5 * (v[i] == v[j]))
    return out
