"""``python -m benchmarks reading-order``: how much of the order of made pages is in what is written of them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from docspec.bench.cli.common import console, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.reading_order.score import OrderScore, PlaceScore


def reading_order(
    seed: Annotated[int, typer.Option(help="Number of the first page of each kind.")] = 1,
    each: Annotated[int, typer.Option(metavar="N", min=1, help="Pages of each kind.")] = 5,
    kind: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this kind (repeatable).")] = None,
    other: Annotated[bool, typer.Option("--pymupdf4llm", help="Read them with pymupdf4llm instead.")] = False,
    tagged: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="Score PDFs, or folders of them, by their own tags instead (repeatable)."),
    ] = None,
    forms: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Score the forms of ROOR (a folder of its JSONs) instead.")
    ] = None,
    most: Annotated[int, typer.Option("--pages", metavar="N", min=1, help="Pages of each such PDF at most.")] = 6,
) -> int:
    """Draw pages of columns, spans, newspapers, asides, letters, posters and slides, and score what is written of
    them."""
    from benchmarks.extras import require
    from benchmarks.reading_order.kinds import KINDS, made
    from benchmarks.reading_order.score import OrderScore, scored
    from docspec import ParseOptions, Parser
    from docspec.core import UsageError

    if forms is not None:
        return _forms(sorted(forms.rglob("*.json")))
    if tagged:
        return _tagged(
            [path for one in tagged for path in (sorted(one.rglob("*.pdf")) if one.is_dir() else [one])], most
        )
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


def _tagged(paths: list[Path], most: int) -> int:
    """Scores ``paths`` by their structure trees."""
    from benchmarks.reading_order.tagged import measured

    scores: list[tuple[PlaceScore, PlaceScore]] = []
    failed = 0
    for path in paths:
        try:
            scores += measured(path, most)
        except Exception as error:  # files that one of the readers refuses
            failed += 1
            console().print(f"{path.name}: {error}")
    _print_places("Order of tagged pages", "layout model", scores)
    return int(failed == len(paths))


def _forms(paths: list[Path]) -> int:
    """Scores ``paths`` of ROOR."""
    from benchmarks.reading_order.forms import measured

    _print_places("Order of forms", "row by row", [measured(path) for path in paths])
    return int(not paths)


def _print_places(title: str, other: str, scores: Sequence[tuple[PlaceScore, PlaceScore]]) -> None:
    """Prints the sums of ``scores``: docspec's, and those of the ``other`` order."""
    from benchmarks.reading_order.score import PlaceScore

    grid = table(title, ["order"], ["pages", "whole", "neighbours", "all pairs"], dense=True)
    for at, name in enumerate(("docspec", other)):
        score = sum((pair[at] for pair in scores), PlaceScore())
        shares = ((score.whole, score.pages), (score.linked, score.links), (score.right, score.pairs))
        grid.add_row(name, str(score.pages), *(f"{part / max(1, whole):.1%}" for part, whole in shares))
    console().print(grid)
