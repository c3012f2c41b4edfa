"""``docspec doctor``: what is installed, what can be used, and what to do about the rest, as a table or as
JSON.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docspec.cli import config as config_file
from docspec.console import exits

if TYPE_CHECKING:
    from docspec.doctor import Finding

_MARKS = {"ok": ("yes", "green"), "optional": ("no", "yellow"), "broken": ("NO", "bold red")}
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
    ppstructure_engine: Annotated[str, typer.Option(metavar="NAME", help="What runs PP-StructureV3.")] = "onnxruntime",
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
        from docspec.cli.doctor_device import examine_and_print

        return examine_and_print(device, model, report, as_json)
    from docspec import offline
    from docspec.console.terminal import document_stream, quiet_libraries
    from docspec.core.safe_text import dump_json
    from docspec.doctor import able, examine
    from docspec.reporting.writer import StreamSink
    from docspec.versions import machine, versions

    offline.enforce()
    quiet_libraries(0)
    configured = config_file.load(None).get("model")
    chosen = config_file.resolve_model(model, os.environ, configured)
    with document_stream() as stdout:
        findings = examine(chosen, ppstructure_models, ppstructure_engine)
        if as_json:
            facts = {
                "versions": versions(),
                "machine": machine(),
                "model": chosen,
                "able": able(findings),
                "findings": [asdict(finding) for finding in findings],
            }
            text = dump_json(facts, indent=2) + "\n"
        else:
            text = None
        if text is not None:
            StreamSink(stdout).write(text)
    if text is None:
        _print(findings, able(findings))
    return exits.OK if able(findings) else exits.FATAL


def _print(findings: list[Finding], can_read: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    from docspec.console.terminal import CleanConsole
    from docspec.core.safe_text import one_line
    from docspec.versions import versions

    console = CleanConsole()
    facts = versions()
    console.print(f"docspec {facts['docspec']}, Python {facts['python']}\n")
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(style="bold", overflow="fold", max_width=max(console.width // 3, 12))
    table.add_column(overflow="fold")
    area = None
    for finding in findings:
        heading = _TITLES[finding.area] if finding.area != area else ""
        area = finding.area
        mark, style = _MARKS[finding.state]
        detail = Text(one_line(finding.detail))
        if finding.remedy:
            detail.append(f"\nto do: {one_line(finding.remedy)}", style="cyan")
        if heading:
            if table.row_count:
                table.add_row("")
            table.add_row("", Text(heading, style="bold underline"))
        table.add_row(Text(mark, style=style), one_line(finding.name), detail)
    console.print(table)
    verdict = "docspec can read pages here." if can_read else "docspec cannot read pages here; see NO above."
    console.print(Text(f"\n{verdict}", style="green" if can_read else "red"))
