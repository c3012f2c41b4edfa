"""``docspec bench``: measurements, one command each. Heavy imports happen when a command runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docspec.cli import bench_fidelity, bench_model, bench_quality, bench_step, exits
from docspec.cli.bench_common import PlotFile
from docspec.core import DocspecError, ParseOptions, UsageError
from docspec.core.options import Align, DrafterName

if TYPE_CHECKING:
    from docspec.bench.transcripts import PageReplay

SCHEMA = "docspec.bench.transcripts/1"
POLICIES: tuple[Align, ...] = ("window", "cursor")
LABEL = (
    "replayed transcript: no model runs; steps are those of exact acceptance, ms the host's CPU time a step"
)

bench = typer.Typer(
    name="bench",
    no_args_is_help=True,
    help="Measure what speculation brings.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@bench.callback()
def _bench() -> None:
    """Keeps the commands named, however many there are."""


bench.command()(bench_model.speed)
bench.command()(bench_fidelity.fidelity)
bench.command()(bench_model.memory)
bench.command()(bench_quality.accuracy)
bench.command()(bench_quality.drafts)
bench.command()(bench_model.corrections)
bench.command()(bench_model.reader)
bench.command()(bench_step.step)
bench.command()(bench_step.scripted)


@bench.command()
def transcripts(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT",
            show_default=False,
            help="Documents with NAME.md or NAME.json beside them (what a model wrote for page 1), or folders.",
        ),
    ],
    tokenizer: Annotated[
        Path,
        typer.Option(
            metavar="FILE", show_default=False, help="The model's tokenizer.json, or the same gzipped."
        ),
    ],
    align: Annotated[
        list[str] | None,
        typer.Option(
            metavar="window|cursor", show_default=False, help="Policies to replay; repeatable. Default: both."
        ),
    ] = None,
    budget: Annotated[int, typer.Option(min=1, help="Tree tokens a step, the pending one included.")] = 128,
    drafter: Annotated[DrafterName, typer.Option(help="What drafts the pages.")] = "text-layer",
    drafts: Annotated[
        Path | None,
        typer.Option(metavar="FILE|DIR", show_default=False, help="Drafts for --drafter saved."),
    ] = None,
    dpi: Annotated[float, typer.Option(min=1, help="Pixels per inch that pages are rendered at.")] = 200.0,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", show_default=False, help="Write all figures as JSON."),
    ] = None,
    plot: PlotFile = None,
) -> int:
    """Replay what a model wrote earlier against drafts: tokens per step of each policy, no weights needed.

    Beside each policy stands the copy bound: the best that copying from these drafts could do.
    """
    from docspec import offline
    from docspec.bench.charts import plot_transcripts
    from docspec.bench.plots import check_plot
    from docspec.bench.transcripts import TokenizerFile, find_transcripts, replay_transcript
    from docspec.cli.terminal import quiet_libraries, say_error
    from docspec.drafting import make_drafter

    check_plot(plot)
    offline.enforce()
    quiet_libraries(0)
    aligns = _policies(align or POLICIES)
    codec = TokenizerFile(tokenizer)
    pairs = find_transcripts(inputs)
    if drafter == "saved" and drafts is None:
        raise UsageError("--drafter saved needs the drafts: name a JSON file or a folder with --drafts")
    draws = make_drafter(ParseOptions(drafter=drafter, drafts=drafts, dpi=dpi))
    pages: list[PageReplay] = []
    errors: list[DocspecError] = []
    for pair in pairs:
        try:
            pages.append(replay_transcript(pair, draws, codec, aligns, budget, dpi))
        except DocspecError as error:
            say_error(str(error))
            errors.append(error)
    if pages:
        _print(pages, budget)
        if json_file is not None:
            from docspec.reporting.writer import write_whole

            write_whole(json_file, json.dumps(_as_object(pages, budget, aligns), indent=2) + "\n")
        if plot is not None:
            plot_transcripts(plot, pages, f"replayed, no model runs; drafts: {drafter}; tree budget {budget}")
    return exits.code_of_run(len(pages), 0, errors)


def _policies(names: Sequence[str]) -> list[Align]:
    for name in names:
        if name not in POLICIES:
            raise UsageError(f"--align {name}: unknown; choose {' or '.join(POLICIES)}")
    return [policy for policy in POLICIES if policy in names]


def _print(pages: list[PageReplay], budget: int) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from docspec.bench.transcripts import total

    table = Table(
        title=f"Tokens per step (steps), tree budget {budget}",
        caption=LABEL,
        box=box.SIMPLE,
        padding=(0, 1, 0, 0),
    )
    table.add_column("page", overflow="ellipsis", no_wrap=True, max_width=16)
    table.add_column("tokens", justify="right", no_wrap=True)
    for one in pages[0].replays:
        table.add_column(one.align, justify="right", no_wrap=True)
    table.add_column("copy bound", justify="right", no_wrap=True)
    table.add_column("ms/step", justify="right", no_wrap=True)
    everything = total(pages)
    for page in [*pages, everything]:
        if page is everything:
            table.add_section()
        table.add_row(
            page.name,
            str(page.tokens),
            *(f"{one.tokens_per_step:.2f} ({one.steps})" for one in page.replays),
            f"{page.bound_tokens_per_step:.2f} ({page.bound_steps})",
            " ".join(f"{one.host_milliseconds_per_step:.2f}" for one in page.replays),
            style="bold" if page is everything else None,
        )
    Console(highlight=False, markup=False, emoji=False).print(table)


def _as_object(pages: list[PageReplay], budget: int, aligns: list[Align]) -> dict[str, Any]:
    from docspec.bench.transcripts import total
    from docspec.versions import machine, versions

    return {
        "schema": SCHEMA,
        "what": LABEL,
        "versions": versions(),
        "machine": machine(),
        "budget": budget,
        "align": aligns,
        "pages": [_page_object(page) for page in pages],
        "total": _page_object(total(pages)),
    }


def _page_object(page: PageReplay) -> dict[str, Any]:
    found = asdict(page)
    found["bound_tokens_per_step"] = page.bound_tokens_per_step
    found["replays"] = [
        {
            **asdict(one),
            "tokens_per_step": one.tokens_per_step,
            "host_milliseconds_per_step": one.host_milliseconds_per_step,
            "share_of_bound": page.bound_steps / one.steps,
        }
        for one in page.replays
    ]
    return found
