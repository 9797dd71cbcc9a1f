"""``tamis dictionary``."""

from __future__ import annotations

from tamis.studies.dictionary import DictionaryQuestion


def dictionary(question: DictionaryQuestion) -> None:
    """Learn atoms by K-SVD from patches of images, or from the rows of a table, and draw them side by side.

    \b
    Examples:
      tamis dictionary photos/*.jpg --atoms 441 --n-nonzero 10 --out atoms.png
      tamis dictionary spectra.parquet --atoms 50 --model spectra.skops

    \b
    Exit codes:
      0     the atoms were written, also where Ctrl-C ended the learning after a sweep
      2     something cannot be used
      130   Ctrl-C before the first sweep was done
    """
    import sys

    from tamis.cli.console import as_json, print_path, stderr_console, stdout_console
    from tamis.cli.progress import progress_bars
    from tamis.studies import dictionary as study

    console = stderr_console()
    with progress_bars(console) as with_progress:
        answer = study.dictionary(question, with_progress)
    model = answer.model
    if question.json:
        document = {
            "atoms": len(model.components_), "rows": answer.n_rows, "what": answer.what, "status": str(model.status_),
            "sweeps": model.n_iter_, "explained": answer.explained, "objective": model.objective_trace_.tolist(),
            "seconds": answer.seconds,
        }  # fmt: skip
        sys.stdout.write(as_json(document))
    else:
        stdout_console().print(
            f"{len(model.components_)} atoms from {answer.n_rows:,} {answer.what}, {model.n_iter_} sweeps: codes of at "
            f"most {question.n_nonzero} atoms keep {answer.explained:.1%} of the squares they were learned from; "
            f"{answer.seconds:.1f} s"
        )
    print_path("Atoms", question.out, console)
    if question.model is not None:
        print_path("Model", question.model, console)
