"""The same of sparse rows, which stay sparse though they are centred."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp

from benchmarks.objective import Dataset
from benchmarks.questions import pca
from benchmarks.questions.pca import Rows


class Objective(pca.Objective):
    title = "Principal components of sparse rows"
    text = (
        "The first k principal directions of centred sparse rows, judged as those of dense ones. Noise, and k constant "
        "blocks of rank one each above it, so that there is a gap after the last."
    )
    cap = 60.0


def datasets(quick: bool) -> list[Dataset]:
    if quick:
        return [Dataset("300 × 200, k = 3", partial(sparse, 300, 200, 0.05, 3))]
    name = "100,000 × 20,000, density 0.001, k = 50"
    return [Dataset(name, partial(sparse, 100_000, 20_000, 1e-3, 50), limit=1.2)]


def sparse(n: int, p: int, density: float, k: int) -> Rows:
    """Random entries, and k blocks of rows and columns that are constant: of rank one each, and above the noise."""
    rng = np.random.default_rng(0)
    X = sp.random_array((n, p), density=density, rng=rng, format="csr")
    rows, columns = np.array_split(rng.permutation(n), 20 * k), np.array_split(rng.permutation(p), 20 * k)
    edge = np.sqrt(density / 3) * (np.sqrt(n) + np.sqrt(p))  # the largest singular value of the noise, nearly
    parts = []
    for j, size in enumerate(1.5 * edge * np.geomspace(4, 1, k)):
        i, c = np.meshgrid(rows[j], columns[j], indexing="ij")
        parts.append((i.ravel(), c.ravel(), np.full(i.size, size / np.sqrt(i.size))))
    i, c, v = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Rows((X + sp.csr_array((v, (i, c)), shape=(n, p))).tocsr(), k)
