"""``tamis denoise``."""

from __future__ import annotations

from tamis.studies.denoise import DenoiseQuestion


def denoise(question: DenoiseQuestion) -> None:
    """Remove white noise from a photo, by sparse codes of its patches on atoms learned from it.

    \b
    The noise level is measured in the image where --sigma is not given.
    Grey and colours, 8 and 16 bits and transparency are kept where the format
    of the result has them.

    \b
    Examples:
      tamis denoise photo.png clean.png
      tamis denoise scan.tif clean.tif --sigma 25 --report clean.html
      tamis denoise large.jpg clean.jpg --step 3 --sweeps 5

    \b
    Exit codes:
      0     the image was written
      2     something cannot be used
      130   Ctrl-C; nothing is written
    """
    import sys

    from tamis._core.files import write_file
    from tamis.cli.console import as_json, print_path, stderr_console, stdout_console
    from tamis.cli.progress import stage_bars
    from tamis.report.denoise_summary import render_denoising, summarise_denoising
    from tamis.studies import denoise as study

    console = stderr_console()
    with stage_bars(console) as on_progress:
        answer = study.denoise(question, on_progress)
    summary = summarise_denoising(answer)
    if question.report is not None:
        write_file(question.report, render_denoising(answer, summary))
    if question.json:
        sys.stdout.write(as_json(summary))
    else:
        for sentence in summary["answer"]:
            stdout_console().print(sentence, markup=False)
    print_path("Image", question.out, console)
    if question.report is not None:
        print_path("Report", question.report, console)
