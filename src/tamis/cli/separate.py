"""``tamis separate``."""

from __future__ import annotations

from tamis.studies.separate import SeparateQuestion


def separate(question: SeparateQuestion) -> None:
    """Split a video into a steady background and what moves before it.

    \b
    Every frame is a row of a matrix: the background is its part of low rank, what
    moves its sparse part. Frames are taken in grey. Two videos and a page with
    three frames side by side go to a folder. Long videos are read frame by frame.

    \b
    Examples:
      tamis separate street.mp4
      tamis separate frames/ --method graph --out separated
      tamis separate day.avi --method online --rank 3

    \b
    Exit codes:
      0     the videos were written
      2     something cannot be used
      130   Ctrl-C
    """
    import sys
    import warnings

    from tamis._core.files import write_file
    from tamis.cli.console import as_json, print_path, stderr_console, stdout_console
    from tamis.cli.progress import progress_bars
    from tamis.report.separate_summary import render_separation, summarise_separation
    from tamis.studies import separate as study

    console = stderr_console()
    with progress_bars(console) as with_progress, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = study.separate(question, with_progress)
    summary = summarise_separation(answer)
    page = question.folder / "index.html"
    write_file(page, render_separation(summary, answer.frames))
    if question.json:
        sys.stdout.write(as_json(summary | {"page": str(page)}))
    else:
        out = stdout_console()
        for sentence in summary["answer"]:
            out.print(sentence, markup=False, soft_wrap=not out.is_terminal)
    for name, path in answer.files.items():
        print_path(name.capitalize(), path, console)
    print_path("Page", page, console)
