"""``tamis compare``."""

from __future__ import annotations

from tamis.studies.compare import CompareQuestion


def compare(question: CompareQuestion) -> None:
    """Say which columns to use, as select does, and print all that was compared.

    \b
    Methods of selection are compared in rows never used to choose, and the fewest columns that do as well as the best
    are recommended, with the score of the whole procedure and its interval.

    \b
    Examples:
      tamis compare patients.csv --target diagnosis --time 60
      tamis compare sales.parquet --target revenue --groups shop --out sales.html
      tamis compare genes.csv -t ill --method lasso --method mrmr --resume genes.sqlite
      tamis compare survey/ --target answer --json > answer.json

    \b
    Exit codes:
      0     an answer, also where Ctrl-C or the time limit ended the work
      2     something cannot be used
      130   Ctrl-C before anything was known
    """
    from tamis.cli.show_comparison import show_comparison
    from tamis.studies import compare as study

    show_comparison(question, study.compare, full=True)
