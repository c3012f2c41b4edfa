"""The table of ``docspec bench step`` on standard output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

from docspec.bench.cli.tables import console
from docspec.bench.step import Omitted, StepTime

if TYPE_CHECKING:
    from docspec.targets.stepping.step import StepReport


def print_steps(
    found: Sequence[StepTime | Omitted], facts: Mapping[str, Any], prefix: int, bandwidth: float, report: StepReport
) -> None:
    """One row a size: the floor, then each way of running it with its spread."""
    modes = list(dict.fromkeys(one.mode for one in found if isinstance(one, StepTime)))
    table = step_table(
        f"Milliseconds a verification step behind {prefix} tokens: {model_line(facts)}",
        f"median (10th to 90th percentile); floor: {facts['decoder_bytes'] / 1e9:.2f} GB of weights and the keys and "
        f"values once at {bandwidth / 1e9:.0f} GB/s, measured; {steps_line(report)}",
        ["rows", "tree", "floor", *(cell for mode in modes for cell in (mode, "of floor"))],
    )
    sizes: dict[tuple[int, int], list[StepTime | Omitted]] = {}
    for one in found:
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


def step_table(title: str, caption: str, right: Sequence[str], left: Sequence[str] = ()) -> Table:
    table = Table(title=title, caption=caption, box=box.SIMPLE, padding=(0, 1, 0, 0))
    for name in left:
        table.add_column(name, overflow="ellipsis", no_wrap=True, max_width=16)
    for name in right:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def model_line(facts: Mapping[str, Any]) -> str:
    weights = ", RANDOM WEIGHTS" if facts["random_weights"] else ""
    return f"{facts['configuration']}{weights}, {facts['dtype']}, {facts['device']}"


def steps_line(report: StepReport) -> str:
    captured = f", {report.captured} shapes captured in {report.warmup_seconds:.1f} s" if report.captured else ""
    return f"steps: {report.mode} ({report.reason}){captured}"
