"""Sparse components of many more columns than rows, by elastic nets, without a matrix of all columns by all columns."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.objective import Dataset, Table, bar
from benchmarks.questions import sparse_pca


class Objective(sparse_pca.Objective):
    title = "Sparse principal components of many columns"
    text = (
        "Elastic nets to a change of the loadings of 1e-4, with the ridge that is the default for more columns "
        "than rows, and with a finite one. Judged as above; the matrix of all covariances alone would take 800 MB."
    )
    repeats = 3
    cap = 60.0

    def bars(self, table: Table) -> list[dict[str, Any]]:
        lines = []
        for name in ("tamis", "tamis, finite ridge"):
            row = table.row(name)
            lines.append(bar(f"seconds of {name}", row.seconds if row else None, "≤", 5.0))
            lines.append(bar(f"MB above before of {name}", row.peak_mb if row else None, "≤", 400.0))
        return lines


def datasets(quick: bool) -> list[Dataset]:
    n, p = (20, 120) if quick else (100, 10_000)
    return [Dataset(f"{n} × {p:,}, k = 5, {p // 20} loadings each", partial(sparse_pca.planted, n, p, 5))]
