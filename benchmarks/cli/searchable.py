"""``python -m benchmarks searchable``: what another program finds in searchable PDFs."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

from docspec.bench.cli.common import InputPaths, JsonFile, sources_of, write_json
from docspec.bench.cli.tables import console, narrow_table
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions


@takes_options("model", "device", "dtype", "pages", "dpi", "drafter", "words", "read", "max_tokens")
def searchable(inputs: InputPaths, *, options: ParseOptions, json_file: JsonFile = None) -> int:
    """Searchable PDFs: the written words that pdftotext finds in them, growth, and what qpdf says."""
    from benchmarks.searchable import measure

    rows = list(measure(sources_of(inputs), replace(options, places="drafts")))
    grid = narrow_table("Searchable PDFs", ["file"], ["words", "found", "KB a page more", "qpdf"])
    for row in rows:
        more = (row.after - row.before) / 1000 / max(1, row.pages)
        share = row.found / max(1, row.words)
        said = "clean" if row.is_clean else "complains"
        grid.add_row(Path(row.source).stem, str(row.words), f"{share:.2%}", f"{more:.1f}", said)
    console().print(grid)
    words, found = sum(row.words for row in rows), sum(row.found for row in rows)
    console().print(f"{len(rows)} files, {words:,} words, found {found / max(1, words):.2%}")
    write_json(json_file, "docspec.bench.searchable/1", options.model, list(map(asdict, rows)))
    return 0
