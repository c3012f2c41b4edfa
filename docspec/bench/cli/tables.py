"""Helpers for the benchmarks' tables on standard output."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from rich import box
from rich.console import Console
from rich.table import Table

from docspec.console.terminal import CleanConsole


def console() -> Console:
    """The terminal that tables are printed on."""
    return CleanConsole()


def table(title: str, left: Sequence[str], right: Sequence[str], dense: bool = False) -> Table:
    """A table whose first columns are words and whose others are figures; ``dense`` for many columns."""
    grid = Table(title=title, title_justify="left")
    if dense:
        grid.box, grid.padding, grid.show_edge = box.SIMPLE_HEAD, (0, 1, 0, 0), False
    for name in left:
        grid.add_column(name, overflow="ellipsis" if dense else "fold", no_wrap=dense)
    for name in right:
        grid.add_column(name, justify="right")
    return grid


def narrow_table(
    title: str, left: Sequence[str], right: Sequence[str], caption: str | None = None, widest: int | None = 16
) -> Table:
    """The same without lines between columns; words are at most so many cells wide."""
    grid = Table(title=title, caption=caption, box=box.SIMPLE, padding=(0, 1, 0, 0))
    for name in left:
        grid.add_column(name, overflow="ellipsis", no_wrap=True, max_width=widest)
    for name in right:
        grid.add_column(name, justify="right", no_wrap=True)
    return grid


def page_names(pages: Sequence[tuple[str, int]]) -> list[str]:
    """Pages in a few characters: the file's stem, the whole path where stems repeat, the number after page 1."""
    paths: dict[str, set[str]] = {}
    for source, _ in pages:
        paths.setdefault(PurePath(source).stem, set()).add(source)
    return [
        (stem if len(paths[stem := PurePath(source).stem]) == 1 else source) + ("" if page == 1 else f", page {page}")
        for source, page in pages
    ]
