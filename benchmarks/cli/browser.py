"""``python -m benchmarks browser``: search and selection in searchable PDFs, as people do it."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.cli.common import narrow_table
from docspec.bench.cli.common import InputPaths, JsonFile, console, sources_of, write_json
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions

Package = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        show_default=False,
        help="The folder of the npm package pdfjs-dist; else the one in NODE_PATH, or in node_modules here or above.",
    ),
]


@takes_options("model", "device", "dtype", "pages", "dpi", "drafter", "words", "read", "max_tokens", "page_timeout")
def browser(inputs: InputPaths, *, options: ParseOptions, package: Package = None, json_file: JsonFile = None) -> int:
    """Searchable PDFs in Chromium, in the viewer of pdf.js: words that its search finds at their places, and lines that
    are copied word for word when they are selected with the mouse. Needs playwright and Chromium."""
    from benchmarks.browser_search import measure, package_of, viewer

    folder = package_of(package)
    if folder is None:
        raise typer.BadParameter("pdfjs-dist is not there: npm install pdfjs-dist, and name its folder")
    grid = narrow_table("In Chromium", ["file", "page"], ["words", "found", "lines", "copied"])
    rows = []
    with viewer(folder) as window:
        for source, number, one in measure(sources_of(inputs), replace(options, places="drafts"), window):
            rows.append({"source": source, "page": number, **asdict(one)})
            counts = (one.words, one.found, one.lines, one.copied)
            grid.add_row(Path(source).stem, str(number), *map(str, counts))
            write_json(json_file, "docspec.bench.browser/1", options.model, rows)
    console().print(grid)
    words, found, lines, copied = (sum(row[key] for row in rows) for key in ("words", "found", "lines", "copied"))
    console().print(f"found {found} of {words} words, copied {copied} of {lines} lines", markup=False)
    return 0
