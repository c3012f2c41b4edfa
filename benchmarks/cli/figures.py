"""``python -m benchmarks figures``: the table of docs/figures.md, measured anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docspec.core import UsageError


def figures(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the JSON files of the measurements are.")] = Path(
        "build/figures"
    ),
    run: Annotated[
        bool, typer.Option("--run", help="Measure first; on an idle machine, about a quarter of an hour.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; tell whose code changed since, and what README has alone.")
    ] = False,
    only: Annotated[list[str] | None, typer.Option(metavar="NAME", help="These rows alone; may be repeated.")] = None,
    page: Annotated[Path, typer.Option(metavar="FILE.md", help="The page with the table.")] = Path("docs/figures.md"),
) -> int:
    """Fill the table of figures with what bench commands measured, each row with its command and commit."""
    from benchmarks import figures as table
    from docspec.console.terminal import say

    if check:
        old = list(table.ages(page))
        alone = table.unheld(table.ROOT / "README.md", page)
        for line in (*old, *(f"README alone has: {one}" for one in alone)):
            print(line)
        say(f"{page}: {len(old)} figures are older than their code, README has {len(alone)} of its own")
        return 1 if alone else 0
    known = [row.name for row in table.ROWS]
    for name in only or ():
        if name not in known:
            raise UsageError(f"--only {name}: choose among {', '.join(known)}")
    if run:
        table.run(folder, [row for row in table.ROWS if not only or row.name in only], say)
    written = table.fill(page, folder, table.commit_and_date())
    if not written:
        raise UsageError(f"{folder}: there is no NAME.json of {', '.join(known)}; add --run to measure")
    say(f"{page}: {', '.join(written)} written")
    if run and not only:
        for line in table.not_here(page):
            say(f"not measured: {line}")
    return 0
