"""Does memory grow with the number of pages? The same command on a short and a long document, peaks compared.

Each run is a process of its own with its children, looked at many times a second; what they have together counts.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from docspec.core import UsageError

TICK = 0.02
"""Seconds between two looks."""


@dataclass(frozen=True, slots=True)
class Peak:
    """Peak resident memory of one run, its children's included, in MiB, and its wall time in seconds."""

    pages: int
    mib: float
    seconds: float


def measure(pages: Sequence[int], arguments: Sequence[str]) -> list[Peak]:
    """Parses generated PDFs of ``pages`` pages with ``docspec parse`` and ``arguments``; raises if a run fails."""
    with tempfile.TemporaryDirectory() as folder:
        return [_run(write_pdf(Path(folder) / f"{count}.pdf", count), count, arguments) for count in pages]


def write_pdf(path: Path, pages: int) -> Path:
    """A PDF whose pages all differ in text and carry a picture of their own."""
    import pymupdf

    with pymupdf.open() as document:
        for number in range(1, pages + 1):
            page = document.new_page(width=253.44, height=345.6)
            page.insert_text((24, 36), f"Page {number}", fontsize=14)
            for line in range(14):
                page.insert_text(
                    (24, 70 + 11.5 * line), f"Line {line} of page {number}: {number * line} items.", fontsize=9
                )
            pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 200, 100), False)
            pixels.set_rect(pixels.irect, (number % 256, (7 * number) % 256, 128))
            page.insert_image(pymupdf.Rect(24, 250, 224, 330), pixmap=pixels)
        document.save(path)
    return path


def _run(path: Path, pages: int, arguments: Sequence[str]) -> Peak:
    if not hasattr(os, "sysconf") or not Path("/proc/self/statm").exists():
        raise UsageError("memory asks the system what processes take, which this one does not tell")
    command = [
        sys.executable,
        "-m",
        "docspec",
        "parse",
        str(path),
        "-q",
        "-o",
        str(path.with_suffix(".md")),
        *arguments,
    ]
    start = time.perf_counter()
    process = subprocess.Popen(command)
    most, page = 0, os.sysconf("SC_PAGE_SIZE")
    while process.poll() is None:
        most = max(most, sum(map(_resident, _family(process.pid))))
        time.sleep(TICK)
    if process.returncode != 0:
        raise RuntimeError(f"parsing {pages} pages ended with exit code {process.returncode}")
    return Peak(pages, most * page / 2**20, time.perf_counter() - start)


def _family(pid: int) -> list[int]:
    """The process and its children, by whichever of its threads they were started."""
    found = [pid]
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text(encoding="ascii").split())
    return found


def _resident(pid: int) -> int:
    """Memory pages; 0 for a process that has ended."""
    with contextlib.suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return 0
