"""``tamis demo``: select on a real table that comes with scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tamis.cli.printing import stderr_console
from tamis.cli.select import REPORT, Wish, answer_wish, check_outputs

ABOUT = (
    "569 tumours were measured under the microscope, 30 numbers each: size, shape and texture of the cell nuclei. "
    "Which of the 30 tell whether a tumour is malignant?"
)


def run_demo() -> None:
    from tamis.sources import as_source

    stderr_console().print(ABOUT)
    wish = Wish(table=Path("breast cancer"), target="diagnosis", out=REPORT)
    check_outputs(wish)
    source = as_source(breast_cancer(), target="diagnosis")
    answer_wish(
        wish,
        source,
        "the breast cancer table of scikit-learn (Wolberg, Street, Mangasarian 1995)",
        "the breast cancer table",
        "tamis demo",
    )


def breast_cancer() -> Any:
    """569 rows, 30 measurements and the diagnosis, as an Arrow table."""
    from sklearn.datasets import load_breast_cancer

    from tamis._core.optional import need

    pyarrow = need("pyarrow", extra="files", purpose="the demo")
    data = load_breast_cancer()
    columns = {str(name): data.data[:, j] for j, name in enumerate(data.feature_names)}
    columns["diagnosis"] = data.target_names[data.target].tolist()
    return pyarrow.table(columns)
