"""``python -m benchmarks marks``: whether words are marked as agreed and corrected where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from docspec.bench.cli.common import InputPaths, JsonFile, console, sources_of, table, write_json
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions

if TYPE_CHECKING:
    from benchmarks.marks import PageMarks


@takes_options("model", "device", "pages", "dpi", "max_tokens", words="model")
def marks(
    *,
    inputs: InputPaths,
    options: ParseOptions,
    rate: Annotated[float, typer.Option(min=0, max=1, help="Share of characters changed.")] = 0.1,
    json_file: JsonFile = None,
) -> int:
    """Whether corrected words are marked: each page's own output with changed characters as draft, and a recount."""
    from benchmarks.marks import measure

    pages = list(measure(sources_of(inputs), options, rate))
    print_marks(pages)
    rows = [{**asdict(page), "recall": page.recall, "precision": page.precision} for page in pages]
    write_json(json_file, "docspec.bench.marks/1", options.model, rows)
    return 0


def print_marks(pages: Sequence[PageMarks]) -> None:
    """One row a page, and their sums."""
    from benchmarks.marks import PageMarks

    columns = ["changed", "in corrected", "in agreed", "recall", "words marked", "precision", "cost"]
    grid = table("Changed characters of the draft, by the mark of their words", ["page"], columns)

    def row(name: str, one: PageMarks) -> None:
        cost = f"{100 * one.seconds / one.decode_seconds:.2f} %" if one.decode_seconds else ""
        counts = (one.changed, one.corrected, one.agreed, f"{one.recall:.4f}", one.marked, f"{one.precision:.4f}")
        grid.add_row(name, *map(str, counts), cost)

    for page in pages:
        row(f"{page.source}, page {page.page}", page)
    grid.add_section()
    names = ("changed", "corrected", "agreed", "marked", "right", "seconds", "decode_seconds")
    row("all", PageMarks("", 0, **{name: sum(getattr(page, name) for page in pages) for name in names}))
    console().print(grid)
    console().print("cost: processor time of recording and telling the marks, of the time spent decoding")
