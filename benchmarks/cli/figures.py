"""``python -m benchmarks figures``: the table of docs/figures.md, measured anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docspec.core import UsageError


def figures(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the JSON files of the measurements are.")],
    run: Annotated[
        bool, typer.Option("--run", help="Measure first; on an idle machine, about a quarter of an hour.")
    ] = False,
    only: Annotated[list[str] | None, typer.Option(metavar="NAME", help="These rows alone; may be repeated.")] = None,
    page: Annotated[Path, typer.Option(metavar="FILE.md", help="The page with the table.")] = Path("docs/figures.md"),
) -> int:
    """Fill the table of figures with what bench commands measured, each row with its command and commit."""
    from benchmarks import figures as table
    from docspec.console.terminal import say

    known = [row.name for row in table.ROWS]
    for name in only or ():
        if name not in known:
            raise UsageError(f"--only {name}: choose among {', '.join(known)}")
    if run:
        table.run(folder, [row for row in table.ROWS if not only or row.name in only], say)
    written = table.fill(page, folder, table.commit_of_code())
    if not written:
        raise UsageError(f"{folder}: there is no NAME.json of {', '.join(known)}; add --run to measure")
    say(f"{page}: {', '.join(written)} written")
    return 0
