"""``python -m benchmarks searchable``: what another program finds in searchable PDFs."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from docspec.bench.cli.common import InputPaths, JsonFile, sources_of, write_json
from docspec.bench.cli.tables import console, narrow_table
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions

if TYPE_CHECKING:
    from benchmarks.searchable import Searchable


@takes_options("model", "device", "dtype", "pages", "dpi", "drafter", "words", "read", "max_tokens")
def searchable(inputs: InputPaths, *, options: ParseOptions, json_file: JsonFile = None) -> int:
    """Searchable PDFs: the written words that pdftotext finds in them, growth, and what qpdf says."""
    from benchmarks.searchable import measure, readers

    rows = list(measure(sources_of(inputs), replace(options, places="drafts")))
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
        f"at most 5 % or 20 KB a page larger: {small}",
        *(f"{name} refuses what it did not before: {sum(name in row.refused for row in made)}" for name in readers()),
    )
    for line in lines:
        console().print(line, markup=False)
    write_json(json_file, "docspec.bench.searchable/1", options.model, list(map(asdict, rows)))
    return 0


def _more(row: Searchable) -> float:
    """By how many KB a page has grown."""
    return (row.after - row.before) / 1000 / max(1, row.pages)
