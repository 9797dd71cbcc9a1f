"""``tamis recover``."""

from __future__ import annotations

from tamis.studies.recover import RecoverQuestion


def recover(question: RecoverQuestion) -> None:
    """Measure an image, a sound or a column of numbers at a low rate, and recover it from the measurements alone.

    \b
    The error against the original is printed, and a page shows original,
    measurements and recovery side by side. What the measurements give without
    sparsity is told beside it.

    \b
    Examples:
      tamis recover photo.png --rate 0.25 --out recovered.png
      tamis recover photo.png --measurement partial-hadamard --basis db4
      tamis recover speech.wav --rate 0.5 --out speech-recovered.wav
      tamis recover sensor.csv --column temperature --basis dct --rate 0.1

    \b
    Exit codes:
      0     it was measured and recovered
      2     something cannot be used
      130   Ctrl-C
    """
    import sys

    from tamis._core.files import write_file
    from tamis.cli.console import as_json, print_path, stderr_console, stdout_console
    from tamis.report.recover_summary import render_recovery, summarise_recovery
    from tamis.studies import recover as study
    from tamis.studies.recover_answer import write_result

    answer = study.recover(question)
    summary, console = summarise_recovery(answer), stderr_console()
    written = "" if question.out is None else write_result(question.out, answer)
    write_file(question.report, render_recovery(answer, summary))
    if question.json:
        sys.stdout.write(as_json(summary))
    else:
        out = stdout_console()
        for sentence in summary["answer"]:
            out.print(sentence, markup=False, soft_wrap=not out.is_terminal)
    if question.out is not None:
        print_path(f"Result ({written})", question.out, console)
    print_path("Report", question.report, console)
