"""``python -m benchmarks proposer``: what proposing for a batch takes of a step inside vLLM."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.cli.common import TokenizerPath, Transcripts
from docspec.bench.cli.common import JsonFile, console, repeatable, table, write_json
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions

if TYPE_CHECKING:
    from benchmarks.proposer import ProposerCost


@takes_options("dpi", drafter="text-layer")
def proposer(
    *,
    inputs: Transcripts,
    tokenizer: TokenizerPath,
    rows: Annotated[list[int] | None, repeatable("N", "Rows of a step; default: 1, 16 and 64.")] = None,
    steps: Annotated[int, typer.Option(min=1, help="Steps that are counted.")] = 200,
    options: ParseOptions,
    json_file: JsonFile = None,
) -> int:
    """Milliseconds that docspec's proposer inside vLLM takes for a row and step; neither vLLM nor a model runs.

    Rows follow what a model wrote earlier (see python -m benchmarks transcripts); each has the drafts of its page.
    """
    from benchmarks.proposer import followed, measure
    from benchmarks.transcripts import TokenizerFile, find_transcripts
    from docspec.console.terminal import quiet_libraries
    from docspec.drafting import make_drafter

    quiet_libraries(0)
    codec = TokenizerFile(tokenizer)
    draws = make_drafter(options)
    pages = [followed(pair, draws, codec, options.dpi) for pair in find_transcripts(inputs)]
    costs = [measure(pages, codec, count, steps) for count in sorted(set(rows or (1, 16, 64)))]
    print_costs(costs, len(pages), steps)
    found = [
        {**asdict(cost), "row_milliseconds": cost.row_milliseconds, "tokens_per_step": cost.tokens_per_step}
        for cost in costs
    ]
    write_json(json_file, "docspec.bench.proposer/1", str(tokenizer.name), found, pages=len(pages), steps=steps)
    return 0


def print_costs(costs: list[ProposerCost], pages: int, steps: int) -> None:
    grid = table(
        f"docspec's proposer over {pages} transcripts, {steps} steps; no model runs",
        ["rows"],
        ["ms a row and step", "mean", "95 of 100", "tokens a step", "proposed", "requests begun"],
        dense=True,
    )
    grid.caption = "processor time that vLLM waits for: median over steps; mean, with what beginning requests takes"
    for cost in costs:
        grid.add_row(
            str(cost.rows),
            f"{cost.row_milliseconds:.3f}",
            f"{1e3 * sum(cost.seconds) / len(cost.seconds) / cost.rows:.3f}",
            f"{cost.slowest_milliseconds:.3f}",
            f"{cost.tokens_per_step:.2f}",
            f"{cost.proposed / (len(cost.seconds) * cost.rows):.1f}",
            str(cost.begun),
        )
    console().print(grid)
