"""``tamis demo``: select on a real table that comes with scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tamis.studies.question import Question, file_to_write, option
from tamis.studies.select import SelectQuestion

SECONDS = 30.0  # the answer is there before anybody leaves


@dataclass(frozen=True, kw_only=True)
class DemoQuestion(Question):
    """The options of ``tamis demo``."""

    verb: ClassVar[str] = "demo"
    about: ClassVar[str] = (
        "569 tumours were measured under the microscope, 30 numbers each: size, shape and texture of the cell nuclei. "
        "Which of the 30 predict whether a tumour is malignant?"
    )

    out: Path | None = option(
        "Where the HTML page goes.",
        default=None,
        flags=("--out", "-o", "--report", "-r"),
        parse=file_to_write,
        metavar="FILE",
        shown="tamis-report.html; none with --json",
    )
    json: bool = option("Print one JSON document instead of the table.", default=False, printing=True)

    def as_selection(self) -> SelectQuestion:
        given = {"table": Path("breast cancer"), "target": "diagnosis", "time_limit": SECONDS}
        return TumourQuestion(**given, out=self.out, json=self.json)  # type: ignore[arg-type]


class TumourQuestion(SelectQuestion):
    """The same question to the table of scikit-learn."""

    table_title = "the breast cancer table of scikit-learn (Wolberg, Street, Mangasarian 1995)"
    table_name = "the breast cancer table"
    command = "tamis demo"
    in_python = "from tamis.studies.demo import breast_cancer\n", "breast_cancer()"

    def open(self) -> Any:
        from tamis.sources import as_source

        return as_source(breast_cancer(), target=self.target)


def breast_cancer() -> Any:
    """569 rows, 30 measurements and the diagnosis, as an Arrow table."""
    from sklearn.datasets import load_breast_cancer

    from tamis._core.optional import need

    pyarrow = need("pyarrow", extra="files", purpose="the demo")
    data = load_breast_cancer()
    columns = {str(name): data.data[:, j] for j, name in enumerate(data.feature_names)}
    columns["diagnosis"] = data.target_names[data.target].tolist()
    return pyarrow.table(columns)
