"""``python -m benchmarks kinds``: the words that are known of each kind of region beside those that the model reads."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from docspec.bench.cli.common import InputPaths, JsonFile, console, sources_of, table, write_json
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions


@takes_options("model", "device", "dtype", "dpi", pages="1")
def kinds(
    inputs: InputPaths,
    *,
    options: ParseOptions,
    blur: Annotated[
        float, typer.Option(metavar="RADIUS", min=0.0, help="As pictures, blurred by so many pixels; 0: as they are.")
    ] = 0.0,
    json_file: JsonFile = None,
) -> int:
    """Known words beside the model's own, kind of region by kind: what a card's ``reads`` is decided by."""
    from benchmarks.kinds import by_kind, measure

    found = list(measure(sources_of(inputs), options, blur))
    columns = ["regions", "known: wrong", "found", "read: wrong", "found", "known: words", "read: words"]
    shown = f"pictures blurred by {blur:g} pixels" if blur else "pages as they are"
    grid = table(f"Numbers and words by kind of region, {shown}", ["known from", "kind"], columns)
    for (source, kind), (count, known, read) in by_kind(found).items():
        cells = [
            cell
            for sums in (known, read)
            for cell in (f"{sums.numbers_wrong} of {sums.numbers_written}", f"{sums.numbers_found} of {sums.numbers}")
        ]
        words = [f"{100 * sums.words_found / max(1, sums.words):.1f} %" for sums in (known, read)]
        grid.add_row(source, kind, str(count), *cells, *words)
    console().print(grid)
    write_json(json_file, "docspec.bench.kinds/1", options.model, [asdict(one) for one in found], blur=blur)
    return 0
