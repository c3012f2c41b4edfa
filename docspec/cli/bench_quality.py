"""``docspec bench accuracy`` and ``drafts``: how right texts are, and what drafts of any quality bring."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from docspec.cli.bench_common import (
    Device,
    Dpi,
    Dtype,
    Inputs,
    JsonFile,
    MaxTokens,
    Model,
    PlotFile,
    sources_of,
    target_fields,
    target_line,
    write_json,
)
from docspec.core import ParseOptions, UsageError
from docspec.core.options import DrafterName

if TYPE_CHECKING:
    from docspec.bench.drafts import Point


def accuracy(
    inputs: Inputs,
    model: Model = "auto",
    device: Device = "auto",
    dtype: Dtype = "auto",
    dpi: Dpi = 200.0,
    drafter: Annotated[DrafterName, typer.Option(help="What drafts.")] = "auto",
    tau: Annotated[float | None, typer.Option(show_default=False, help="Relaxed acceptance.")] = None,
    max_tokens: MaxTokens = None,
    json_file: JsonFile = None,
) -> int:
    """Draft, plain decoding, Stage 1 and both stages against the true Markdown in NAME.md beside NAME.pdf.

    Page 1 of each input; NAME-scan.pdf shares the truth of NAME. Measures as in OmniDocBench v1.5.
    """
    from docspec.bench.accuracy import measure
    from docspec.bench.extras import require
    from docspec.cli.bench_tables import print_accuracy
    from docspec.cli.terminal import say
    from docspec.parser import Parser

    for module in ("apted", "scipy.optimize"):
        require(module, "bench accuracy")
    options = ParseOptions(
        model=model, device=device, dtype=dtype, dpi=dpi, drafter=drafter, tau=tau, max_tokens=max_tokens
    )
    pages = []
    with Parser(options) as parser:
        for page in measure(parser, sources_of(inputs)):
            say(f"{page.source} page {page.page}: {len(page.rows)} texts compared")
            pages.append(page)
        info = parser.target_info
    print_accuracy(pages, target_line(info))
    write_json(
        json_file, "docspec.bench.accuracy/2", model, [asdict(page) for page in pages], **target_fields(info)
    )
    return 0


Levels = list[float] | None


def _level(name: str, least: float, most: float, help: str) -> Any:
    return typer.Option(
        f"--{name}", metavar="N", min=least, max=most, show_default=False, help=f"{help} Repeatable."
    )


def drafts(
    inputs: Inputs,
    model: Model = "auto",
    device: Device = "auto",
    dtype: Dtype = "auto",
    pages: Annotated[str, typer.Option(metavar="1-3,7", help="Pages of each input.")] = "1",
    dpi: Dpi = 200.0,
    drafter: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Repeatable; default: text-layer, rapidocr, none, and those whose options are given.",
        ),
    ] = None,
    recogniser: Annotated[DrafterName, typer.Option(help="What reads degraded images.")] = "rapidocr",
    resolution: Annotated[
        Levels, _level("resolution", 0.02, 1, "Share of the page's pixels per inch.")
    ] = None,
    blur: Annotated[Levels, _level("blur", 0, 100, "Gaussian blur in pixels.")] = None,
    jpeg: Annotated[Levels, _level("jpeg", 1, 95, "JPEG quality, 1 to 95.")] = None,
    noise: Annotated[Levels, _level("noise", 0, 1, "Share of wrong characters.")] = None,
    jitter: Annotated[Levels, _level("jitter", 0, 1, "Share of a box's side that its edges move.")] = None,
    stages: Annotated[Literal["both", "page"], typer.Option(help="Both stages, or the page alone.")] = "both",
    repeats: Annotated[int, typer.Option(min=1, help="Times that every draft is used.")] = 3,
    max_tokens: Annotated[int, typer.Option(min=1, help="Most tokens a page may have.")] = 128,
    seed: Annotated[int, typer.Option(help="Of noise and jitter.")] = 1,
    drafts_at: Annotated[Path | None, typer.Option("--drafts", help="Drafts for --drafter saved.")] = None,
    ppstructure_models: Annotated[Path | None, typer.Option(help="Models for --drafter ppstructure.")] = None,
    json_file: JsonFile = None,
    plot: PlotFile = None,
) -> int:
    """Speed-up against draft quality: each drafter, degraded images, wrong characters, moved boxes.

    Levels that are not given have a few default values; naming any level leaves out those not named.
    """
    from docspec.bench.charts import plot_drafts
    from docspec.bench.drafts import Plan, measure
    from docspec.bench.plots import check_plot
    from docspec.cli.bench_tables import print_drafts
    from docspec.cli.terminal import say
    from docspec.parser import Parser

    check_plot(plot)
    names = drafter or ["text-layer", "rapidocr", "none"]
    if drafter is None:
        names[2:2] = ["saved"] * (drafts_at is not None) + ["ppstructure"] * (ppstructure_models is not None)
    named = {"resolution": resolution, "blur": blur, "jpeg": jpeg, "noise": noise, "jitter": jitter}
    plan = Plan(drafters=tuple(names), recogniser=recogniser, stages=stages, repeats=repeats, seed=seed)  # type: ignore[arg-type]
    if any(named.values()):
        plan = replace(plan, levels={kind: tuple(values or ()) for kind, values in named.items()})
    options = ParseOptions(
        model=model,
        device=device,
        dtype=dtype,
        pages=pages,
        dpi=dpi,
        max_tokens=max_tokens,
        drafts=drafts_at,
        ppstructure_models=ppstructure_models,
    )

    def told(point: Point) -> None:
        note = f" ({point.note})" if point.note else ""
        say(f"{point.source} page {point.page}, {point.label}: {point.sr_e2e:.2f}x end to end{note}")

    with Parser(options) as parser:
        points = measure(parser, sources_of(inputs), plan, told)
        info = parser.target_info
    if not points:
        raise UsageError("no page could be measured")
    print_drafts(points, target_line(info), stages)
    rows = [{**asdict(point), **_ratios(point)} for point in points]
    write_json(
        json_file, "docspec.bench.drafts/1", model, rows, **target_fields(info), stages=stages, seed=seed
    )
    if plot is not None:
        plot_drafts(plot, points, f"{target_line(info)}; medians of {repeats} interleaved runs", info.random)
    return 0


def _ratios(point: Point) -> dict[str, float]:
    names = ("aal", "tokens_per_step", "sr_verify", "sr_decode", "sr_e2e")
    return {name: getattr(point, name) for name in names}
