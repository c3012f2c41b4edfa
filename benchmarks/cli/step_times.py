"""What a verification step costs: options, table and file of ``python -m benchmarks step``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmarks.cli.common import narrow_table
from docspec.bench.cli.common import console, repeatable, write_json
from docspec.console import exits

if TYPE_CHECKING:
    from docspec.bench.step import Omitted, StepTime
    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.stepping.step import StepReport

Prefix = Annotated[int, typer.Option(min=1, help="Verified tokens before each tree.")]
TreeSizes = Annotated[list[int] | None, repeatable("N", "Tree tokens; default: 1 to 128.", least=1)]
Rows = Annotated[list[int] | None, repeatable("N", "Rows of a batch; default: 1, 4, 16.", least=1)]


def measure_steps(
    target: TransformersTarget,
    name: str,
    prefix: int,
    trees: list[int] | None,
    rows: list[int] | None,
    repeats: int,
    json_file: Path | None,
    random: bool = False,
) -> int:
    """Measures, prints and writes steps of ``target``; ``random``: it has random weights. Returns the exit code."""
    from docspec.bench.step import ROWS, TREES, StepTime, measure, measure_bandwidth
    from docspec.console.terminal import say

    facts = facts_of(target, name, random)
    bandwidth = measure_bandwidth(target.kv_spec.device)
    say(f"{facts['device']}: {bandwidth / 1e9:.1f} GB/s (triad)")
    times: list[StepTime | Omitted] = []
    for one in measure(target, bandwidth, prefix, trees or TREES, rows or ROWS, repeats):
        times.append(one)
        if isinstance(one, StepTime):
            say(f"{one.rows} x {one.tree} tokens, {one.mode}: {one.median:.2f} ms")
    report = target.steps.report
    print_steps(times, facts, prefix, bandwidth, report)
    write_json(
        json_file,
        "docspec.bench.step/1",
        name,
        [{**asdict(one), **({"of_floor": one.of_floor} if isinstance(one, StepTime) else {})} for one in times],
        **facts,
        prefix=prefix,
        bandwidth_bytes_per_second=bandwidth,
        steps=asdict(report),
    )
    return exits.OK


def facts_of(target: TransformersTarget, name: str, random: bool) -> dict[str, Any]:
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


def print_steps(
    steps: Sequence[StepTime | Omitted], facts: Mapping[str, Any], prefix: int, bandwidth: float, report: StepReport
) -> None:
    """One row a size: the floor, then each way of running it with its spread."""
    from docspec.bench.step import Omitted, StepTime

    modes = list(dict.fromkeys(one.mode for one in steps if isinstance(one, StepTime)))
    table = narrow_table(
        f"Milliseconds a verification step behind {prefix} tokens: {model_line(facts)}",
        [],
        ["rows", "tree", "floor", *(cell for mode in modes for cell in (mode, "of floor"))],
        f"median (10th to 90th percentile); floor: {facts['decoder_bytes'] / 1e9:.2f} GB of weights and the keys and "
        f"values once at {bandwidth / 1e9:.0f} GB/s, measured; {steps_line(report)}",
    )
    sizes: dict[tuple[int, int], list[StepTime | Omitted]] = {}
    for one in steps:
        sizes.setdefault((one.rows, one.tree), []).append(one)
    last = None
    for (rows, tree), ways in sizes.items():
        if last not in (None, rows):
            table.add_section()
        last = rows
        times = {one.mode: one for one in ways if isinstance(one, StepTime)}
        if not times:
            omitted = next(one for one in ways if isinstance(one, Omitted))
            table.add_row(str(rows), str(tree), "", omitted.why)
            continue
        cells: list[str] = []
        for mode in modes:
            one_time = times.get(mode)
            if one_time is None:
                cells += ["", ""]
            else:
                spread = f"{one_time.median:.2f} ({one_time.low:.2f}-{one_time.high:.2f})"
                cells += [spread, f"{one_time.of_floor:.1f}x"]
        table.add_row(str(rows), str(tree), f"{next(iter(times.values())).floor:.2f}", *cells)
    console().print(table)


def model_line(facts: Mapping[str, Any]) -> str:
    """The measured model in a few words, for the head of a table."""
    weights = ", RANDOM WEIGHTS" if facts["random_weights"] else ""
    return f"{facts['configuration']}{weights}, {facts['dtype']}, {facts['device']}"


def steps_line(report: StepReport) -> str:
    """How the measured steps are run, and what their capture took."""
    captured = f", {report.captured} shapes captured in {report.warmup_seconds:.1f} s" if report.captured else ""
    return f"steps: {report.mode} ({report.reason}){captured}"
