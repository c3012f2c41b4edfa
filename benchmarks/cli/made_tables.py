"""``python -m benchmarks made-tables``: pages of generated tables for ``suite icdar2013``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def made_tables(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the pages and their truth are written.")],
    seed: Annotated[int, typer.Option(help="What chance begins with.")] = 1,
    each: Annotated[int, typer.Option(metavar="N", min=1, help="Pages of each kind.")] = 5,
    kind: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this kind (repeatable).")] = None,
) -> int:
    """Write pages of tables of many kinds, with the truth of their cells, to be scored by suite icdar2013."""
    from benchmarks.made_tables import KINDS, write_made_tables
    from docspec.console.terminal import say
    from docspec.core import UsageError

    kinds = {one.__name__: one for one in KINDS}
    if unknown := [name for name in kind or () if name not in kinds]:
        raise UsageError(f"no kind of table is called {unknown[0]}; there are {', '.join(kinds)}")
    written = write_made_tables(folder, seed, each, [kinds[name] for name in kind or kinds])
    say(f"{len(written)} documents written into {folder}")
    return 0
