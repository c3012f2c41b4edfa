"""``python -m benchmarks structure``: whether the account sees pages whose structure was broken on purpose."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from benchmarks.cli.common import narrow_table
from docspec.bench.cli.common import JsonFile, console, write_json


def structure(
    kind: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this kind (repeatable).")] = None,
    seed: Annotated[int, typer.Option(help="What chance begins with.")] = 1,
    each: Annotated[int, typer.Option(metavar="N", min=1, help="Pages of each kind.")] = 40,
    json_file: JsonFile = None,
) -> int:
    """Break the Markdown of made pages on purpose and count how often the account notices."""
    from benchmarks.broken_structure import measure
    from benchmarks.structure_pages import KINDS
    from docspec.core import UsageError

    if unknown := [name for name in kind or () if name not in KINDS]:
        raise UsageError(f"no kind of page is called {unknown[0]}; there are {', '.join(KINDS)}")
    rows = list(measure(kind or list(KINDS), seed, each))
    grid = narrow_table("Broken structure", ["page", "break"], ["cases", "noticed", "share"], widest=24)
    for row in rows:
        grid.add_row(row.kind, row.way or "none", str(row.cases), str(row.noticed), f"{row.noticed / row.cases:.0%}")
    console().print(grid)
    for name, chosen in (
        ("broken pages that were noticed", [row for row in rows if row.way]),
        ("false alarms on right pages", [row for row in rows if not row.way]),
    ):
        cases, noticed = sum(row.cases for row in chosen), sum(row.noticed for row in chosen)
        console().print(f"{name}: {noticed} of {cases} ({noticed / cases:.1%})")
    write_json(json_file, "docspec.bench.structure/1", "none", [asdict(row) for row in rows])
    return 0
