"""Shared by the commands of ``python -m benchmarks``, beside what those of ``docspec bench`` share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.table import Table

Transcripts = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        show_default=False,
        help="Documents with NAME.md or NAME.json beside them (what a model wrote for page 1), or folders.",
    ),
]
TokenizerPath = Annotated[
    Path, typer.Option(metavar="FILE", show_default=False, help="The model's tokenizer.json, or the same gzipped.")
]


def narrow_table(
    title: str, left: Sequence[str], right: Sequence[str], caption: str | None = None, widest: int | None = 16
) -> Table:
    """A table without lines between columns; words are at most so many cells wide."""
    grid = Table(title=title, caption=caption, box=box.SIMPLE, padding=(0, 1, 0, 0))
    for name in left:
        grid.add_column(name, overflow="ellipsis", no_wrap=True, max_width=widest)
    for name in right:
        grid.add_column(name, justify="right", no_wrap=True)
    return grid
