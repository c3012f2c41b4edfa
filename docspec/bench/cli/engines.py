"""``docspec bench engines``: the same crops through docspec's engine and through vLLM, with drafts and without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docspec.bench.cli.common import Inputs, JsonFile, sources_of, write_json
from docspec.bench.cli.tables import console, table
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions, UsageError

if TYPE_CHECKING:
    from docspec.bench.engines.measure import Figure


@takes_options("model", "pages", "dpi", "drafter", words="model", device="cpu", dtype="float32", read="regions")
def engines(
    *,
    inputs: Inputs,
    options: ParseOptions,
    vllm_python: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default=False, help="The Python of an environment that has vLLM."),
    ] = None,
    in_flight: Annotated[
        list[int] | None,
        typer.Option(metavar="N", show_default=False, help="Requests in flight; repeatable. Default: 1, 16 and 64."),
    ] = None,
    way: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", show_default=False, help="What to run; repeatable. Default: all."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Times that all crops go through every engine.")] = 3,
    json_file: JsonFile = None,
) -> int:
    """The crops of pages through several engines: one run, interleaved, medians and spread, tokens compared.

    Drafts are made before; what drafting takes is told apart. float32 on the processor, the engine in one process.
    """
    from docspec import Parser
    from docspec.bench.engines.measure import OWN, SPECULATIVE, measure
    from docspec.bench.engines.tasks import tasks_of
    from docspec.console.terminal import quiet_libraries, say
    from docspec.documents import PageFailure, open_document
    from docspec.drafting import make_drafter
    from docspec.targets.registry import locate

    quiet_libraries(0)
    drafter = make_drafter(options)
    with Parser(options) as parser:
        setup = parser.page_parser.setup
        tasks = []
        for source in sources_of(inputs):
            with open_document(source) as document:
                drawn = parser.page_images(document, options.pages)  # each is closed when the next one is asked for
                tasks += tasks_of(setup, (page for page in drawn if not isinstance(page, PageFailure)), drafter)
        if not tasks:
            raise UsageError("no crop to be read")
        say(f"{len(tasks)} crops")
        figures, version = measure(
            setup,
            tasks,
            vllm_python,
            str(locate(options.model, options.offline)),
            sorted(set(in_flight or (1, 16, 64))),
            repeats,
            way or [*OWN, *(SPECULATIVE if vllm_python is not None else ())],
            say,
        )
    print_engines(figures, len(tasks), version)
    rows = [asdict(figure) for figure in figures]
    write_json(json_file, "docspec.bench.engines/1", options.model, rows, vllm=version, crops=len(tasks))
    return 0


def print_engines(figures: Sequence[Figure], crops: int, version: str | None) -> None:
    """A row for each number of requests in flight and engine; how much faster than vLLM without drafts."""
    columns = ["at once", "seconds", "p50 ms", "p95 ms", "taken", "faster", "same"]
    grid = table(f"{crops} crops through each engine, float32", ["engine"], columns, dense=True)
    grid.caption = f"vLLM {version}; " if version else ""
    grid.caption += (
        "medians (fastest-slowest); p50, p95: of a crop; taken: tokens accepted a draft; faster: than vLLM without "
        "drafts; same: crops with the tokens of docspec's engine without drafts"
    )
    plain = {figure.in_flight: figure.typical for figure in figures if figure.engine == "vLLM"}
    for figure in figures:
        ordered = sorted(figure.latencies)
        drafts = figure.counts.get("drafts", 0)
        grid.add_row(
            figure.engine,
            str(figure.in_flight),
            f"{figure.typical:.2f} ({min(figure.seconds):.2f}-{max(figure.seconds):.2f})",
            f"{1e3 * ordered[len(ordered) // 2]:.0f}" if ordered else "",
            f"{1e3 * ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]:.0f}" if ordered else "",
            f"{figure.counts.get('accepted_tokens', 0) / drafts:.1f}" if drafts else "",
            f"{plain[figure.in_flight] / figure.typical:.2f}x" if figure.in_flight in plain else "",
            f"{figure.same}",
        )
    console().print(grid)
