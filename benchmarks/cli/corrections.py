"""``python -m benchmarks corrections``: whether the model corrects a wrong draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

import typer

from docspec.bench.cli.common import InputPaths, JsonFile, console, sources_of, table, write_json
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions

if TYPE_CHECKING:
    from benchmarks.corrections import PageCorrections


@takes_options("model", "device", tau=0.75, words="model")
def corrections(
    *,
    inputs: InputPaths,
    options: ParseOptions,
    rate: Annotated[float, typer.Option(min=0, max=1, help="Share of characters changed.")] = 0.1,
    json_file: JsonFile = None,
) -> int:
    """Whether the model corrects a wrong draft or echoes it: the truth with changed characters as draft."""
    from benchmarks.corrections import measure

    pages = list(measure(sources_of(inputs), replace(options, tau=None), rate, options.tau or 1.0))
    print_corrections(pages)
    write_json(json_file, "docspec.bench.corrections/1", options.model, [asdict(page) for page in pages])
    return 0


def print_corrections(pages: Sequence[PageCorrections]) -> None:
    """One row a page: wrong characters of the draft that stand in the output."""
    columns = ["changed", "left, relaxed", "left, exact", "left, no draft", "kept out, relaxed"]
    grid = table("Wrong characters of the draft that reach the output", ["page"], columns)

    def row(name: str, changed: int, relaxed: int, exact: int, alone: int) -> None:
        share = f"{100 * (1 - relaxed / changed):.1f} %" if changed else ""
        grid.add_row(name, str(changed), str(relaxed), str(exact), str(alone), share)

    for page in pages:
        row(page.source, page.changed, page.relaxed, page.exact, page.undrafted)
    grid.add_section()
    fields = ("changed", "relaxed", "exact", "undrafted")
    changed, relaxed, exact, alone = (sum(getattr(page, field) for page in pages) for field in fields)
    row("all", changed, relaxed, exact, alone)
    console().print(grid)
