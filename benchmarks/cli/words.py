"""``python -m benchmarks words``: how right the words of whole pages are, beside those of other tools."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from docspec.bench.cli.common import InputPaths, JsonFile, console, sources_of, table, write_json
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions, UsageError

if TYPE_CHECKING:
    from benchmarks.word_counts import WordCounts
    from benchmarks.words import WordsOfPage

INSTALLED = {
    "pymupdf4llm": lambda: find_spec("pymupdf4llm") is not None,
    "pdfium": lambda: find_spec("pypdfium2") is not None,
    "tesseract": lambda: shutil.which("tesseract") is not None,
}


@takes_options("model", "device", "dtype", "dpi", pages="1")
def words(
    inputs: InputPaths,
    *,
    options: ParseOptions,
    blur: Annotated[
        float, typer.Option(metavar="RADIUS", min=0.0, help="Of the pictures of the pages, in pixels; 0: none.")
    ] = 1.0,
    reader: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", show_default=False, help="What reads them. Default: all that is installed."),
    ] = None,
    json_file: JsonFile = None,
) -> int:
    """Words and numbers of born-digital pages against their text layer, as it is and blurred, beside other tools."""
    from benchmarks.words import READERS, LeftAside, measure

    names = reader or [name for name in READERS if INSTALLED.get(name, lambda: True)()]
    for name in names:
        if name not in READERS:
            raise UsageError(f"--reader {name}: choose among {', '.join(READERS)}")
    pages: list[WordsOfPage] = []
    for found in measure(sources_of(inputs), options, blur, names):
        if isinstance(found, LeftAside):
            print(f"{found.source}, page {found.page}: left aside ({found.reason})", file=sys.stderr)
            continue
        pages.append(found)
        counts = found.counts
        wrong = f"{counts.numbers_wrong} of {counts.numbers_written} numbers wrong"
        print(
            f"{found.source} {found.page} blur {found.blur:g} {found.reader}: {wrong}, {found.seconds:.1f} s",
            file=sys.stderr,
        )
    print_words(pages)
    write_json(json_file, "docspec.bench.words/1", options.model, [asdict(page) for page in pages], blur=blur)
    return 0


def print_words(pages: Sequence[WordsOfPage]) -> None:
    """One row for each reader, born-digital pages first."""
    from benchmarks.words import together

    columns = ["numbers wrong", "of written", "numbers found", "words found", "in order", "missing", "s a page"]
    for blur in sorted({page.blur for page in pages}):
        mine = [page for page in pages if page.blur == blur]
        count = len({(page.source, page.page) for page in mine})
        kind = f"pictures blurred by {blur:g} pixels" if blur else "born-digital"
        grid = table(f"{count} pages, {kind}, against their text layer", ["reader"], columns)
        for (_, name), sums in together(mine).items():
            seconds = [page.seconds for page in mine if page.reader == name]
            missing = sum(page.missing for page in mine if page.reader == name)
            grid.add_row(name, *_cells(sums), str(missing), f"{sum(seconds) / len(seconds):.1f}")
        console().print(grid)


def _cells(sums: WordCounts) -> list[str]:
    return [
        _share(sums.numbers_wrong, sums.numbers_written),
        f"{sums.numbers_wrong} of {sums.numbers_written}",
        _share(sums.numbers_found, sums.numbers),
        _share(sums.words_found, sums.words),
        _share(sums.in_order, sums.words_found),
    ]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
