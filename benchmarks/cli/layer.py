"""``python -m benchmarks layer``: reading by regions against the text layer of real pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from docspec.bench.cli.common import (
    InputPaths,
    JsonFile,
    console,
    sources_of,
    table,
    target_fields,
    target_line,
    write_json,
)
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions

if TYPE_CHECKING:
    from benchmarks.layer import LayerPage


@takes_options("model", "device", "dtype", "pages", "dpi", "drafter", "max_tokens", words="model")
def layer(
    inputs: InputPaths,
    *,
    options: ParseOptions,
    scan: Annotated[
        float | None,
        typer.Option(metavar="RADIUS", min=0.0, show_default=False, help="As pictures, blurred by so many pixels."),
    ] = None,
    json_file: JsonFile = None,
) -> int:
    """How right reading by regions is: born-digital pages against their text layer, tables and formulas aside."""
    from dataclasses import replace

    from benchmarks.layer import measure
    from docspec.parser import Parser

    with Parser(replace(options, read="regions")) as parser:
        pages = list(measure(parser, sources_of(inputs), None if scan is None else ("blur", scan)))
        print_layer(pages, target_line(parser.loaded.info))
        write_json(
            json_file,
            "docspec.bench.layer/1",
            options.model,
            [asdict(page) for page in pages],
            scan=scan,
            **target_fields(parser.loaded.info),
        )
    return 0


def print_layer(pages: Sequence[LayerPage], caption: str) -> None:
    """One row a page, and all of them together."""
    columns = ["characters", "wrong %", "beyond", "regions", "crops", "seconds"]
    grid = table(f"By regions against the text layer ({caption})", ["page", "layout"], columns)
    for page in pages:
        grid.add_row(
            f"{page.source} {page.page}",
            page.layout or "ink",
            str(page.characters),
            f"{100 * page.errors / max(1, page.characters):.2f}",
            str(page.beyond),
            str(page.regions),
            str(page.crops),
            f"{page.seconds:.1f}",
        )
    characters, errors = sum(page.characters for page in pages), sum(page.errors for page in pages)
    grid.add_row("all", "", str(characters), f"{100 * errors / max(1, characters):.2f}", "", "", "", "")
    console().print(grid)
