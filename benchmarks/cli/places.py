"""``python -m benchmarks places``: where written words stand, against the text layer of the file."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.cli.common import narrow_table
from benchmarks.plots import check_plot
from docspec.bench.cli.common import InputPaths, JsonFile, console, sources_of, write_json
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions

if TYPE_CHECKING:
    from benchmarks.places import PlacedPage

Blurs = Annotated[
    list[float] | None,
    typer.Option("--blur", metavar="PIXELS", min=0, show_default=False, help="Read pages as scans, blurred so; often."),
]
Noise = Annotated[float, typer.Option(metavar="LEVELS", min=0, help="Grain of the scans, in grey levels.")]
Transcripts = Annotated[
    bool,
    typer.Option("--transcripts", help="Place what a model wrote earlier: NAME.md beside NAME.pdf. No model runs."),
]
Insert = Annotated[int, typer.Option(metavar="N", min=0, help="Put a made-up word behind every N-th of a transcript.")]
Diagram = Annotated[
    Path | None,
    typer.Option(metavar="FILE.svg", show_default=False, help="Draw the share of right words by their certainty."),
]


@takes_options("model", "device", "dtype", "pages", "dpi", "drafter", "words", "read", "max_tokens", "places")
def places(
    inputs: InputPaths,
    *,
    options: ParseOptions,
    blur: Blurs = None,
    noise: Noise = 0.0,
    transcripts: Transcripts = False,
    insert: Insert = 0,
    diagram: Diagram = None,
    json_file: JsonFile = None,
) -> int:
    """Where written words stand: how that is known, overlap with the file's own boxes, certainty against truth."""
    from benchmarks.certainty import draw
    from benchmarks.places import Summary, evidence, measure
    from benchmarks.transcribed import transcribed

    if options.places == "none":
        options = replace(options, places="drafts")
    check_plot(diagram)
    scans: list[float | None] = [*blur] if blur else [None]
    runs: dict[float | None, list[PlacedPage]] = {}
    if transcripts:
        runs = {None: list(transcribed(inputs, replace(options, drafter="text-layer"), insert))}
    else:
        runs = {one: list(measure(sources_of(inputs), options, one, noise)) for one in scans}
    pages = [page for run in runs.values() for page in run]
    if diagram is not None:
        names = {one: "pages as they are" if one is None else f"blur {one:g}" for one in runs}
        note = f"{len(pages)} pages, noise {noise:g}, model {options.model}"
        draw(diagram, {names[one]: Summary.of(run) for one, run in runs.items()}, note)
    found = Summary.of(pages)
    grid = narrow_table("Placed words", ["placed"], ["words", "share", "right"])
    for how, right, count in evidence(pages):
        grid.add_row(how, str(count), f"{count / max(1, found.words):.2%}", f"{right:.1%}")
    console().print(grid)
    said = [
        f"{len(pages)} pages, {found.words:,} words; exact or aligned: "
        f"{(found.hows['exact'] + found.hows['aligned']) / max(1, found.words):.2%}",
        f"overlap (IoU) with the file's boxes: median {found.overlap:.3f}, at least 0.7 for {found.good:.1%}",
        f"exact words where the file has other ones: {found.made_up}; where it has none: {found.beside}",
        f"calibration error: {found.error:.3f}; placing took {found.cost:.2%} of the time",
    ]
    if found.inserted:
        of_inserted = ", ".join(f"{how} {count}" for how, count in sorted(found.inserted.items()))
        said.append(f"words that were put into the text: {of_inserted}")
    for line in said:
        console().print(line, markup=False)
    bins = narrow_table("Certainty and truth", ["certainty"], ["right", "words"])
    for sure, right, count in found.bins:
        bins.add_row(f"{sure:.3f}", f"{right:.3f}", str(count))
    console().print(bins)
    rows = [asdict(page) for page in pages]
    write_json(json_file, "docspec.bench.places/1", options.model, rows, summary=asdict(found))
    return 0
