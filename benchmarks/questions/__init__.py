"""What is asked: every file here has its data (``datasets``) and its judge (``Objective``), found by the file's name.

Where an answer is more than an array or a pair of them, its parts are named by an ``Answer``.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.objective import Dataset, Objective

# How the tables are read; a question that is not named here comes after them.
ORDER = (
    "gram",
    "gram_parquet",
    "information_gain",
    "gain_search",
    "mrmr_discrete",
    "mrmr_correlation",
    "forward_linear",
    "wrapper_overhead",
    "lasvegas_overhead",
    "relief",
    "relief_genotypes",
    "relief_tall",
    "relief_growth",
    "lasso",
    "lasso_cv",
    "lasso_sparse",
    "lasso_large",
    "logistic",
    "multinomial",
    "group_lasso",
    "quantile",
    "concave",
    "poisson",
    "sparse_svm",
    "best_subset",
    "best_subset_sizes",
    "best_subset_gap",
    "omp",
    "omp_one",
    "basis_pursuit",
    "bpdn",
    "pursuits",
    "state_evolution",
    "phase_line",
    "pca",
    "pca_one_thread",
    "pca_dask",
    "ridge_dask",
    "sparse_pca",
    "nmf",
    "completion",
    "completion_large",
    "nuclear_norm",
    "robust_pca",
    "graph_robust_pca",
    "video",
    "lasso_codes",
    "code_threads",
    "ksvd",
    "online_dictionary",
    "orthogonal_dictionary",
    "planted_dictionary",
    "denoising",
    "select",
    "import_time",
)


def names() -> list[str]:
    """Every question; none is imported, so that threads can be set before NumPy is."""
    found = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return sorted(found, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))


def objective(question: str) -> Objective:
    return importlib.import_module(f"{__name__}.{question}").Objective()


def datasets(question: str, quick: bool) -> list[Dataset]:
    return importlib.import_module(f"{__name__}.{question}").datasets(quick)
