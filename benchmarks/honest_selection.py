"""Whether ``compare_selectors`` keeps what it promises: on noise, on planted columns, on tables of known answers.

Run ``python -m benchmarks.honest_selection noise planted demo wide`` (and ``riboflavin gametes`` with ``--data FOLDER``
that holds riboflavin/riboflavin.npz and gametes_relief/GAMETES_Epistasis_2-Way_20atts_0.4H_EDM-1_1.tsv.gz; without the
folder they are skipped). Every comparison has its default options; a wide table gets ``--time SECONDS``, 300 unless
told. ``--seeds A:B`` takes seeds A to B − 1 instead of 0:20, so that a long run can be done in pieces. A line for each
seed, then what was measured beside the bar.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tamis import compare_selectors


def shown(name: str, measured: str, bar: str, kept: bool) -> None:
    print(f"{name}: {measured}; bar: {bar}: {'kept' if kept else 'MISSED'}", flush=True)


def compared(name: str, X: Any, y: Any, **options: Any) -> Any:
    """A comparison, and a line about it."""
    began = time.time()
    found = compare_selectors(X, y, n_jobs=2, **options)
    r = found.recommended_
    low = r.against_none.low
    print(
        f"  {name}: {r.method} {r.size} {r.learner} {found.scoring_} {r.score:.3f} [{r.interval[0]:.3f}, "
        f"{r.interval[1]:.3f}], low end against none {low:+.3f}, while choosing {r.score_while_choosing:.3f}, "
        f"{time.time() - began:.0f} s, {found.status_}",
        flush=True,
    )
    return found


def noise(seeds: range, limit: float) -> None:
    """Classes that no column knows of, 100 × 1,000."""
    nested, quoted = [], []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(100, 1000)), rng.permutation(np.repeat([0, 1], 50))
        best = compared(f"noise {seed}", X, y, random_state=seed, time_limit=limit).recommended_
        nested.append(best.score)
        quoted.append(best.score_while_choosing)
    off = abs(np.mean(nested) - 0.5)
    shown("noise", f"mean nested AUC {np.mean(nested):.3f}", "within 0.04 of 0.5", off <= 0.04)
    shown("noise", f"while choosing {np.mean(quoted):.3f}", "above 0.8", float(np.mean(quoted)) > 0.8)


def planted(seeds: range, limit: float) -> None:
    """Five columns of equal weight among 200, 300 rows, signal-to-noise ratio 3."""
    found = covered = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        w = np.zeros(200)
        true = rng.choice(200, 5, replace=False)
        w[true] = np.sqrt(3 / 5)
        X, fresh = rng.normal(size=(300, 200)), rng.normal(size=(100_000, 200))
        y, y_fresh = (A @ w + rng.normal(size=len(A)) for A in (X, fresh))
        best = compared(f"planted {seed}", X, y, random_state=seed, time_limit=limit).recommended_
        truth = _refitted(best, X, y, fresh, y_fresh)
        right = set(true) <= set(best.features) and len(best.features) <= 6
        inside = best.interval[0] <= truth <= best.interval[1]
        print(f"    the 5 and at most 1 more: {right}; fresh rows {truth:.3f}, covered: {inside}", flush=True)
        found, covered = found + right, covered + inside
    shown("planted", f"the 5 and at most 1 more in {found} of {len(seeds)}", "18 of 20", found >= 0.9 * len(seeds))
    shown("planted", f"the interval covers in {covered} of {len(seeds)}", "17 of 20", covered >= 0.85 * len(seeds))


def _refitted(best: Any, X: np.ndarray, y: np.ndarray, fresh: np.ndarray, y_fresh: np.ndarray) -> float:
    from tamis.selection.comparison.learners import boosting, linear_model

    model = linear_model("regression", False) if best.learner == "linear" else boosting("regression")
    fitted = model.fit(X[:, best.features], y)
    return float(
        1 - ((y_fresh - fitted.predict(fresh[:, best.features])) ** 2).sum() / ((y_fresh - y.mean()) ** 2).sum()
    )


def demo() -> None:
    """Breast cancer, 569 × 30: time, size, and the time beyond the fits themselves."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    best = compare_selectors(X, y, n_jobs=2)
    r = best.recommended_
    shown("demo", f"{best.seconds_:.1f} s on two cores", "40 s", best.seconds_ <= 40)
    shown("demo", f"{r.size} columns, AUC {r.score:.3f}", "at most 8", r.size <= 8)
    alone = compare_selectors(X, y, n_jobs=1)
    beyond = alone.seconds_ / alone.fit_seconds_ - 1
    shown("demo", f"{100 * beyond:.1f} % beyond the fits", "10 %", beyond <= 0.1)


