"""Atoms that nobody uses or that are there twice, and atoms kept apart from each other."""

from __future__ import annotations

import numpy as np

from tamis._core.errors import InputError
from tamis._core.vectors import unit_rows

SAME = 0.99  # |⟨dᵢ, dⱼ⟩| above: the same atom


def duplicates(D: np.ndarray, usage: np.ndarray) -> np.ndarray:
    """Which atoms are the less used ones of a pair with |⟨dᵢ, dⱼ⟩| > 0.99 (of equals the later)."""
    order = np.argsort(-usage, kind="stable")
    unit = unit_rows(D[order].astype(np.float64))[0]
    close = np.triu(np.abs(unit @ unit.T) > SAME, 1)
    dropped = np.zeros(len(D), bool)
    for i in range(len(D)):
        if not dropped[order[i]]:
            dropped[order[close[i]]] = True
    return dropped


def replaced(D: np.ndarray, which: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """D with new directions where ``which``: those of the rows, in their order, as far as they are new; else random."""
    out = D.copy()
    rows = unit_rows(np.asarray(rows, dtype=np.float64))[0]
    kept = unit_rows(D[~which].astype(np.float64))[0]
    candidates = iter(rows[np.linalg.norm(rows, axis=1) > 0])
    for j in np.flatnonzero(which):
        new = next((d for d in candidates if np.abs(kept @ d).max(initial=0.0) <= SAME), None)
        if new is None:
            new = unit_rows(rng.standard_normal((1, D.shape[1])))[0][0]
        out[j] = new
        kept = np.concatenate([kept, new[None]])
    return out


def smallest_coherence(k: int, p: int) -> float:
    """√((k − p)/(p(k − 1))): no k unit vectors of p numbers are all less coherent (Welch 1974)."""
    return float(np.sqrt((k - p) / (p * (k - 1)))) if k > p else 0.0


def check_coherence(limit: float, k: int, p: int) -> None:
    if limit <= smallest_coherence(k, p):
        raise InputError(
            f"max_coherence must be above {smallest_coherence(k, p):.3g} for {k} atoms of {p} numbers (Welch's bound), "
            f"got {limit!r}",
            argument="max_coherence",
        )


def decorrelated(D: np.ndarray, limit: float, max_passes: int = 200) -> np.ndarray:
    """D with |⟨dᵢ, dⱼ⟩| ≤ limit: the two atoms of each pair above it are turned apart in their plane, by the same
    angle, until no pair is above (Mailhé, Barchiesi and Plumbley 2012).
    """
    unit, lengths = unit_rows(D.astype(np.float64))
    for _ in range(max_passes):
        pairs = np.argwhere(np.triu(np.abs(unit @ unit.T), 1) > limit * (1 + 1e-9))
        if len(pairs) == 0:
            break
        for i, j in pairs:
            cosine = float(unit[i] @ unit[j])
            if abs(cosine) > limit:
                unit[i], unit[j] = _turned_apart(unit[i], unit[j], cosine, 0.999 * limit)
    return (unit * np.where(lengths > 0, lengths, 0)[:, None]).astype(D.dtype)


def _turned_apart(a: np.ndarray, b: np.ndarray, cosine: float, limit: float) -> tuple[np.ndarray, np.ndarray]:
    sign = 1.0 if cosine > 0 else -1.0
    along, across = a + sign * b, a - sign * b
    if np.linalg.norm(across) < 1e-12:
        across = np.eye(len(a))[np.abs(a).argmin()]
        across = across - (across @ a) * a
    along, across = along / np.linalg.norm(along), across / np.linalg.norm(across)
    half = np.arccos(limit) / 2
    return np.cos(half) * along + np.sin(half) * across, sign * (np.cos(half) * along - np.sin(half) * across)
