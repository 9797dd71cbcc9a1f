"""A small table, ratings, a picture and frames of a video: what the verbs of the command line read."""

import numpy as np
import pytest


def write_inputs(folder, third="r"):
    """``t.csv`` with classes in k and columns p, q and ``third``, ``r.csv``, ``p.png`` and ``frames``; the numbers of
    the table and the generator that drew them."""
    imageio = pytest.importorskip("imageio.v3")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3))
    rows = [f"{a},{b},{c},{'a' if a > 0 else 'b'}" for a, b, c in X]
    (folder / "t.csv").write_text("\n".join([f"p,q,{third},k", *rows]) + "\n")
    rated = [f"u{i},i{j},{i % 3 + j % 2}" for i in range(12) for j in range(10) if (3 * i + j) % 4]
    (folder / "r.csv").write_text("\n".join(["u,i,r", *rated]) + "\n")
    imageio.imwrite(folder / "p.png", (rng.random((32, 32)) * 255).astype(np.uint8))
    (folder / "frames").mkdir()
    for k in range(6):
        imageio.imwrite(folder / "frames" / f"{k}.png", (rng.random((16, 16)) * 255).astype(np.uint8))
    return X, rng
