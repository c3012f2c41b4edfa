"""``docspec bench cost``: a report's seconds a page, multiplied out to a corpus."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from docspec.bench.cli.common import JsonFile, repeatable, write_json
from docspec.bench.cli.tables import console, table


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
    from docspec.bench import cost as costs

    page = costs.measured(report)
    found = [costs.cost(page, pages, each) for each in devices or (8, 64)]
    made = "simulated, random weights; " if page.simulated else ""
    grid = table(
        f"Estimate for {pages:,} pages ({made}{page.pages} pages of {page.target}: {page.verify:.2f} s verifying, "
        f"{page.prepare:.2f} s drawing and drafting a page)",
        [],
        ["devices", "device hours", "days", "drafters that keep up", f"days with {drafters} a device"],
    )
    for one in found:
        grid.add_row(
            str(one.devices),
            f"{one.device_hours:,.0f}",
            f"{one.days:,.1f}",
            f"{one.processes:,}",
            f"{one.days_with(drafters * one.devices):,.1f}",
        )
    console().print(grid)
    write_json(json_file, "docspec.bench.cost/1", page.target, [asdict(one) for one in found])
    return 0
