"""``python -m benchmarks places``: where written words stand, against the text layer of the file."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated

import typer

from docspec.bench.cli.common import InputPaths, JsonFile, sources_of, write_json
from docspec.bench.cli.tables import console, narrow_table
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions

Blur = Annotated[
    float | None,
    typer.Option(metavar="PIXELS", min=0, show_default=False, help="Read pages as scans, blurred by so many pixels."),
]


@takes_options("model", "device", "dtype", "pages", "dpi", "drafter", "words", "read", "max_tokens", "places")
def places(inputs: InputPaths, *, options: ParseOptions, blur: Blur = None, json_file: JsonFile = None) -> int:
    """Where written words stand: how that is known, overlap with the file's own boxes, certainty against truth."""
    from benchmarks.places import Summary, evidence, measure

    pages = list(
        measure(
            sources_of(inputs), replace(options, places=options.places if options.places != "none" else "drafts"), blur
        )
    )
    found = Summary.of(pages)
    grid = narrow_table("Placed words", ["placed"], ["words", "share", "right"])
    for how, right, count in evidence(pages):
        grid.add_row(how, str(count), f"{count / max(1, found.words):.2%}", f"{right:.1%}")
    console().print(grid)
    said = (
        f"{len(pages)} pages, {found.words:,} words; exact or aligned: "
        f"{(found.hows['exact'] + found.hows['aligned']) / max(1, found.words):.2%}",
        f"overlap (IoU) with the file's boxes: median {found.overlap:.3f}, at least 0.7 for {found.good:.1%}",
        f"exact words that the file has nowhere: {found.made_up}",
        f"calibration error: {found.error:.3f}; placing took {found.cost:.2%} of the time",
    )
    for line in said:
        console().print(line, markup=False)
    bins = narrow_table("Certainty and truth", ["certainty"], ["right", "words"])
    for sure, right, count in found.bins:
        bins.add_row(f"{sure:.3f}", f"{right:.3f}", str(count))
    console().print(bins)
    rows = [asdict(page) for page in pages]
    write_json(json_file, "docspec.bench.places/1", options.model, rows, summary=asdict(found))
    return 0
