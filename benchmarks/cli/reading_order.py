"""``python -m benchmarks reading-order``: how much of the order of made pages is in what is written of them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from docspec.bench.cli.common import console, table

if TYPE_CHECKING:
    from benchmarks.reading_order.score import OrderScore


def reading_order(
    seed: Annotated[int, typer.Option(help="Number of the first page of each kind.")] = 1,
    each: Annotated[int, typer.Option(metavar="N", min=1, help="Pages of each kind.")] = 5,
    kind: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this kind (repeatable).")] = None,
    other: Annotated[bool, typer.Option("--pymupdf4llm", help="Read them with pymupdf4llm instead.")] = False,
) -> int:
    """Draw pages of columns, spans, newspapers, asides, letters, posters and slides, and score what is written of
    them."""
    from benchmarks.extras import require
    from benchmarks.reading_order.kinds import KINDS, made
    from benchmarks.reading_order.score import OrderScore, scored
    from docspec import ParseOptions, Parser
    from docspec.core import UsageError

    kinds = kind or list(KINDS)
    if unknown := [name for name in kinds if name not in KINDS]:
        raise UsageError(f"no kind of page is called {unknown[0]}; there are {', '.join(KINDS)}")
    package = require("pymupdf4llm", "comparing with pymupdf4llm") if other else None
    grid = table("Reading order", ["kind"], ["pairs", "in order", "units", "whole", "glued"], dense=True)
    total = OrderScore()
    with TemporaryDirectory() as folder, Parser(ParseOptions()) as parser:
        for name in kinds:
            own = OrderScore()
            for number in range(seed, seed + each):
                pdf, sheet = made(name, number)
                path = Path(folder, "page.pdf")
                path.write_bytes(pdf)
                if package is not None:
                    written = str(package.to_markdown(str(path), show_progress=False))
                else:
                    written = parser.parse(path).to_markdown()
                own += scored(written, sheet.units)
            total += own
            grid.add_row(name, *_figures(own))
    grid.add_row("all", *_figures(total))
    console().print(grid)
    return 0


def _figures(score: OrderScore) -> tuple[str, ...]:
    order, whole = score.right / max(1, score.pairs), score.whole / max(1, score.units)
    return str(score.pairs), f"{order:.1%}", str(score.units), f"{whole:.1%}", str(score.glued)
