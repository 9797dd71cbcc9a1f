"""Whether ``compare_selectors`` keeps what it promises: on noise, on planted columns, on tables of known answers.

Run ``python -m benchmarks.honest_selection noise planted`` (and ``riboflavin gametes`` with ``--data FOLDER`` that
holds riboflavin/riboflavin.npz and gametes_relief/GAMETES_Epistasis_2-Way_20atts_0.4H_EDM-1_1.tsv.gz). Every comparison
has its default options, one process and no time limit, so that a busy machine gives the same numbers. ``--seeds A:B``
takes seeds A to B − 1 instead of 0:20; ``--results FILE`` keeps a line of JSON for each comparison and does none of
them again, so that a long run can be done in pieces. ``python -m benchmarks.honest_selection demo wide wider`` measures
time: on two cores, nothing else running; a wide table gets ``--time SECONDS``, 300 unless told. A line
for each comparison, then what was measured beside the bar.
"""

from __future__ import annotations

import argparse
import functools
import json
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib.externals.loky import get_reusable_executor

from tamis import compare_selectors

Record = dict[str, Any]


class Bar(NamedTuple):
    """What was measured, what must hold, and whether it does."""

    measured: str
    bar: str
    kept: bool


def compared(X: Any, y: Any, **options: Any) -> tuple[Any, Record]:
    """A comparison, and what is kept of it."""
    began = time.time()
    found = compare_selectors(X, y, **options)
    r = found.recommended_
    return found, {
        "method": r.method,
        "size": int(r.size),
        "learner": r.learner,
        "features": [int(j) for j in r.features] if r.size < X.shape[1] else "all",
        "score": r.score,
        "interval": r.interval,
        "low_end_against_none": r.against_none.low,
        "better_than_none": bool(r.better_than_none),
        "while_choosing": r.score_while_choosing,
        "seconds": round(time.time() - began, 1),
        "status": found.status_,
    }


# ---- tables of known answers, a comparison for each seed -------------------------------------------------------------


