"""The few lines that a run ends with on a terminal: where the time went, how much was accepted, what
failed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from docspec.core import StageStats
from docspec.reporting.timing import Report
from docspec.reporting.totals import NOTABLE, Totals

_NARROW = 56


def summary(report: Report, width: int) -> RenderableType:
    """A table of phases under a line of counts; two columns fewer where ``width`` (terminal cells) is
    small.
    """
    parts: list[RenderableType] = [Text(headline(report.totals, report.count), style="bold")]
    parts += [Text(line, style="yellow") for line in _notable_lines(report.totals)]
    if report.totals.pages:
        parts.append(_table(report.totals, narrow=width < _NARROW))
    if report.totals.compared:
        parts.append(Text(_baseline_line(report.totals)))
    parts += [Text(line) for line in engine_lines(report.engine)]
    if report.target is not None and report.target.get("random"):
        parts.append(Text("simulated: the target has random weights and does not read", style="yellow"))
    return Group(*parts)


def engine_lines(engine: Mapping[str, Any] | None) -> list[str]:
    """The work of each server where servers read: requests, failed attempts, its own count of drafts."""
    lines = []
    for server in () if engine is None else engine["servers"]:
        line = f"{server['url']}: {server['answered']:,} requests answered"
        if server["failed"]:
            line += f", {server['failed']:,} attempts failed"
        if (counted := server["counted"]) is not None:
            line += f"; it counted {counted['accepted']:,} of {counted['drafted']:,} drafted tokens accepted"
        lines.append(f"{line}; given up: {server['lost']}" if server["lost"] else line)
    return lines


def headline(totals: Totals, documents: int) -> str:
    """``12 pages in 3 documents: 9 read, 1 doubtful, 1 blank, 1 failed``."""
    pages = f"{totals.pages:,} page" + ("" if totals.pages == 1 else "s")
    where = f" in {documents:,} documents" if documents > 1 else ""
    counts = [
        (totals.ok - totals.doubtful, "read"),
        (totals.doubtful, "doubtful"),
        (totals.blank, "blank"),
        (totals.failed, "failed"),
    ]
    details = ", ".join(f"{count:,} {word}" for count, word in counts if count)
    return pages + where + (f": {details}" if details else "")


def _notable_lines(totals: Totals) -> list[str]:
    """``2 pages cut at the token budget``, a line for each kind of event that a reader of the output must know."""
    counts = [(totals.events[kind], words) for kind, words in NOTABLE.items()]
    return [f"{count:,} page{'' if count == 1 else 's'} {words}" for count, words in counts if count]


def _table(totals: Totals, narrow: bool) -> Table:
    """Seconds by phase; of decoding only where the model decoded anything."""
    decoded = totals.stage1.steps + totals.stage2.steps > 0
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("phase")
    table.add_column("seconds", justify="right")
    if decoded:
        for name in (() if narrow else ("tokens", "steps")) + ("AAL", "tokens/step"):
            table.add_column(name, justify="right")
    rows: list[tuple[str, float, StageStats | None]] = [
        ("render", totals.timings.render, None),
        ("draft", totals.timings.draft, None),
        ("prefill", totals.timings.prefill, None),
        ("stage 1", totals.timings.stage1, totals.stage1),
        ("stage 2", totals.timings.stage2, totals.stage2),
    ]
    for name, seconds, stats in rows if decoded else rows[:2]:
        if name == "stage 1" and not totals.stage1.rows and not seconds:
            continue
        table.add_row(name, _seconds(seconds), *_stage_cells(stats, narrow))
    table.add_row("total", _seconds(totals.timings.total), style="bold")
    return table


def _stage_cells(stats: StageStats | None, narrow: bool) -> list[str]:
    if stats is None:
        return []
    counts = [] if narrow else [f"{stats.tokens:,}", f"{stats.steps:,}"]
    ratios = [f"{stats.aal:.2f}", f"{stats.tokens_per_step:.2f}"] if stats.steps else ["-", "-"]
    return counts + ratios


def _baseline_line(totals: Totals) -> str:
    decode = f"{totals.sr_decode:.2f}x decoding" if totals.sr_decode is not None else "no decoding to compare"
    whole = f", {totals.sr_e2e:.2f}x end to end" if totals.sr_e2e is not None else ""
    return f"against plain decoding: {decode}{whole}; identical {totals.identical} of {totals.compared}"


def _seconds(value: float) -> str:
    return f"{value:,.2f}" if value < 1000 else f"{value:,.0f}"
