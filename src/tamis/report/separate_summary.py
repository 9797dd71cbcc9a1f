"""Answer of ``tamis separate`` → plain dictionary, and its page: frames, each beside its background and foreground."""

from __future__ import annotations

import base64
from typing import Any

from tamis.report.html import page
from tamis.report.provenance import made
from tamis.report.readable import readable
from tamis.studies.separate_video import SeparateAnswer

PARTS = ("frame", "background", "foreground")


def summarise_separation(answer: SeparateAnswer) -> dict[str, Any]:
    """All that page, JSON and terminal are made of; the pictures are the page's alone."""
    question = answer.question
    frames = "frame" if answer.n_frames == 1 else "frames"
    sentences = [
        f"{answer.n_frames:,} {frames} of {answer.width} × {answer.height}: a background of rank {answer.rank}, and "
        f"{100 * answer.share_moving:.2g} % of the pixels move.",
        f"{answer.strategy}.",
    ]
    return {
        "question": {"command": question.command, "video": question.video.name or str(question.video)},
        "answer": sentences,
        "frames": answer.n_frames, "height": answer.height, "width": answer.width, "rank": answer.rank,
        "strategy": answer.strategy, "share_moving": answer.share_moving,
        "files": {name: str(path) for name, path in answer.files.items()},
        "made": made(seconds=round(answer.seconds, 3)),
    }  # fmt: skip


def render_separation(summary: dict[str, Any], frames: list[tuple[int, bytes, bytes, bytes]]) -> str:
    """The page of ``tamis separate``."""
    rows = [
        (number, [{"part": part, "uri": _uri(png)} for part, png in zip(PARTS, pictures, strict=True)])
        for number, *pictures in frames
    ]
    return page("separate.html", {}, s=readable(summary), rows=rows)


def _uri(png: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")
