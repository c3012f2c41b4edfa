"""``docspec bench cost``: a report's seconds a page, multiplied out to a corpus. An estimate, no measurement.

Devices verify while processes beside them draw and draft, so the slower of the two sets the pace. Nothing is added for
opening, writing, networks, and devices that wait for each other.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from docspec.bench.cli.common import JsonFile, console, repeatable, table, write_json
from docspec.core import InputError


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """Seconds a page of a run over so many ``pages``, and what it ran on. ``simulated``: by random weights."""

    pages: int
    verify: float
    prepare: float
    target: str
    simulated: bool


@dataclass(frozen=True, slots=True)
class CorpusCost:
    """The cost of a corpus on ``devices``: hours of devices and of drafting processes, days in all, and how many
    ``processes`` keep drafting from being the limit."""

    devices: int
    device_hours: float
    process_hours: float
    days: float
    processes: int

    def days_with(self, processes: int) -> float:
        """Days that it takes with so many drafting processes."""
        return max(self.days, self.process_hours / processes / 24)


def measured(path: Path) -> MeasuredRun:
    """Reads seconds a page from the report at ``path`` (``docspec parse --report``). Raises :class:`InputError` for
    another file, or a report without pages."""
    try:
        report: Mapping[str, Any] = json.loads(path.read_bytes())
        totals, target = report["totals"], report["target"] or {}
        pages, seconds = int(totals["pages"]), totals["seconds"]
        verify = sum(float(seconds[name]) for name in ("prefill", "stage1", "stage2"))
        prepare = sum(float(seconds[name]) for name in ("render", "draft"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a report of docspec parse --report ({type(error).__name__})") from error
    if pages == 0 or verify <= 0:
        raise InputError(f"{path}: no page was read by a model")
    name = f"{target.get('name')} on {target.get('device')}, {target.get('dtype')}"
    return MeasuredRun(pages, verify / pages, prepare / pages, name, bool(report.get("simulated")))


def estimate(page: MeasuredRun, pages: int, devices: int) -> CorpusCost:
    """The cost of ``pages`` such pages on ``devices`` such devices."""
    hours = pages * page.verify / 3600
    processes = max(1, math.ceil(devices * page.prepare / page.verify))
    return CorpusCost(devices, hours, pages * page.prepare / 3600, hours / devices / 24, processes)


def cost(
    report: Annotated[
        Path, typer.Argument(metavar="REPORT.json", help="Of docspec parse --report.", show_default=False)
    ],
    pages: Annotated[int, typer.Option(min=1, help="Pages of the corpus.")] = 1_000_000,
    devices: Annotated[
        list[int] | None, repeatable("N", "Devices like the report's; default: 8 and 64.", least=1)
    ] = None,
    drafters: Annotated[int, typer.Option(min=1, help="Processes that draw and draft, for each device.")] = 4,
    json_file: JsonFile = None,
) -> int:
    """What a corpus would cost on devices like the one that a report was made on: an estimate, no measurement."""
    page = measured(report)
    costs = [estimate(page, pages, each) for each in devices or (8, 64)]
    made = "simulated, random weights; " if page.simulated else ""
    grid = table(
        f"Estimate for {pages:,} pages ({made}{page.pages} pages of {page.target}: {page.verify:.2f} s verifying, "
        f"{page.prepare:.2f} s drawing and drafting a page)",
        [],
        ["devices", "device hours", "days", "drafters that keep up", f"days with {drafters} a device"],
    )
    for one in costs:
        grid.add_row(
            str(one.devices),
            f"{one.device_hours:,.0f}",
            f"{one.days:,.1f}",
            f"{one.processes:,}",
            f"{one.days_with(drafters * one.devices):,.1f}",
        )
    console().print(grid)
    write_json(json_file, "docspec.bench.cost/1", page.target, [asdict(one) for one in costs])
    return 0
