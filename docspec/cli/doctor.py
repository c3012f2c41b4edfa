"""``docspec doctor``: what is installed, what can be used, and what to do about the rest, as a table or as JSON; with
``--device`` an accelerator is examined, a line a check, and a file written for a bug report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from docspec import offline
from docspec.cli.config import configured_model
from docspec.console import exits
from docspec.console.terminal import CleanConsole, document_stream, quiet_libraries
from docspec.core.extras import missing, require_local
from docspec.core.safe_text import dump_json, one_line
from docspec.doctor import Finding, able, examine
from docspec.reporting.writer import StreamSink, write_whole
from docspec.versions import machine, versions

_MARKS: dict[str | bool | None, tuple[str, str]] = {
    "ok": ("yes", "green"),
    "optional": ("no", "yellow"),
    "broken": ("NO", "bold red"),
    True: ("yes", "green"),
    None: ("-", "yellow"),
    False: ("NO", "bold red"),
}
"""The mark and its style for a state of a finding, and for the result of a check of a device."""
_TITLES = {
    "package": "Packages",
    "extra": "Extras",
    "device": "Devices",
    "model": "Models",
    "drafter": "Drafters",
    "plug-in": "Plug-ins",
}


def doctor(
    context: typer.Context,
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="The model to ask about. auto: what parse would use.")
    ] = "auto",
    ppstructure_models: Annotated[
        Path | None,
        typer.Option(metavar="DIR", show_default=False, help="Local PP-StructureV3 models, one folder each."),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="cuda[:N]|mps|all",
            show_default=False,
            help="Check this accelerator with the model (at most two minutes) instead.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", show_default=False, help="With --device: figures for a bug report."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Facts as JSON on standard output.")] = False,
) -> int:
    """Say what is installed, which devices, models and drafters are usable, and what to do about the rest.

    Exit code 0 if pages can be read, 1 if something needed is missing. Nothing is downloaded.
    """
    if device is not None:
        require_local("docspec doctor --device")
    offline.enforce()
    quiet_libraries(0)
    chosen = configured_model(model)
    if device is not None:
        return _examine_device(device, chosen, report, as_json)
    with document_stream() as stdout:
        findings = examine(chosen, ppstructure_models)
        if as_json:
            facts = {"model": chosen, "able": able(findings), "findings": [asdict(finding) for finding in findings]}
            StreamSink(stdout).write(_json(facts))
    if not as_json:
        _print_findings(findings, able(findings))
    return exits.OK if able(findings) else exits.FATAL


def _print_findings(findings: Sequence[Finding], can_read: bool) -> None:
    console = CleanConsole()
    facts = versions()
    console.print(f"docspec {facts['docspec']}, Python {facts['python']}\n")
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(style="bold", overflow="fold", max_width=max(console.width // 3, 12))
    table.add_column(overflow="fold")
    area = None
    for finding in findings:
        if finding.area != area:
            area = finding.area
            if table.row_count:
                table.add_row("")
            table.add_row("", Text(_TITLES[area], style="bold underline"))
        _add_row(table, finding.state, finding)
    console.print(table)
    verdict = "docspec can read pages here." if can_read else "docspec cannot read pages here; see NO above."
    if can_read and missing("local"):
        verdict = "docspec can read pages here: words of files, recognised lines, and with servers; no model runs here."
    console.print(Text(f"\n{verdict}", style="green" if can_read else "red"))


def _examine_device(device: str, model: str, report: Path | None, as_json: bool) -> int:
    """Exit code 0 if all checks pass, else 1; ``all`` are all CUDA devices. Raises :class:`docspec.core.DocspecError`
    if there is no such device."""
    from docspec.bench.device import SECONDS, examine_device
    from docspec.opening import devices_of

    lines = []
    with document_stream() as stdout:
        console = CleanConsole()
        names = devices_of("all") if device == "all" else (device,)
        for line in chain.from_iterable(examine_device(name, model, SECONDS / len(names)) for name in names):
            lines.append(line)
            if not as_json:
                row = Table.grid(padding=(0, 2))
                row.add_column(width=3)
                row.add_column(style="bold", width=38)
                row.add_column(overflow="fold")
                _add_row(row, line.ok, line)
                console.print(row)
        fine = all(line.ok is not False for line in lines)
        checked = {"device": device, "model": model, "fine": fine, "lines": [asdict(line) for line in lines]}
        text = _json(checked, schema="docspec.doctor.device/1")
        if as_json:
            StreamSink(stdout).write(text)
    if report is not None:
        write_whole(report, text)
    if not as_json:
        verdict = "docspec reads right here." if fine else "Something is wrong here; see NO above."
        where = f" The figures are in {report}." if report else " --report FILE.json keeps the figures."
        CleanConsole().print(Text(f"\n{verdict}{where}", style="green" if fine else "red"))
    return exits.OK if fine else exits.FATAL


def _add_row(table: Table, state: str | bool | None, result: Any) -> None:
    """Adds the mark of ``state``, and name, detail and remedy of ``result``."""
    mark, style = _MARKS[state]
    detail = Text(one_line(result.detail))
    if result.remedy:
        detail.append(f"\nto do: {one_line(result.remedy)}", style="cyan")
    table.add_row(Text(mark, style=style), one_line(result.name), detail)


def _json(facts: dict[str, Any], **schema: str) -> str:
    return dump_json({**schema, "versions": versions(), "machine": machine(), **facts}, indent=2) + "\n"
