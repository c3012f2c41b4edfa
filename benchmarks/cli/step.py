"""``python -m benchmarks step`` and ``scripted``: what steps take, also at published sizes with random weights, and
their worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmarks.cli.common import Transcripts, narrow_table
from benchmarks.cli.step_times import Prefix, Rows, TreeSizes, facts_of, measure_steps, model_line, steps_line
from docspec.bench.cli.common import JsonFile, Repeats, console, write_json
from docspec.console import exits
from docspec.console.parameters import takes_options
from docspec.core import DocspecError, ParseOptions

if TYPE_CHECKING:
    from benchmarks.scripted import ScriptedPage, ScriptedTiming
    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.stepping.step import StepReport

SIZES = "qwen3-vl-2b|dots.ocr|..."


@takes_options("model", "device", "dtype", "graphs")
def step(
    *,
    random: Annotated[
        str | None,
        typer.Option(
            metavar=SIZES,
            show_default=False,
            help="A published size with random weights in place of --model; a wrong name lists all.",
        ),
    ] = None,
    options: ParseOptions,
    prefix: Prefix = 1024,
    tree: TreeSizes = None,
    rows: Rows = None,
    repeats: Repeats = 20,
    explain: Annotated[
        bool, typer.Option("--explain", help="What a step should cost by size and device, on paper; runs nothing.")
    ] = False,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="On paper before and after keys were split and operations fused, in Markdown."),
    ] = False,
    json_file: JsonFile = None,
) -> int:
    """Milliseconds a verification step of a model over tree sizes and rows, beside the memory-bandwidth floor, or what
    it should cost on paper."""
    if compare:
        from benchmarks.cli import step_paper

        print(
            step_paper.compare(step_paper.COMPARED_SIZES if random is None else (random,), step_paper.COMPARED_PREFIXES)
        )
        return exits.OK
    if explain:
        from benchmarks.cli import step_paper

        names = step_paper.SIZES if random is None else (random,)
        found = step_paper.explain(names, tree or step_paper.TREES, rows or (1,), prefix)
        write_json(json_file, "docspec.bench.step-paper/1", random or "several", found, prefix=prefix)
        return exits.OK
    if random is None:
        from docspec.targets.registry import load_target

        loaded = load_target(options)
        return measure_steps(loaded.target, loaded.info.name, prefix, tree, rows, repeats, json_file)
    target = _random_target(random, options)
    return measure_steps(target, random, prefix, tree, rows, repeats, json_file, random=True)


@takes_options("device", "dtype", "graphs", "align", "dpi", max_tree=64, drafter="text-layer")
def scripted(
    *,
    inputs: Transcripts,
    random: Annotated[str, typer.Option(metavar=SIZES, help="The published size to run.")] = "qwen3-vl-2b",
    tokenizer: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="The model's tokenizer.json, or gzipped. Default: the bundled reader's, of nearly single letters.",
        ),
    ] = None,
    options: ParseOptions,
    repeats: Repeats = 3,
    json_file: JsonFile = None,
) -> int:
    """Plain against speculative, end to end, at full size without weights: the output follows a transcript."""
    from benchmarks.scripted import LABEL, ScriptedBench, overall
    from benchmarks.transcripts import TokenizerFile, find_transcripts
    from docspec import offline
    from docspec.console.terminal import quiet_libraries, say, say_error
    from docspec.drafting import make_drafter
    from docspec.targets.registry import BUNDLED

    offline.enforce()
    quiet_libraries(0)
    codec = TokenizerFile(tokenizer or BUNDLED / "tokenizer.json")
    pairs = find_transcripts(inputs)
    target = _random_target(random, options, codec.end)
    facts = facts_of(target, random, random=True)
    bench = ScriptedBench(target, codec, make_drafter(options), options, repeats)
    pages: list[ScriptedPage] = []
    errors: list[DocspecError] = []
    for pair in pairs:
        try:
            pages.append(bench.read(pair))
            say(f"{pair.name}: {pages[-1].sr_e2e:.2f}x end to end")
        except DocspecError as error:
            say_error(str(error))
            errors.append(error)
    report = target.steps.report
    if pages:
        print_scripted(pages, facts, options.max_tree, report)
        tokens_per_step, sr_decode, sr_e2e = overall(pages)
        write_json(
            json_file,
            "docspec.bench.scripted/1",
            random,
            [_page_object(page) for page in pages],
            what=LABEL,
            **facts,
            tokenizer="bundled" if tokenizer is None else tokenizer.name,
            align=options.align,
            budget=options.max_tree,
            repeats=repeats,
            steps=asdict(report),
            total={"tokens_per_step": tokens_per_step, "sr_decode": sr_decode, "sr_e2e": sr_e2e},
        )
    if not all(page.plain.follows and page.speculative.follows for page in pages):
        say_error("an output differs from its transcript: the run proves nothing")
        return exits.FATAL
    return exits.code_of_run(len(pages), 0, len(errors))


def _random_target(name: str, options: ParseOptions, vocabulary: int = 0) -> TransformersTarget:
    from benchmarks.random_weights import random_target
    from docspec.targets.registry import pick_device, pick_dtype

    where = pick_device(options.device)
    return random_target(name, where, pick_dtype(options.dtype, where), options.graphs, vocabulary)


def _page_object(page: ScriptedPage) -> dict[str, Any]:
    return {**asdict(page), "tokens_per_step": page.tokens_per_step, "sr_decode": page.sr_decode, "sr_e2e": page.sr_e2e}


def print_scripted(pages: Sequence[ScriptedPage], facts: Mapping[str, Any], budget: int, report: StepReport) -> None:
    """One row a page, then all of them."""
    from benchmarks.scripted import LABEL, overall

    table = narrow_table(
        f"Plain against speculative, tree budget {budget}: {model_line(facts)}",
        ["page"],
        ["tokens", "steps", "plain s", "own s", "draft", "SR_dec", "SR_e2e"],
        f"{LABEL}; steps (tokens a step); seconds, medians (extremes); draft is in own; {steps_line(report)}",
    )
    for page in pages:
        table.add_row(
            page.name,
            str(page.tokens),
            f"{page.speculative.forwards} ({page.tokens_per_step:.1f})",
            _seconds(page.plain),
            _seconds(page.speculative),
            f"{page.speculative.draft:.2f}",
            f"{page.sr_decode:.2f}",
            f"{page.sr_e2e:.2f}",
        )
    table.add_section()
    tokens_per_step, sr_decode, sr_e2e = overall(pages)
    table.add_row(
        "total",
        str(sum(page.tokens for page in pages)),
        f"{sum(page.speculative.forwards for page in pages)} ({tokens_per_step:.1f})",
        f"{sum(page.plain.total for page in pages):.2f}",
        f"{sum(page.speculative.total for page in pages):.2f}",
        f"{sum(page.speculative.draft for page in pages):.2f}",
        f"{sr_decode:.2f}",
        f"{sr_e2e:.2f}",
        style="bold",
    )
    console().print(table)


def _seconds(timing: ScriptedTiming) -> str:
    spread = "" if timing.low == timing.high else f" ({timing.low:.2f}-{timing.high:.2f})"
    return f"{timing.total:.2f}{spread}"