def wide(limit: float) -> None:
    """71 × 4,088 and 500 × 20,000 within five minutes."""
    for n, p in ((71, 4088), (500, 20_000)):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, p))
        y = X[:, :5].sum(axis=1) + rng.normal(size=n)
        began = time.time()
        found = compared(f"wide {n} × {p}", X, y, time_limit=limit)
        seconds = time.time() - began
        peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1e6
        cut = "; ".join(found.unfinished_) or "all finished"
        kept = seconds <= 300 and peak <= 2
        shown(f"wide {n} × {p}", f"{seconds:.0f} s, {peak:.2f} GB in the largest process, {cut}", "300 s, 2 GB", kept)


def riboflavin(seeds: range, limit: float, data: Path) -> None:
    held = np.load(data / "riboflavin" / "riboflavin.npz", allow_pickle=True)
    X, y = held["X"], np.ravel(held["y"])
    if 0 in seeds:
        best = compared("riboflavin", X, y, time_limit=limit).recommended_
        good = best.better_than_none and best.score >= 0.5
        shown("riboflavin", f"R² {best.score:.3f}, better than none {best.better_than_none}", "R² ≥ 0.5, better", good)
    _shuffled("riboflavin", X, y, seeds, limit)


def gametes(seeds: range, limit: float, data: Path) -> None:
    from tamis.sources import as_source, gather

    name = "GAMETES_Epistasis_2-Way_20atts_0.4H_EDM-1_1.tsv.gz"
    source = as_source(data / "gametes_relief" / name, target="class")
    block = gather(source)
    X, y = block.X, np.asarray(block.y).astype(int)
    if 0 in seeds:
        best = compared("GAMETES", X, y, time_limit=limit).recommended_
        chosen = {source.names[j] for j in best.features}
        both = {"P1", "P2"} <= chosen
        shown("GAMETES", f"chose {sorted(chosen)}, AUC {best.score:.3f}", "P1 and P2 among them", both)
    _shuffled("GAMETES", X, y, seeds, limit)


def _shuffled(name: str, X: np.ndarray, y: np.ndarray, seeds: range, limit: float) -> None:
    wrong = sum(
        compared(
            f"{name} shuffled {seed}", X, target, random_state=seed, time_limit=limit
        ).recommended_.better_than_none
        for seed, target in _targets(y, seeds)
    )
    shown(name, f"shuffled: better than none in {wrong} of {len(seeds)}", "1 of 20", wrong <= 1)


def _targets(y: np.ndarray, seeds: range) -> Iterator[tuple[int, np.ndarray]]:
    for seed in seeds:
        yield seed, np.random.default_rng(seed).permutation(y)


def _as_seeds(text: str) -> range:
    first, _, last = text.rpartition(":")
    return range(int(first or 0), int(last))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["noise", "planted", "demo", "wide"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seeds", type=_as_seeds, default=range(20), metavar="A:B")
    parser.add_argument("--time", type=float, default=300.0, metavar="SECONDS")
    given = parser.parse_args()
    for what in given.what:
        if what in ("riboflavin", "gametes"):
            if given.data is None:
                print(f"{what}: skipped, --data names no folder")
            else:
                {"riboflavin": riboflavin, "gametes": gametes}[what](given.seeds, given.time, given.data)
        elif what in ("noise", "planted"):
            {"noise": noise, "planted": planted}[what](given.seeds, given.time)
        elif what == "wide":
            wide(given.time)
        else:
            demo()


if __name__ == "__main__":
    main()
