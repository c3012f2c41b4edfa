"""``docspec bench step`` and ``docspec bench scripted``: what a verification step costs, and what comes of it."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docspec.bench.cli.common import JsonFile, write_json
from docspec.console import exits
from docspec.console.parameters import takes_options
from docspec.core import DocspecError, ParseOptions, UsageError

if TYPE_CHECKING:
    from docspec.bench.scripted import ScriptedPage
    from docspec.targets.adapter import TransformersTarget

SIZES = "qwen3-vl-2b|dots.ocr|..."


@takes_options("device", "dtype", "graphs")
def step(
    *,
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME|DIR", show_default=False, help="A checkpoint; or --random."),
    ] = None,
    random: Annotated[
        str | None,
        typer.Option(metavar=SIZES, show_default=False, help="A published size; a wrong name lists all."),
    ] = None,
    options: ParseOptions,
    prefix: Annotated[int, typer.Option(min=1, help="Verified tokens before each tree.")] = 1024,
    tree: Annotated[
        list[int] | None,
        typer.Option(min=1, show_default=False, help="Tree tokens; repeatable. Default: 1 to 128."),
    ] = None,
    rows: Annotated[
        list[int] | None,
        typer.Option(min=1, show_default=False, help="Rows of a batch; repeatable. Default: 1, 4, 16."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Times that every size is measured.")] = 20,
    explain: Annotated[
        bool, typer.Option("--explain", help="What a step should cost by size and device, on paper; runs nothing.")
    ] = False,
    json_file: JsonFile = None,
) -> int:
    """Milliseconds a verification step over tree sizes and rows, beside the memory-bandwidth floor."""
    if explain:
        from docspec.bench.cli import step_paper

        if model is not None:
            raise UsageError("--explain takes the published sizes: --random NAME, or none for several")
        names = step_paper.SIZES if random is None else (random,)
        found_on_paper = step_paper.explain(names, tree or step_paper.TREES, rows or (1,), prefix)
        write_json(json_file, "docspec.bench.step-paper/1", random or "several", found_on_paper, prefix=prefix)
        return exits.OK
    if (model is None) == (random is None):
        raise UsageError("name one of --model and --random")
    from docspec.bench.bandwidth import measure_bandwidth
    from docspec.bench.cli.step_tables import print_steps
    from docspec.bench.step import ROWS, TREES, Omitted, StepTime, measure
    from docspec.console.terminal import say

    target, name = _target(model, random, options)
    facts = _facts(target, name, random is not None)
    bandwidth = measure_bandwidth(target.kv_spec.device)
    say(f"{facts['device']}: {bandwidth / 1e9:.1f} GB/s (triad)")
    found: list[StepTime | Omitted] = []
    for one in measure(target, bandwidth, prefix, tree or TREES, rows or ROWS, repeats):
        found.append(one)
        if isinstance(one, StepTime):
            say(f"{one.rows} x {one.tree} tokens, {one.mode}: {one.median:.2f} ms")
    report = target.steps.report
    print_steps(found, facts, prefix, bandwidth, report)
    write_json(
        json_file,
        "docspec.bench.step/1",
        name,
        [
            {**asdict(one), **({"of_floor": one.of_floor} if isinstance(one, StepTime) else {})}
            for one in found
        ],
        **facts,
        prefix=prefix,
        bandwidth_bytes_per_second=bandwidth,
        steps=asdict(report),
    )
    return exits.OK


@takes_options("device", "dtype", "graphs", "align", "dpi", max_tree=64, drafter="text-layer")
def scripted(
    *,
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT",
            show_default=False,
            help="Documents with NAME.md or NAME.json beside them (what the target shall write), or folders.",
        ),
    ],
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
    repeats: Annotated[int, typer.Option(min=1, help="Times that every page is read each way.")] = 3,
    json_file: JsonFile = None,
) -> int:
    """Plain against speculative, end to end, at full size without weights: the output follows a transcript."""
    from docspec import offline
    from docspec.bench.cli.step_tables import print_scripted
    from docspec.bench.scripted import LABEL, ScriptedBench, overall
    from docspec.bench.transcripts import TokenizerFile, find_transcripts
    from docspec.console.terminal import quiet_libraries, say, say_error
    from docspec.drafting import make_drafter
    from docspec.targets.registry import BUNDLED

    offline.enforce()
    quiet_libraries(0)
    codec = TokenizerFile(tokenizer or BUNDLED / "tokenizer.json")
    pairs = find_transcripts(inputs)
    target, name = _target(None, random, options, codec.end)
    facts = _facts(target, name, True)
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
            name,
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


def _target(
    model: str | None, random: str | None, options: ParseOptions, vocabulary: int = 0
) -> tuple[TransformersTarget, str]:
    from docspec.targets.registry import load_target, pick_device, pick_dtype

    if random is None:
        loaded = load_target(replace(options, model=model or "auto"))
        return loaded.target, loaded.info.name
    from docspec.targets.random_weights import random_target

    where = pick_device(options.device)
    return random_target(random, where, pick_dtype(options.dtype, where), options.graphs, vocabulary), random


def _facts(target: TransformersTarget, name: str, random: bool) -> dict[str, Any]:
    """What a reader of the figures must know of model and device."""
    import torch

    device = target.kv_spec.device
    return {
        "configuration": name,
        "random_weights": random,
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else str(device),
        "threads": torch.get_num_threads(),
        "dtype": str(target.kv_spec.dtype).removeprefix("torch."),
        "parameters": sum(weight.numel() for weight in target.model.parameters()),
        "decoder_bytes": target.decoder_bytes,
        "kv_bytes_per_token": target.kv_spec.bytes_per_slot(),
    }


def _page_object(page: ScriptedPage) -> dict[str, Any]:
    return {
        **asdict(page),
        "tokens_per_step": page.tokens_per_step,
        "sr_decode": page.sr_decode,
        "sr_e2e": page.sr_e2e,
    }
