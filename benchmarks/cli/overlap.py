"""``python -m benchmarks overlap``: recognition before the page against recognition beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from docspec.bench.cli.common import InputPaths, JsonFile, Repeats, console, page_names, sources_of, table, write_json
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions, UsageError

if TYPE_CHECKING:
    from benchmarks.overlap import Overlapped


@takes_options("model", "device", "dtype", "pages", "dpi", "drafter", "max_tokens", stages="page", words="model")
def overlap(*, inputs: InputPaths, options: ParseOptions, repeats: Repeats = 3, json_file: JsonFile = None) -> int:
    """Pages read whole, recognised first (overlap off) and while they are read (auto): one run, interleaved, medians.

    Beside the page recognition has half of the cores; OMP_NUM_THREADS gives the model the other half.
    """
    from benchmarks.overlap import measure
    from docspec.console.terminal import say

    found = measure(
        options, sources_of(inputs), repeats, lambda page: say(f"{page.source} page {page.page}: {page.faster:.2f}x")
    )
    if not found:
        raise UsageError("no page could be measured")
    print_overlap(found)
    write_json(json_file, "docspec.bench.overlap/1", options.model, [asdict(page) for page in found])
    return 0


def print_overlap(pages: Sequence[Overlapped]) -> None:
    """A row a page: seconds on the clock both ways, and where those of drafting went."""

    columns = ["tokens", "before", "first s", "beside s", "ratio", "draft s", "left s", "same"]
    grid = table("Recognition first, and beside the page", ["page"], columns, dense=True)
    grid.caption = "before: tokens written before the draft was whole; left: seconds of drafting left on the clock"
    for name, page in zip(page_names([(one.source, one.page) for one in pages]), pages, strict=True):
        grid.add_row(
            name,
            str(page.tokens),
            str(page.before),
            *(f"{seconds:.2f}" for seconds in page.wall),
            f"{page.faster:.2f}",
            *(f"{seconds:.2f}" for seconds in page.draft),
            "yes" if page.identical else "NO",
        )
    console().print(grid)
