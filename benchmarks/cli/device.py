"""``python -m benchmarks device``: what a GPU shows, measured by one command, and the page that is made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docspec.core import UsageError

device = typer.Typer(no_args_is_help=True, help="docspec on a GPU, measured by one command of eight minutes.")
RESULTS = Path(__file__).parents[1] / "device" / "results"


@device.command()
def prepare(
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="The folder to make.")] = Path(".device"),
    shared: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            show_default=False,
            help="Documents with what a model wrote beside them, and its tokenizer. Default: samples.",
        ),
    ] = None,
    wheels: Annotated[bool, typer.Option(help="Whether to fetch packages for the GPU's machine.")] = True,
) -> int:
    """Make the folder that travels beside the tree to a machine with a GPU and no package index."""
    from benchmarks.device.prepare import prepare as prepared
    from docspec.console.terminal import say

    prepared(out, shared, wheels, say)
    return 0


@device.command("prepare-vllm")
def prepare_vllm(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Where the parts' folders go.")],
    python: Annotated[
        str, typer.Option(metavar="FILE", help="A Python of the machine's version, 3.12.")
    ] = "python3.12",
) -> int:
    """Make a kit of vLLM and docspec for a machine with a GPU and no package index, in parts of 55 MiB."""
    from benchmarks.device.vllm_kit.made import prepare as prepared
    from docspec.console.terminal import say

    prepared(out, python, say)
    return 0


@device.command("vllm")
def vllm(
    model: Annotated[str, typer.Option(metavar="NAME", help="qwen3-vl-2b, dots.ocr or glm-ocr.")] = "dots.ocr",
    data: Annotated[Path, typer.Option(metavar="DIR", help="The folder of `device prepare`.")] = Path(".device"),
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Where results go.")] = Path("out/vllm"),
    python: Annotated[
        str | None, typer.Option(metavar="FILE", show_default=False, help="A Python with vLLM. Default: this one.")
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="N", help="When to end, whatever is left.")] = 560.0,
    tiny: Annotated[bool, typer.Option("--tiny", help="Small models and pages: a rehearsal on a processor.")] = False,
    in_flight: Annotated[
        list[int] | None,
        typer.Option(metavar="N", min=1, show_default=False, help="Requests in flight; may be given again."),
    ] = None,
    dtype: Annotated[
        str, typer.Option(metavar="NAME", show_default=False, help="Default: bfloat16, with --tiny float32.")
    ] = "",
) -> int:
    """Measure vLLM with a scripted model of a published size: plain, docspec's drafts, ngram, the model's own head."""
    import sys

    from benchmarks.device.vllm_run import VllmRun, table
    from docspec.console.terminal import say

    if not (data / "prepared.json").is_file():
        raise UsageError(f"{data}: not a prepared folder; `python -m benchmarks device prepare` makes one")
    run = VllmRun(data, out, model, python or sys.executable, seconds, tiny, tuple(in_flight or ()), dtype)
    print(table(run.run(say)))
    return 0


@device.command()
def run(
    data: Annotated[Path, typer.Option(metavar="DIR", help="The prepared folder.")] = Path(".device"),
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Where results go.")] = Path("out/device"),
    device: Annotated[str, typer.Option(metavar="NAME", help="cuda, cpu, or openreg:0, the simulated one.")] = "cuda",
    seconds: Annotated[float, typer.Option(metavar="N", help="When to end, whatever is left.")] = 440.0,
    only: Annotated[str, typer.Option(metavar="PART,...", show_default=False, help="These parts alone.")] = "",
    tiny: Annotated[bool, typer.Option("--tiny", help="Small models and pages: a test without a GPU.")] = False,
    patience: Annotated[float, typer.Option(metavar="X", help="What the parts' limits are multiplied by.")] = 1.0,
) -> int:
    """Measure, each part in a process with its own limit; every finding is a line of OUT/results.jsonl at once."""
    from benchmarks.device.driver import Driver, RunOptions
    from benchmarks.device.plan import chosen

    if not (data / "prepared.json").is_file():
        raise UsageError(f"{data}: not a prepared folder; `python -m benchmarks device prepare` makes one")
    try:
        stages = chosen(tuple(filter(None, only.split(","))))
    except ValueError as error:
        raise UsageError(f"--only: {error}") from error
    findings = Driver(RunOptions(data, out, device, seconds, tiny, patience), stages).run()
    wrong = findings.of("error") or [part for part in findings.of("part") if part["how"] != "done"]
    return 1 if wrong else 0


@device.command()
def report(
    results: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RESULTS.jsonl", show_default=False, help="Default: those in benchmarks/device/results."
        ),
    ] = None,
    page: Annotated[Path, typer.Option(metavar="FILE.md", help="The page.")] = Path("docs/gpu-measured.md"),
) -> int:
    """Write the page with what the runs found, the latest first."""
    from benchmarks.device.findings import Findings
    from benchmarks.device.report import page_of
    from docspec.console.terminal import say
    from docspec.reporting.writer import write_whole

    try:
        runs = [Findings.read(file) for file in results or sorted(RESULTS.glob("*.jsonl"))]
    except (OSError, ValueError) as error:
        raise UsageError(str(error)) from error
    write_whole(page, page_of(runs))
    say(f"{page}: {len(runs)} runs")
    return 0
