"""``docspec bench`` commands that run a model: speed, fidelity, memory."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from docspec.cli.bench_common import (
    Device,
    Dpi,
    Dtype,
    Inputs,
    JsonFile,
    MaxTokens,
    Model,
    Pages,
    PlotFile,
    sources_of,
    target_fields,
    target_line,
    write_json,
)
from docspec.core import ParseOptions, UsageError
from docspec.core.options import DrafterName


def speed(
    inputs: Inputs,
    model: Model = "auto",
    device: Device = "auto",
    dtype: Dtype = "auto",
    pages: Pages = None,
    dpi: Dpi = 200.0,
    drafter: Annotated[DrafterName, typer.Option(help="What drafts, in all modes but planned.")] = "auto",
    mode: Annotated[
        list[str] | None,
        typer.Option(metavar="MODE", show_default=False, help="Repeatable; default: all. plain always runs."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Times that every mode reads every page.")] = 3,
    max_tokens: MaxTokens = None,
    json_file: JsonFile = None,
    plot: PlotFile = None,
) -> int:
    """Plain decoding against every way of speculating: one run, interleaved, medians."""
    from docspec.bench.charts import plot_speed
    from docspec.bench.plots import check_plot
    from docspec.bench.speed import MODES, PLAIN, PageSpeed, by_kind, measure, summarise
    from docspec.cli.bench_tables import print_speed
    from docspec.cli.terminal import say
    from docspec.parser import Parser

    check_plot(plot)
    chosen = mode or list(MODES)
    for name in chosen:
        if name not in MODES:
            raise UsageError(f"--mode {name}: unknown; choose among {', '.join(MODES)}")

    def told(page: PageSpeed) -> None:
        ratios = ", ".join(f"{m} {page.sr_e2e(m):.2f}x" for m in chosen if m != PLAIN)
        say(f"{page.source} page {page.page}: {ratios}")

    options = ParseOptions(
        model=model, device=device, dtype=dtype, pages=pages, dpi=dpi, drafter=drafter, max_tokens=max_tokens
    )
    with Parser(options) as parser:
        measured = measure(parser, sources_of(inputs), chosen, repeats, told)
        info = parser.target_info
    if not measured:
        raise UsageError("no page could be measured")
    print_speed(measured, target_line(info), repeats)
    modes = [sample.mode for sample in measured[0].samples]
    write_json(
        json_file,
        "docspec.bench.speed/1",
        model,
        [asdict(page) for page in measured],
        **target_fields(info),
        repeats=repeats,
        modes=[asdict(summarise(measured, mode)) for mode in modes],
        kinds=[
            {"kind": kind, **asdict(summarise(group, mode))}
            for kind, group in by_kind(measured).items()
            for mode in modes
        ],
    )
    if plot is not None:
        plot_speed(
            plot,
            measured,
            f"{target_line(info)}; medians and extremes of {repeats} interleaved runs",
            info.random,
        )
    return 0


def memory(
    model: Model = "auto",
    pages: Annotated[
        list[int] | None, typer.Option(min=1, show_default=False, help="Repeatable; default: 10 and 300.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="Tokens a page, to keep it short.")] = 32,
    json_file: JsonFile = None,
) -> int:
    """Peak memory of generated documents of different length, each in a process of its own."""
    from docspec.bench.memory import measure
    from docspec.cli.bench_tables import print_memory

    peaks = measure(pages or [10, 300], ["--model", model, "--max-tokens", str(max_tokens)])
    print_memory(peaks)
    write_json(json_file, "docspec.bench.memory/1", model, [asdict(peak) for peak in peaks])
    return 0


def corrections(
    inputs: Inputs,
    model: Model = "auto",
    device: Device = "auto",
    rate: Annotated[float, typer.Option(min=0, max=1, help="Share of characters changed.")] = 0.1,
    tau: Annotated[float, typer.Option(min=0, max=1, help="Relaxed acceptance.")] = 0.75,
    json_file: JsonFile = None,
) -> int:
    """Whether the model corrects a wrong draft or echoes it: the truth with changed characters as draft."""
    from docspec.bench.corrections import measure
    from docspec.cli.bench_tables import print_corrections

    pages = list(measure(sources_of(inputs), ParseOptions(model=model, device=device), rate, tau))
    print_corrections(pages)
    write_json(json_file, "docspec.bench.corrections/1", model, [asdict(page) for page in pages])
    return 0


def reader(
    model: Annotated[
        str, typer.Option(metavar="DIR", help="A reader's checkpoint; auto: the bundled one.")
    ] = "auto",
    crops: Annotated[int, typer.Option(min=0, help="Crops of each number of lines.")] = 24,
    pages: Annotated[int, typer.Option(min=0, help="Pages of each kind.")] = 3,
    seed: Annotated[int, typer.Option(help="Of the held-out text.")] = 90_000_000,
    json_file: JsonFile = None,
) -> int:
    """How well a bundled-reader checkpoint reads generated crops and pages of held-out text."""
    from docspec.cli.bench_tables import print_reader
    from docspec.reader.evaluate import run
    from docspec.targets.registry import locate

    report = run(locate(model, offline=True), crops_per_bucket=crops, pages_per_kind=pages, seed=seed)
    print_reader(report)
    write_json(json_file, "docspec.bench.reader/1", model, [asdict(bucket) for bucket in report.buckets])
    return 0
