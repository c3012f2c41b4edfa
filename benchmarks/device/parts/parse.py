"""``docspec parse`` itself over a folder of pages with saved drafts: one page and several in flight."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.device.context import Context, guarded
from benchmarks.device.parts.bundled import pages

KEPT = ("totals", "steps", "wall_seconds", "load_seconds")
"""What a finding keeps of the run's report."""

SIMULATED = "import runpy; from tests.accelerator import openreg; openreg.register(); runpy.run_module('docspec', run_name='__main__')"  # noqa: E501
"""The command where the device is the simulated one, which a process has to register."""


def run(context: Context, _: str) -> None:
    files = pages(context.data)[: 2 if context.tiny else None]
    for in_flight, turns in ((2, 1),) if context.tiny else ((4, 3), (1, 2)):
        if not context.has(10):
            return
        with guarded(context, f"parse {in_flight}"), tempfile.TemporaryDirectory() as folder:
            _parse(context, files, in_flight, turns, Path(folder))


def _parse(context: Context, files: list[Path], in_flight: int, turns: int, folder: Path) -> None:
    """``turns`` copies of each page, in a run of its own."""
    scans, drafts, report = folder / "in", folder / "drafts", folder / "report.json"
    scans.mkdir()
    drafts.mkdir()
    for turn in range(turns):
        for file in files:
            shutil.copy(file, scans / f"{file.stem}-{turn}.png")
            shutil.copy(file.parent / "drafts" / f"{file.stem}.json", drafts / f"{file.stem}-{turn}.json")
    program = ["-c", SIMULATED] if context.device.type == "openreg" else ["-m", "docspec"]
    words = [
        "parse",
        str(scans),
        "-o",
        str(folder / "out"),
        "--model",
        "mini",
        "--words",
        "model",
        "--drafter",
        "saved",
    ]
    words += ["--set", f"drafts={drafts}", "--device", context.device_name, "--pages-in-flight", str(in_flight)]
    words += ["--report", str(report)] + ["--max-tokens", "30"] * context.tiny
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *program, *words], capture_output=True, text=True, timeout=max(5.0, context.left)
    )
    seconds = time.perf_counter() - started
    told = json.loads(report.read_text()) if report.is_file() else {}
    context.emit(
        "parse",
        in_flight=in_flight,
        rc=done.returncode,
        seconds=seconds,
        pages=len(files) * turns,
        said=done.stderr[-700:].replace(str(folder), ""),
        **{name: told[name] for name in KEPT if name in told},
    )