def noise(seed: int) -> Record:
    """Classes that no column knows of, 100 × 1,000."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(100, 1000)), rng.permutation(np.repeat([0, 1], 50))
    return compared(X, y, random_state=seed, n_jobs=1)[1]


def noise_bars(records: list[Record]) -> list[Bar]:
    nested = float(np.mean([one["score"] for one in records]))
    quoted = float(np.mean([one["while_choosing"] for one in records]))
    return [
        Bar(f"mean nested AUC {nested:.3f}", "within 0.04 of 0.5", abs(nested - 0.5) <= 0.04),
        Bar(f"mean score while choosing {quoted:.3f}", "above 0.8", quoted > 0.8),
    ]


def planted(seed: int) -> Record:
    """Five columns of equal weight among 200, 300 rows, signal-to-noise ratio 3."""
    rng = np.random.default_rng(seed)
    w = np.zeros(200)
    true = rng.choice(200, 5, replace=False)
    w[true] = np.sqrt(3 / 5)
    X, fresh = rng.normal(size=(300, 200)), rng.normal(size=(100_000, 200))
    y, y_fresh = (A @ w + rng.normal(size=len(A)) for A in (X, fresh))
    found, record = compared(X, y, random_state=seed, n_jobs=1)
    best = found.recommended_
    truth = _refitted(best, X, y, fresh, y_fresh)
    return record | {
        "right": set(true.tolist()) <= set(best.features) and len(best.features) <= 6,
        "fresh": truth,
        "covered": bool(best.interval[0] <= truth <= best.interval[1]),
    }


def planted_bars(records: list[Record]) -> list[Bar]:
    found, covered = (sum(one[what] for one in records) for what in ("right", "covered"))
    of = f"of {len(records)}"
    return [
        Bar(f"the 5 and at most 1 more in {found} {of}", "18 of 20", found >= 0.9 * len(records)),
        Bar(f"the interval covers in {covered} {of}", "17 of 20", covered >= 0.85 * len(records)),
    ]


def _refitted(best: Any, X: np.ndarray, y: np.ndarray, fresh: np.ndarray, y_fresh: np.ndarray) -> float:
    """R² of the recommended learner, fitted to all rows on the recommended columns, on fresh rows."""
    from tamis.selection.comparison.learners import boosting, linear_model

    model = linear_model("regression", False) if best.learner == "linear" else boosting("regression")
    fitted = model.fit(X[:, best.features], y)
    error = y_fresh - fitted.predict(fresh[:, best.features])
    return float(1 - (error**2).sum() / ((y_fresh - y.mean()) ** 2).sum())


# ---- real tables, with their true target (seed "true") and shuffled ones ---------------------------------------------


@functools.cache
def riboflavin_table(data: Path) -> tuple[Any, np.ndarray, list[str]]:
    held = np.load(data / "riboflavin" / "riboflavin.npz", allow_pickle=True)
    return held["X"], np.ravel(held["y"]), []


@functools.cache
def gametes_table(data: Path) -> tuple[Any, np.ndarray, list[str]]:
    from tamis.sources import as_source, gather

    name = "GAMETES_Epistasis_2-Way_20atts_0.4H_EDM-1_1.tsv.gz"
    source = as_source(data / "gametes_relief" / name, target="class")
    block = gather(source)
    return block.X, np.asarray(block.y).astype(int), list(source.names)


def real(table: Callable[[Path], tuple[Any, np.ndarray, list[str]]], data: Path, seed: int | str) -> Record:
    X, y, names = table(data)
    if seed != "true":
        assert isinstance(seed, int)
        return compared(X, np.random.default_rng(seed).permutation(y), random_state=seed, n_jobs=1)[1]
    found, record = compared(X, y, n_jobs=1)
    return record | {"names": [names[j] for j in found.recommended_.features] if names else []}


def riboflavin_bars(records: list[Record]) -> list[Bar]:
    true = [one for one in records if one["seed"] == "true"]
    found = [
        Bar(
            f"R² {one['score']:.3f} [{one['interval'][0]:.3f}, {one['interval'][1]:.3f}], better than none: "
            f"{one['better_than_none']}",
            "R² at least 0.5, better than none",
            one["better_than_none"] and one["score"] >= 0.5,
        )
        for one in true
    ]
    return found + _shuffled_bars(records)


def gametes_bars(records: list[Record]) -> list[Bar]:
    true = [one for one in records if one["seed"] == "true"]
    found = [
        Bar(
            f"chose {one['names']}, AUC {one['score']:.3f}",
            "P1 and P2 among them",
            {"P1", "P2"} <= set(one["names"]),
        )
        for one in true
    ]
    return found + _shuffled_bars(records)


def _shuffled_bars(records: list[Record]) -> list[Bar]:
    shuffled = [one for one in records if one["seed"] != "true"]
    wrong = sum(one["better_than_none"] for one in shuffled)
    return [Bar(f"shuffled: better than none in {wrong} of {len(shuffled)}", "1 of 20", wrong <= 1)]


# ---- time and memory -------------------------------------------------------------------------------------------------


def demo(limit: float) -> Iterator[Bar]:
    """Breast cancer, 569 × 30: time, size, and the time beyond the fits themselves."""
    del limit
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    best = compare_selectors(X, y)
    r = best.recommended_
    yield Bar(f"{best.seconds_:.1f} s on two cores", "40 s", best.seconds_ <= 40)
    yield Bar(f"{r.size} columns, AUC {r.score:.3f}", "at most 8", r.size <= 8)
    alone = compare_selectors(X, y, n_jobs=1)
    beyond = alone.seconds_ / alone.fit_seconds_ - 1
    yield Bar(f"{100 * beyond:.1f} % of the time is not fits ({alone.seconds_:.1f} s alone)", "10 %", beyond <= 0.1)


def wide(n: int, p: int, limit: float) -> Iterator[Bar]:
    """Numbers that five columns of a wide table tell, within a time limit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = X[:, :5].sum(axis=1) + rng.normal(size=n)
    found, record = compared(X, y, time_limit=limit)
    get_reusable_executor().shutdown(wait=True)  # only processes that ended are counted
    own, others = (resource.getrusage(who).ru_maxrss / 1e6 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cut = "; ".join(found.unfinished_) or "all finished"
    yield Bar(
        f"{record['seconds']:.0f} s, {own:.2f} GB (largest other process {others:.2f} GB), {cut}",
        f"{limit:g} s, 2 GB",
        record["seconds"] <= limit and max(own, others) <= 2,
    )


# ---- running ---------------------------------------------------------------------------------------------------------

SEEDED: dict[str, tuple[Callable[..., Record], Callable[[list[Record]], list[Bar]]]] = {
    "noise": (noise, noise_bars),
    "planted": (planted, planted_bars),
    "riboflavin": (functools.partial(real, riboflavin_table), riboflavin_bars),
    "gametes": (functools.partial(real, gametes_table), gametes_bars),
}
TIMED: dict[str, Callable[[float], Iterator[Bar]]] = {
    "demo": demo,
    "wide": functools.partial(wide, 71, 4088),
    "wider": functools.partial(wide, 500, 20_000),
}
REAL = ("riboflavin", "gametes")


class Results:
    """Records by what they are of; kept in a file where one is given."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        kept = path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []
        self.records: list[Record] = [json.loads(line) for line in kept]

    def of(self, what: str, seeds: list[int | str], work: Callable[[Any], Record]) -> list[Record]:
        for seed in seeds:
            if not self._known(what, seed):
                self._keep({"what": what, "seed": seed} | work(seed))
        return [one for one in self.records if one["what"] == what and one["seed"] in seeds]

    def _known(self, what: str, seed: int | str) -> bool:
        return any(one["what"] == what and one["seed"] == seed for one in self.records)

    def _keep(self, record: Record) -> None:
        line = json.dumps(record)
        print(f"  {line}", flush=True)
        self.records.append(json.loads(line))
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")


def show(what: str, bars: Iterator[Bar] | list[Bar]) -> None:
    for one in bars:
        print(f"{what}: {one.measured}; bar: {one.bar}: {'kept' if one.kept else 'MISSED'}", flush=True)


def _as_seeds(text: str) -> range:
    first, _, last = text.rpartition(":")
    return range(int(first or 0), int(last))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="+", choices=[*SEEDED, *TIMED])
    parser.add_argument("--data", type=Path, help="the folder of the real tables")
    parser.add_argument("--seeds", type=_as_seeds, default=range(20), metavar="A:B")
    parser.add_argument("--time", type=float, default=300.0, metavar="SECONDS", help="the time limit of wide tables")
    parser.add_argument("--results", type=Path, metavar="FILE")
    given = parser.parse_args()
    if given.data is None and set(given.what) & set(REAL):
        parser.error("riboflavin and gametes need --data FOLDER")
    results = Results(given.results)
    for what in given.what:
        if what in TIMED:
            show(what, TIMED[what](given.time))
            continue
        work, bars = SEEDED[what]
        seeds: list[int | str] = [*given.seeds]
        if what in REAL:
            work, seeds = functools.partial(work, given.data), ["true", *seeds]
        show(what, bars(results.of(what, seeds, work)))


if __name__ == "__main__":
    main()
