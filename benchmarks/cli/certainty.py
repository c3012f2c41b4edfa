"""``python -m benchmarks certainty``: the weights of certainty, fitted to made scans and measured on others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.cli.common import narrow_table
from benchmarks.plots import check_plot
from docspec.bench.cli.common import JsonFile, console, write_json
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions

Scans = Annotated[int, typer.Option(metavar="N", min=1, help="Scans that the weights are fitted to: of even seeds.")]
HeldOut = Annotated[int, typer.Option(metavar="N", min=1, help="Scans that they are measured on: of odd seeds.")]
Way = Annotated[
    str | None,
    typer.Option(
        metavar="WAY",
        show_default=False,
        help='Only scans that are read in one way: "model", "model alone" or "recogniser"; else all in turn.',
    ),
]
Blurred = Annotated[
    int, typer.Option(metavar="N", min=0, help="As many more scans of either kind, blurred by about three pixels.")
]
Keep = Annotated[
    Path | None,
    typer.Option(metavar="DIR", show_default=False, help="Keep what was read here, and do not read it again."),
]
Diagram = Annotated[
    Path | None,
    typer.Option(metavar="FILE.svg", show_default=False, help="Draw the share of right words by their certainty."),
]


@takes_options("model", "device", "dtype")
def certainty(
    *,
    options: ParseOptions,
    fit: Scans = 40,
    held_out: HeldOut = 40,
    blurred: Blurred = 0,
    way: Way = None,
    keep: Keep = None,
    diagram: Diagram = None,
    json_file: JsonFile = None,
) -> int:
    """How far words are to be believed: prints the weights that docspec/places/certainty.py has, and how well they
    hold on scans with other words."""
    from benchmarks.certainty import IN_TURN, draw, fitted, readings, seeds
    from benchmarks.made_scans import BLURRED
    from benchmarks.places import Summary

    check_plot(diagram)
    if way not in (None, *IN_TURN):
        raise typer.BadParameter(f"{way} is none of {', '.join(dict.fromkeys(IN_TURN))}", param_hint="--way")
    known = [*seeds(0, fit, way), *seeds(BLURRED, blurred)]
    learned = [one.placed() for one in readings(known, options, keep)]
    for line in fitted(learned):
        console().print(line, markup=False, soft_wrap=True)
    others = [(one.way, one.wear.kind, one.placed()) for one in readings(seeds(1, held_out, way), options, keep)]
    hard = [one.placed() for one in readings(seeds(BLURRED + 1, blurred), options, keep)]
    groups = {name: [page for own, _, page in others if own == name] for name in sorted({own for own, *_ in others})}
    drafted = [(kind, page) for own, kind, page in others if own != "model alone"]
    if drafted:
        groups["with a recogniser"] = [page for _, page in drafted]
    kinds = drafted or [(kind, page) for _, kind, page in others]
    for name in sorted({kind for kind, _ in kinds}):
        groups[f"of these, {name}"] = [page for kind, page in kinds if kind == name]
    if hard:
        groups["blurred by three pixels"] = hard
    found = {name: Summary.of(pages) for name, pages in groups.items()}
    grid = narrow_table("Other scans", ["scans"], ["words", "right", "error", "IoU >= 0.7"])
    for name, one in found.items():
        right = sum(share * count for _, share, count in one.bins) / max(1, one.words)
        what = f"{name} ({len(groups[name])})"
        grid.add_row(what, str(one.words), f"{right:.1%}", f"{one.error:.3f}", f"{one.good:.1%}")
    console().print(grid)
    if diagram is not None:
        shown = ("with a recogniser", "model alone")
        drawn = {name: one for name, one in found.items() if name in shown}
        draw(diagram, drawn, f"{len(others)} made scans, model {options.model}")
    figures = ("words", "error", "good", "bins")
    rows = [{"scans": name, **{key: getattr(one, key) for key in figures}} for name, one in found.items()]
    write_json(json_file, "docspec.bench.certainty/1", options.model, rows)
    return 0
