"""``python -m benchmarks transcripts``: what drafts are worth on outputs that a model wrote earlier."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmarks.cli.common import TokenizerPath, Transcripts, narrow_table
from docspec.bench.cli.common import JsonFile, console, repeatable
from docspec.console import exits
from docspec.console.parameters import takes_options
from docspec.core import DocspecError, ParseOptions

if TYPE_CHECKING:
    from benchmarks.transcripts import PageReplay

SCHEMA = "docspec.bench.transcripts/1"
POLICIES = ("window", "cursor")
LABEL = "replayed transcript: no model runs; steps are those of exact acceptance, ms the host's CPU time a step"


@takes_options("drafts", "dpi", "language", "formulas", drafter="text-layer", max_tree=128)
def transcripts(
    *,
    inputs: Transcripts,
    tokenizer: TokenizerPath,
    align: Annotated[
        list[str] | None, repeatable("NAME", "What to replay; default: window and cursor.", "--proposer")
    ] = None,
    without: Annotated[list[str] | None, repeatable("NAME", "Also the cursor without it.")] = None,
    only: Annotated[list[str] | None, repeatable("NAME", "Also this proposer by itself.")] = None,
    chain: Annotated[
        bool, typer.Option("--chain", help="Also each of them with one continuation a step in place of a tree.")
    ] = False,
    other_spelling: Annotated[
        bool, typer.Option("--other-spelling", help="Formulas as a model of another family would spell them.")
    ] = False,
    options: ParseOptions,
    json_file: JsonFile = None,
) -> int:
    """Replay what a model wrote earlier against drafts: tokens per step of each way to propose, no weights needed.

    Beside them stands the copy bound: the best that copying from these drafts could do. With --without and --only a
    second table says what each proposer is worth on all pages.
    """
    from benchmarks.transcripts import TokenizerFile, find_transcripts, replay_transcript, respelt
    from docspec import offline
    from docspec.console.terminal import quiet_libraries, say_error
    from docspec.drafting import make_drafter
    from docspec.proposing.registry import proposer_names

    offline.enforce()
    quiet_libraries(0)
    shown = list(dict.fromkeys(align or POLICIES))
    aligns = [*shown, *(f"cursor-{name}" for name in without or ()), *(only or ())]
    for name in aligns:
        proposer_names(name)
    codec = TokenizerFile(tokenizer)
    pairs = find_transcripts(inputs)
    if other_spelling:
        pairs = [replace(pair, text=respelt(pair.text)) for pair in pairs]
    draws, budget = make_drafter(options), options.max_tree
    pages: list[PageReplay] = []
    errors: list[DocspecError] = []
    for pair in pairs:
        try:
            pages.append(replay_transcript(pair, draws, codec, aligns, budget, options.dpi, chain))
        except DocspecError as error:
            say_error(str(error))
            errors.append(error)
    if pages:
        _print(pages, budget, len(shown))
        if len(pages[0].replays) > len(shown):
            _print_sources(pages, budget)
        if json_file is not None:
            from docspec.reporting.writer import write_whole

            write_whole(json_file, json.dumps(_as_object(pages, budget, aligns), indent=2) + "\n")
    return exits.code_of_run(len(pages), 0, len(errors))


def _print(pages: list[PageReplay], budget: int, shown: int) -> None:
    from benchmarks.transcripts import total

    aligns = [one.align for one in pages[0].replays[:shown]]
    grid = narrow_table(
        f"Tokens per step (steps), tree budget {budget}", ["page"], ["tokens", *aligns, "copy bound", "ms/step"], LABEL
    )
    everything = total(pages)
    for page in [*pages, everything]:
        if page is everything:
            grid.add_section()
        grid.add_row(
            page.name,
            str(page.tokens),
            *(f"{one.tokens_per_step:.2f} ({one.steps})" for one in page.replays[:shown]),
            f"{page.bound_tokens_per_step:.2f} ({page.bound_steps})",
            " ".join(f"{one.host_milliseconds_per_step:.2f}" for one in page.replays[:shown]),
            style="bold" if page is everything else None,
        )
    console().print(grid)


def _print_sources(pages: list[PageReplay], budget: int) -> None:
    """All pages under each policy, against the cursor; the seconds of a source are those under the cursor."""
    from benchmarks.transcripts import total

    replays = total(pages).replays
    full = next((one for one in replays if one.align == "cursor"), replays[0])
    figures = ["tokens/step", "steps", f"against {full.align}", "ms/step", "its own"]
    grid = narrow_table(f"All pages, tree budget {budget}", ["sources"], figures, widest=None)
    for one in replays:
        own = full.source_seconds.get(one.align.removeprefix("cursor-"))
        grid.add_row(
            one.align,
            f"{one.tokens_per_step:.2f}",
            str(one.steps),
            f"{100 * (one.tokens_per_step / full.tokens_per_step - 1):+.1f} %",
            f"{one.host_milliseconds_per_step:.2f}",
            "" if own is None else f"{1e3 * own / full.steps:.3f}",
        )
    console().print(grid)


def _as_object(pages: list[PageReplay], budget: int, aligns: list[str]) -> dict[str, Any]:
    from benchmarks.transcripts import total
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
    values = asdict(page)
    values["bound_tokens_per_step"] = page.bound_tokens_per_step
    values["replays"] = [
        {
            **asdict(one),
            "tokens_per_step": one.tokens_per_step,
            "host_milliseconds_per_step": one.host_milliseconds_per_step,
            "share_of_bound": page.bound_steps / one.steps,
        }
        for one in page.replays
    ]
    return values
