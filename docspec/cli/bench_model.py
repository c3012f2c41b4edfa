"""``docspec bench`` commands that run a model: speed, fidelity, memory."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from docspec.core import ParseOptions, UsageError
from docspec.core.options import DrafterName

Inputs = Annotated[
    list[str], typer.Argument(metavar="INPUT", show_default=False, help="PDF or image files, or folders.")
]
Model = Annotated[
    str, typer.Option(metavar="NAME|DIR", help="Hub name, local folder, or the bundled reader.")
]
Device = Annotated[str, typer.Option(metavar="auto|cpu|cuda[:N]|mps", help="Where the model runs.")]
Dtype = Annotated[Literal["auto", "float32", "bfloat16", "float16"], typer.Option(help="Number format.")]
Pages = Annotated[str | None, typer.Option(metavar="1-3,7", show_default=False, help="Pages of each input.")]
Dpi = Annotated[float, typer.Option(min=1, help="Pixels per inch that PDF pages are rendered at.")]
MaxTokens = Annotated[
    int | None, typer.Option(min=1, show_default=False, help="Most tokens a page may have.")
]
JsonFile = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", show_default=False, help="Write all figures as JSON."),
]


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
) -> int:
    """Plain decoding against every way of speculating: one run, interleaved, medians."""
    from docspec.bench.speed import MODES, PageSpeed, measure
    from docspec.cli.bench_tables import print_speed
    from docspec.cli.terminal import say

    chosen = mode or list(MODES)
    for name in chosen:
        if name not in MODES:
            raise UsageError(f"--mode {name}: unknown; choose among {', '.join(MODES)}")

    def told(page: PageSpeed) -> None:
        ratios = ", ".join(f"{m} {page.sr_e2e(m):.2f}x" for m in chosen if m != "plain")
        say(f"{page.source} page {page.page}: {ratios}")

    options = ParseOptions(
        model=model, device=device, dtype=dtype, pages=pages, dpi=dpi, drafter=drafter, max_tokens=max_tokens
    )
    measured = measure(_sources(inputs), options, chosen, repeats, told)
    if not measured:
        raise UsageError("no page could be measured")
    print_speed(measured)
    _write(json_file, "docspec.bench.speed/1", model, [asdict(page) for page in measured])
    return 0


def fidelity(
    inputs: Inputs,
    model: Model = "auto",
    device: Device = "auto",
    dtype: Dtype = "float32",
    pages: Pages = None,
    dpi: Dpi = 200.0,
    drafter: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", show_default=False, help="Repeatable; default: text-layer."),
    ] = None,
    attention: Annotated[
        list[str] | None, typer.Option(metavar="sdpa|eager", show_default=False, help="Default: both.")
    ] = None,
    drafts: Annotated[Path | None, typer.Option(help="Drafts for --drafter saved.")] = None,
    ppstructure_models: Annotated[Path | None, typer.Option(help="Models for --drafter ppstructure.")] = None,
    max_tokens: MaxTokens = None,
    json_file: JsonFile = None,
) -> int:
    """Compare the tokens of every way of decoding with transformers' own generate; 3 if any page differs."""
    from docspec.bench.fidelity import check_documents
    from docspec.cli.bench_tables import print_fidelity
    from docspec.cli.terminal import say
    from docspec.drafting import build_drafter

    options = ParseOptions(
        model=model,
        device=device,
        dtype=dtype,
        pages=pages,
        dpi=dpi,
        drafts=drafts,
        ppstructure_models=ppstructure_models,
        max_tokens=max_tokens,
    )
    drafters = [build_drafter(replace(options, drafter=name)) for name in drafter or ["text-layer"]]  # type: ignore[arg-type]
    checks = []
    for check in check_documents(_sources(inputs), options, drafters, attention or ["sdpa", "eager"]):
        checks.append(check)
        if not check.identical:
            say(f"differs: {check}")
    if not checks:
        raise UsageError("no page could be checked")
    print_fidelity(checks)
    _write(json_file, "docspec.bench.fidelity/1", model, [asdict(check) for check in checks])
    return 0 if all(check.identical for check in checks) else 3


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
    _write(json_file, "docspec.bench.memory/1", model, [asdict(peak) for peak in peaks])
    return 0


def accuracy(
    inputs: Inputs,
    model: Model = "auto",
    device: Device = "auto",
    dtype: Dtype = "auto",
    dpi: Dpi = 200.0,
    drafter: Annotated[DrafterName, typer.Option(help="What drafts.")] = "auto",
    tau: Annotated[float | None, typer.Option(show_default=False, help="Relaxed acceptance.")] = None,
    json_file: JsonFile = None,
) -> int:
    """Draft and output of page 1 against the true Markdown in NAME.md beside NAME.pdf and NAME-scan.pdf."""
    from docspec.bench.accuracy import measure
    from docspec.cli.bench_tables import print_accuracy

    options = ParseOptions(model=model, device=device, dtype=dtype, dpi=dpi, drafter=drafter, tau=tau)
    pages = list(measure(_sources(inputs), options))
    print_accuracy(pages)
    _write(json_file, "docspec.bench.accuracy/1", model, [asdict(page) for page in pages])
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

    pages = list(measure(_sources(inputs), ParseOptions(model=model, device=device), rate, tau))
    print_corrections(pages)
    _write(json_file, "docspec.bench.corrections/1", model, [asdict(page) for page in pages])
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
    _write(json_file, "docspec.bench.reader/1", model, [asdict(bucket) for bucket in report.buckets])
    return 0


def _sources(inputs: list[str]) -> list[Any]:
    from docspec.documents import expand_inputs

    expansion = expand_inputs(inputs)
    for error in expansion.errors:
        raise error
    expansion.raise_if_nothing()
    return list(expansion.sources)


def _write(path: Path | None, schema: str, model: str, rows: list[dict[str, Any]]) -> None:
    if path is None:
        return
    from docspec.reporting.writer import write_whole
    from docspec.versions import machine, versions

    whole = {"schema": schema, "versions": versions(), "machine": machine(), "model": model, "rows": rows}
    write_whole(path, json.dumps(whole, indent=2) + "\n")
