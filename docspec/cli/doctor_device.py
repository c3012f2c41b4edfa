"""``docspec doctor --device``: examines an accelerator, prints a line per check, and writes a file for a bug report."""

from __future__ import annotations

import os
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from docspec.cli import config as config_file
from docspec.console import exits

if TYPE_CHECKING:
    from docspec.bench.device_checks import CheckResult

_MARKS = {True: ("yes", "green"), None: ("-", "yellow"), False: ("NO", "bold red")}


def examine_and_print(device: str, model: str, report: Path | None, as_json: bool) -> int:
    """Exit code 0 if all checks pass, else 1; ``all`` are all CUDA devices. Raises :class:`docspec.core.DocspecError`
    if there is no such device."""
    from docspec import offline
    from docspec.core.extras import require_local

    require_local("docspec doctor --device")
    from docspec.bench.device import SECONDS, examine_device
    from docspec.console.terminal import document_stream, quiet_libraries
    from docspec.core.safe_text import dump_json
    from docspec.reporting.writer import StreamSink
    from docspec.targets.devices import devices_of
    from docspec.versions import machine, versions

    offline.enforce()
    quiet_libraries(0)
    chosen = config_file.resolve_model(model, os.environ, config_file.load(None).get("model"))
    lines = []
    with document_stream() as stdout:
        names = devices_of("all") if device == "all" else (device,)
        for line in chain.from_iterable(examine_device(name, chosen, SECONDS / len(names)) for name in names):
            lines.append(line)
            if not as_json:
                _print(line)
        fine = all(line.ok is not False for line in lines)
        facts = {
            "schema": "docspec.doctor.device/1",
            "versions": versions(),
            "machine": machine(),
            "device": device,
            "model": chosen,
            "fine": fine,
            "lines": [asdict(line) for line in lines],
        }
        text = dump_json(facts, indent=2) + "\n"
        if as_json:
            StreamSink(stdout).write(text)
    if report is not None:
        from docspec.reporting.writer import write_whole

        write_whole(report, text)
    if not as_json:
        _conclude(fine, report)
    return exits.OK if fine else exits.FATAL


def _print(line: CheckResult) -> None:
    from rich.table import Table
    from rich.text import Text

    from docspec.console.terminal import CleanConsole
    from docspec.core.safe_text import one_line

    console = CleanConsole()
    mark, style = _MARKS[line.ok]
    detail = Text(one_line(line.detail))
    if line.remedy:
        detail.append(f"\nto do: {one_line(line.remedy)}", style="cyan")
    row = Table.grid(padding=(0, 2))
    row.add_column(width=3)
    row.add_column(style="bold", width=38)
    row.add_column(overflow="fold")
    row.add_row(Text(mark, style=style), one_line(line.name), detail)
    console.print(row)


def _conclude(fine: bool, report: Path | None) -> None:
    from rich.text import Text

    from docspec.console.terminal import CleanConsole

    verdict = "docspec reads right here." if fine else "Something is wrong here; see NO above."
    where = f" The figures are in {report}." if report else " --report FILE.json keeps the figures."
    CleanConsole().print(Text(f"\n{verdict}{where}", style="green" if fine else "red"))
