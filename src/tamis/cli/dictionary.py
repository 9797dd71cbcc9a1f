"""``tamis dictionary``."""

from __future__ import annotations

from tamis.studies.dictionary import DictionaryQuestion


def dictionary(question: DictionaryQuestion) -> None:
    """Learn atoms by K-SVD from patches of images, or from the rows of a table, and draw them side by side.

    \b
    The atoms are written as an image, the model for skops, and a page with
    atoms, how often they are used, and how the learning went.

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

    from tamis._core.files import write_file
    from tamis.cli.console import as_json, print_path, stderr_console, stdout_console
    from tamis.cli.progress import progress_bars
    from tamis.report.dictionary_summary import render_dictionary, summarise_dictionary
    from tamis.studies import dictionary as study

    console = stderr_console()
    with progress_bars(console) as with_progress:
        answer = study.dictionary(question, with_progress)
    summary = summarise_dictionary(answer)
    write_file(question.outputs["report"], render_dictionary(answer, summary))
    if question.json:
        sys.stdout.write(as_json(summary))
    else:
        out = stdout_console()
        for sentence in summary["answer"]:
            out.print(sentence, markup=False, soft_wrap=not out.is_terminal)
    for what, path in zip(("Atoms", "Model", "Report"), question.outputs.values(), strict=True):
        print_path(what, path, console)
