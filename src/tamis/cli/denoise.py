"""``tamis denoise``."""

from __future__ import annotations

from tamis.studies.denoise import DenoiseQuestion


def denoise(question: DenoiseQuestion) -> None:
    """Remove white noise from a photo, by sparse codes of its patches on atoms learned from it.

    \b
    The noise level is measured in the image where --sigma is not given.

    \b
    Examples:
      tamis denoise photo.png clean.png
      tamis denoise scan.tif clean.tif --sigma 25
      tamis denoise large.jpg clean.jpg --step 3 --sweeps 5

    \b
    Exit codes:
      0     the image was written
      2     something cannot be used
      130   Ctrl-C; nothing is written
    """
    import sys
    from dataclasses import asdict

    from tamis.cli.console import as_json, print_path, stderr_console, stdout_console
    from tamis.cli.progress import stage_bars
    from tamis.studies import denoise as study

    console = stderr_console()
    with stage_bars(console) as on_progress:
        answer = study.denoise(question, on_progress)
    if question.json:
        sys.stdout.write(as_json(asdict(answer) | {"image": str(question.image), "out": str(question.out)}))
    else:
        kind = "colour" if answer.channels > 1 else "grey"
        how = "measured in it" if answer.measured else "as given"
        stdout_console().print(
            f"{answer.width} × {answer.height} pixels, {kind}; noise level {answer.sigma:.3g} of 255, {how}; "
            f"what was taken away has a root mean square of {answer.removed:.3g}; {answer.seconds:.1f} s"
        )
    print_path("Image", question.out, console)
