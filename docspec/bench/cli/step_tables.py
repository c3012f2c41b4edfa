"""Tables of ``docspec bench step`` and ``docspec bench scripted`` on standard output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

from docspec.bench.cli.tables import console
from docspec.bench.scripted import LABEL, ScriptedPage, ScriptedTiming, overall
from docspec.bench.step import Omitted, StepTime

if TYPE_CHECKING:
    from docspec.targets.stepping.step import StepReport


def print_steps(
    found: Sequence[StepTime | Omitted],
    facts: Mapping[str, Any],
    prefix: int,
    bandwidth: float,
    report: StepReport,
) -> None:
    """One row a size: the floor, then each way of running it with its spread."""
    modes = list(dict.fromkeys(one.mode for one in found if isinstance(one, StepTime)))
    table = _table(
        f"Milliseconds a verification step behind {prefix} tokens: {_model_line(facts)}",
        f"median (10th to 90th percentile); floor: {facts['decoder_bytes'] / 1e9:.2f} GB of weights and the keys and "
        f"values once at {bandwidth / 1e9:.0f} GB/s, measured; {_steps_line(report)}",
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
    _print(table)


def print_scripted(
    pages: Sequence[ScriptedPage], facts: Mapping[str, Any], budget: int, report: StepReport
) -> None:
    """One row a page, then all of them."""
    table = _table(
        f"Plain against speculative, tree budget {budget}: {_model_line(facts)}",
        f"{LABEL}; steps (tokens a step); seconds, medians (extremes); draft is in own; {_steps_line(report)}",
        ["tokens", "steps", "plain s", "own s", "draft", "SR_dec", "SR_e2e"],
        ["page"],
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
    _print(table)


def _table(title: str, caption: str, right: Sequence[str], left: Sequence[str] = ()) -> Table:
    table = Table(title=title, caption=caption, box=box.SIMPLE, padding=(0, 1, 0, 0))
    for name in left:
        table.add_column(name, overflow="ellipsis", no_wrap=True, max_width=16)
    for name in right:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _print(table: Table) -> None:
    console().print(table)


def _seconds(timing: ScriptedTiming) -> str:
    spread = "" if timing.low == timing.high else f" ({timing.low:.2f}-{timing.high:.2f})"
    return f"{timing.total:.2f}{spread}"


def _model_line(facts: Mapping[str, Any]) -> str:
    weights = ", RANDOM WEIGHTS" if facts["random_weights"] else ""
    return f"{facts['configuration']}{weights}, {facts['dtype']}, {facts['device']}"


def _steps_line(report: StepReport) -> str:
    captured = (
        f", {report.captured} shapes captured in {report.warmup_seconds:.1f} s" if report.captured else ""
    )
    return f"steps: {report.mode} ({report.reason}){captured}"
