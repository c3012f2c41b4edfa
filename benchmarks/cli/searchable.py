"""``python -m benchmarks searchable``: what another program finds in searchable PDFs."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.cli.common import narrow_table
from docspec.bench.cli.common import InputPaths, JsonFile, console, sources_of, write_json
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions

if TYPE_CHECKING:
    from benchmarks.searchable import Searchable

Sample = Annotated[
    int | None, typer.Option(metavar="N", min=1, show_default=False, help="Take N of the files that open, at random.")
]
Seed = Annotated[int, typer.Option(metavar="N", help="What --sample draws by.")]
MostPages = Annotated[int, typer.Option(metavar="N", min=1, help="Pages of a file above which --sample passes it by.")]


@takes_options("model", "device", "dtype", "pages", "dpi", "drafter", "words", "read", "max_tokens", "page_timeout")
def searchable(
    inputs: InputPaths,
    *,
    options: ParseOptions,
    sample: Sample = None,
    seed: Seed = 1,
    most_pages: MostPages = 5,
    json_file: JsonFile = None,
) -> int:
    """Searchable PDFs: the written words that pdftotext finds in them, growth, and what qpdf says."""
    from benchmarks.searchable import drawn, measure, readers

    sources = sources_of(inputs)
    if sample is not None:
        sources = drawn(sources, sample, seed, most_pages)
    rows: list[Searchable] = []
    for row in measure(sources, replace(options, places="drafts")):
        rows.append(row)  # a run that is stopped leaves what it has
        write_json(json_file, "docspec.bench.searchable/1", options.model, list(map(asdict, rows)))
    grid = narrow_table("Searchable PDFs", ["file"], ["words", "found", "KB a page more", "refused by"])
    for row in rows:
        share = row.found / max(1, row.words)
        said = row.fault or ", ".join(row.refused)
        grid.add_row(Path(row.source).stem, str(row.words), f"{share:.2%}", f"{_more(row):.1f}", said)
    console().print(grid)
    made = [row for row in rows if not row.fault]
    words, found = sum(row.words for row in made), sum(row.found for row in made)
    small = sum(_more(row) <= 20 or row.after <= 1.05 * row.before for row in made)
    lines = (
        f"{len(made)} of {len(rows)} files, {words:,} words, found {found / max(1, words):.2%}; "
        f"all of them in {sum(row.found == row.words for row in made)}, at least 99 % in "
        f"{sum(row.found >= 0.99 * row.words for row in made)}",
        f"not found, but told with other spaces: {sum(row.parted for row in made):,} words, "
        f"{sum(row.joined for row in made):,} of them within longer words",
        f"at most 5 % or 20 KB a page larger: {small}",
        *(f"{name} refuses what it did not before: {sum(name in row.refused for row in made)}" for name in readers()),
    )
    for line in lines:
        console().print(line, markup=False)
    return 0


def _more(row: Searchable) -> float:
    """By how many KB a page has grown."""
    return (row.after - row.before) / 1000 / max(1, row.pages)
