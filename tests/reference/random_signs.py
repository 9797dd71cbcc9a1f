"""What the random sign kernels compute: bits of SplitMix64, one word for 64 columns, in plain integers."""

import numpy as np

MASK = 2**64 - 1


def word(key, position):
    z = (key + (position + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def signs(key, m, n):
    """−1 where bit j mod 64 of the word ⌊j/64⌋ of row i is set."""
    words = -(-n // 64)
    return np.array(
        [[1.0 - 2.0 * (word(key, i * words + j // 64) >> (j % 64) & 1) for j in range(n)] for i in range(m)]
    )
