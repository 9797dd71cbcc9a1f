"""``tamis fit``."""

from __future__ import annotations

from typing import Any

from tamis.studies.fit import FitQuestion


def fit(question: FitQuestion) -> None:
    """Fit a sparse linear model to a table: few columns, their coefficients, and a proof that they are optimal.

    \b
    Numbers are taken as they are, dates as days since 1970, labels become one
    0/1 column each, missing numbers the mean of their column, missing labels 0
    in each of their columns. Numbers are predicted by least squares, labels by
    logistic regression, unless --loss asks for another loss. The penalty's weight α is chosen by cross-validation or
    by an information criterion. With --predict the predictions go to stdout and
    the words about the model to stderr.

    \b
    Examples:
      tamis fit sales.parquet --target revenue
      tamis fit visits.csv -t claims --loss poisson --penalty mcp
      tamis fit sales.parquet -t revenue --best-subset 2-8
      tamis fit patients.csv -t ill --penalty group --rule min --out ill.skops
      tamis fit --model ill.skops
      tamis fit --model ill.skops --predict new.csv --out predictions.csv
      tamis fit patients.csv -t ill --id patient --predict new.csv

    \b
    Exit codes:
      0     a model was fitted, shown or applied
      2     something cannot be used
      130   Ctrl-C
    """
    from tamis.studies.fit import check

    check(question)
    if question.model is None:
        fit_table(question)
    else:
        use_saved(question)


def fit_table(question: FitQuestion) -> None:
    """Fit, predict, save, print: files come before words."""
    import sys

    from tamis._core.files import is_standard_output, write_file
    from tamis.cli.console import (
        as_json,
        data_notes,
        print_notes,
        print_path,
        print_rows,
        stderr_console,
        stdout_console,
    )
    from tamis.cli.format_model import print_model
    from tamis.cli.progress import progress_bars
    from tamis.report.model_summary import summarise_model
    from tamis.report.readable import readable
    from tamis.studies import fit as study
    from tamis.studies.saved_model import TableModel, save

    console, out = stderr_console(), question.out
    with progress_bars(console) as with_progress:
        answer = study.fit(question, with_progress)
    summary, predicted = summarise_model(answer), None
    if question.predict is not None:
        predicted, unusual = TableModel(answer.model, answer.codebook, summary).predict(question.predict)
        summary["data"]["warnings"] += [f"{question.predict.name}: {note}" for note in unusual]
    if out is not None:
        save(out, answer, summary)
    if question.page is not None:
        from tamis.cli.format_model import sentences
        from tamis.report.model_page import render_model

        with console.status("writing the report"):
            write_file(question.page, render_model(summary, sentences(readable(summary)), answer))
    if question.json:
        document = model_document(summary)
        sys.stdout.write(as_json(document if predicted is None else document | {"predictions": predicted}))
        print_notes(data_notes(summary), console)
    else:
        aside = predicted is not None or is_standard_output(out)
        print_model(summary, console if aside else stdout_console(), console)
        if predicted is not None:
            print_rows(as_csv(predicted), console)
    if out is not None:
        print_path("Model", out, console)
    if question.page is not None:
        print_path("Report", question.page, console)


def use_saved(question: FitQuestion) -> None:
    """Predict with a saved model, or show what it is."""
    import sys

    from tamis._core.files import write_file
    from tamis.cli.console import as_json, print_notes, print_path, print_rows, stderr_console, stdout_console
    from tamis.cli.format_model import print_model
    from tamis.studies.saved_model import load

    assert question.model is not None
    saved, console = load(question.model), stderr_console()
    if question.predict is None:
        if question.json:
            sys.stdout.write(as_json(model_document(saved.summary)))
        else:
            print_model(saved.summary, stdout_console(), console)
        return
    predicted, unusual = saved.predict(question.predict, question.id)
    if question.out is not None:
        write_file(question.out, as_json(predicted, file=True) if question.json else as_csv(predicted))
        print_path("Predictions", question.out, console)
    elif question.json:
        sys.stdout.write(as_json(predicted))
    else:
        print_rows(as_csv(predicted), console)
    print_notes(unusual, console)


def model_document(summary: dict[str, Any]) -> dict[str, Any]:
    """What ``--json`` prints of a model, fitted or opened again."""
    from tamis.cli.format_model import sentences
    from tamis.report.provenance import made

    return {"answer": sentences(summary), **summary, "made": made()}


def as_csv(columns: dict[str, list[Any]]) -> str:
    """One row per row predicted; numbers as short as they can be read back exactly."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()
