"""``python -m benchmarks [QUESTION …]`` runs the questions; ``--render`` only writes the tables of past results."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from benchmarks import machine, questions

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "benchmarks.md"
QUESTIONS = questions.names()


def main(arguments: list[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    machine.use_threads(options.threads)
    if not options.render:
        results = HERE / "_data" / "quick" if options.quick else RESULTS
        _run(options, results)
    if not options.quick:
        _render()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks", description="Tamis beside its competitors.")
    parser.add_argument(
        "questions",
        nargs="*",
        type=_questions,
        help=f"of {', '.join(QUESTIONS)}, or how one begins, apart or with commas (all)",
    )
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to try the machinery; nothing is published")
    parser.add_argument(
        "--against", action="append", metavar="NAME", help="only tamis and this competitor (may be repeated)"
    )
    parser.add_argument("--threads", type=int, default=machine.cores(), help="for every competitor (%(default)s)")
    parser.add_argument("--render", action="store_true", help="write docs/benchmarks.md from the results and stop")
    return parser


def _questions(text: str) -> list[str]:
    return [_question(word) for word in text.split(",")]


def _question(text: str) -> str:
    found = [text] if text in QUESTIONS else [name for name in QUESTIONS if name.startswith(text)]
    if len(found) != 1:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(QUESTIONS)}")
    return found[0]


def _run(options: argparse.Namespace, results: Path) -> None:
    # NumPy and the competitors size their thread pools when imported, which these do.
    from benchmarks.render import as_text
    from benchmarks.runner import run_question

    started = time.perf_counter()
    results.mkdir(parents=True, exist_ok=True)
    only = {"tamis", *options.against} if options.against else None
    for name in [name for names in options.questions for name in names] or QUESTIONS:
        record = run_question(
            name,
            quick=options.quick,
            only=only,
            say=lambda text: print(f"{time.perf_counter() - started:5.0f} s  {text}", flush=True),
        )
        (results / f"{name}.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        print("\n" + as_text(record), flush=True)
    print(f"{time.perf_counter() - started:.0f} s in all; results in {results}")


def _render() -> None:
    from benchmarks.render import page

    records = [json.loads(path.read_text()) for name in QUESTIONS if (path := RESULTS / f"{name}.json").exists()]
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(records))
    print(f"tables in {PAGE}")


if __name__ == "__main__":
    main()
