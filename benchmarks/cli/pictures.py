"""``python -m benchmarks pictures``: the pictures of the documentation, from what other benchmarks measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def pictures(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="JSON", show_default=False, help="What docspec bench speed or transcripts wrote (--json)."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder of the SVG files.")],
) -> int:
    """Draw where the time goes, speed-up by page and kind of page, and tokens per step by policy, as SVG files."""
    from benchmarks.pictures import draw
    from benchmarks.plots import check_plot
    from docspec.console.terminal import say

    check_plot(output / "any.svg")
    for path in draw(files, output):
        say(f"{path} written")
    return 0
