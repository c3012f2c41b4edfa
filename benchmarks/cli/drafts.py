"""``python -m benchmarks drafts``: what drafts of any quality bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from docspec.bench.cli.common import (
    InputPaths,
    JsonFile,
    Repeats,
    console,
    repeatable,
    sources_of,
    table,
    target_fields,
    target_line,
    write_json,
)
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions, UsageError
from docspec.core.choices import DrafterName

if TYPE_CHECKING:
    from benchmarks.drafts import Point

Levels = list[float] | None
PlotFile = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE.png|svg", show_default=False, help="Draw the result (extra 'bench')."),
]


def _level(name: str, least: float, most: float, help: str) -> Any:
    return repeatable("N", help, f"--{name}", least=least, most=most)


@takes_options(
    *("model", "device", "dtype", "dpi", "drafts", "language", "ppstructure_models"),
    pages="1",
    max_tokens=128,
    words="model",
)
def drafts(
    *,
    inputs: InputPaths,
    options: ParseOptions,
    drafter: Annotated[
        list[str] | None, repeatable("NAME", "Default: text-layer, rapidocr, none, and those whose options are given.")
    ] = None,
    recogniser: Annotated[DrafterName, typer.Option(help="What reads degraded images.")] = "rapidocr",
    resolution: Annotated[Levels, _level("resolution", 0.02, 1, "Share of the page's pixels per inch.")] = None,
    blur: Annotated[Levels, _level("blur", 0, 100, "Gaussian blur in pixels.")] = None,
    jpeg: Annotated[Levels, _level("jpeg", 1, 95, "JPEG quality, 1 to 95.")] = None,
    noise: Annotated[Levels, _level("noise", 0, 1, "Share of wrong characters.")] = None,
    jitter: Annotated[Levels, _level("jitter", 0, 1, "Share of a box's side that its edges move.")] = None,
    stages: Annotated[Literal["both", "page"], typer.Option(help="Both stages, or the page alone.")] = "both",
    repeats: Repeats = 3,
    seed: Annotated[int, typer.Option(help="Of noise and jitter.")] = 1,
    json_file: JsonFile = None,
    plot: PlotFile = None,
) -> int:
    """Speed-up against draft quality: each drafter, degraded images, wrong characters, moved boxes.

    Levels that are not given have a few default values; naming any level leaves out those not named.
    """
    from benchmarks.drafts import Plan, measure
    from benchmarks.drafts_chart import plot_drafts
    from benchmarks.plots import check_plot
    from docspec.console.terminal import say
    from docspec.parser import Parser

    check_plot(plot)
    names = drafter or ["text-layer", "rapidocr", "none"]
    if drafter is None:
        names[2:2] = ["saved"] * (options.drafts is not None) + ["ppstructure"] * (
            options.ppstructure_models is not None
        )
    named = {"resolution": resolution, "blur": blur, "jpeg": jpeg, "noise": noise, "jitter": jitter}
    plan = Plan(drafters=tuple(names), recogniser=recogniser, stages=stages, repeats=repeats, seed=seed)  # type: ignore[arg-type]
    if any(named.values()):
        plan = replace(plan, levels={kind: tuple(values or ()) for kind, values in named.items()})

    def told(point: Point) -> None:
        note = f" ({point.note})" if point.note else ""
        say(f"{point.source} page {point.page}, {point.label}: {point.sr_e2e:.2f}x end to end{note}")

    with Parser(options) as parser:
        points = measure(parser, sources_of(inputs), plan, told)
        info = parser.loaded.info
    if not points:
        raise UsageError("no page could be measured")
    print_drafts(points, target_line(info), stages)
    rows = [{**asdict(point), **_ratios(point)} for point in points]
    write_json(
        json_file, "docspec.bench.drafts/1", options.model, rows, **target_fields(info), stages=stages, seed=seed
    )
    if plot is not None:
        plot_drafts(plot, points, f"{target_line(info)}; medians of {repeats} interleaved runs", info.random)
    return 0


def _ratios(point: Point) -> dict[str, float]:
    names = ("aal", "tokens_per_step", "sr_verify", "sr_decode", "sr_e2e")
    return {name: getattr(point, name) for name in names}


def print_drafts(points: Sequence[Point], target: str, stages: str) -> None:
    """One row for each level over all pages together."""
    from benchmarks.drafts import levels, overall

    grid = table(
        f"What drafts of that quality bring, {points[0].runs} interleaved runs, stages: {stages}",
        ["draft"],
        ["agree", "draft", "AAL", "tok/step", "verify", "SR_decode", "SR_e2e", "same"],
        dense=True,
    )
    grid.caption = (
        f"{target}. agree: 100 less the normalised edit distance (%) between the draft and the target's own output; "
        "draft: seconds a page; verify: speed-up of decoding alone, SR_decode and SR_e2e with the draft's time; "
        "same: runs whose output is that of plain decoding"
    )
    kind = points[0].kind
    for label, group in levels(points).items():
        if group[0].kind != kind:
            grid.add_section()
            kind = group[0].kind
        steps = sum(point.steps for point in group) or 1
        accepted = sum(point.accepted for point in group)
        grid.add_row(
            label,
            f"{100 * sum(point.accuracy for point in group) / len(group):.1f}",
            f"{sum(point.draft_seconds for point in group) / len(group):.2f}",
            f"{accepted / steps:.2f}",
            f"{(accepted + steps) / steps:.2f}",
            *(f"{overall(group, part):.2f}" for part in ("verify", "decode", "total")),
            f"{sum(point.identical for point in group)}/{sum(point.runs for point in group)}",
        )
    console().print(grid)
