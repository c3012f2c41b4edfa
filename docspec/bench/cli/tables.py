"""What the tables of the benchmarks on standard output share."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from docspec.console.terminal import CleanConsole


def console() -> Console:
    """Standard output for tables."""
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
