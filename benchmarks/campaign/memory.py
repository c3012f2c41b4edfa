"""``python -m benchmarks.campaign.memory``: resident memory of a run over 500 documents, parent and children together.

Pages are real and small, the model is a tiny one with random weights: its words mean nothing, its memory comes and goes
as any other's. Ends with 1 where more than a tenth is added between the 50th document and the last. A few minutes on
two idle cores.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import psutil
import pymupdf

MANIFEST = "docspec.manifest.jsonl"
MOST = 1.1
AROUND = 10
"""Documents over which memory is averaged: it comes and goes with every page."""


def written(folder: Path, documents: int) -> Path:
    """One page each, of ten sizes in turn, so that early and late ones ask for the same."""
    folder.mkdir()
    for number in range(documents):
        with pymupdf.open() as document:
            page = document.new_page(width=200 + 20 * (number % 10), height=150 + 15 * (number % 10))
            for line in range(6):
                page.insert_text((20, 30 + 16 * line), f"Document {number}, line {line}", fontsize=11)
            document.save(folder / f"{number:05}.pdf")
    return folder


Look = tuple[int, int, int]
"""Documents done, bytes of memory of the run's process, and of all below it."""


def looked(process: psutil.Process, done: int) -> Look:
    """Zero bytes where a process ends meanwhile."""
    try:
        own = process.memory_info().rss
        return done, own, sum(each.memory_info().rss for each in process.children(recursive=True))
    except psutil.Error:
        return done, 0, 0


def measured(command: list[str], manifest: Path) -> list[Look]:
    """Runs ``command`` and looks at it again and again."""
    found = []
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as running:
        process = psutil.Process(running.pid)
        while running.poll() is None:
            done = manifest.read_bytes().count(b'"record": "document"') if manifest.exists() else 0
            found.append(looked(process, done))
            time.sleep(0.2)
    return found


def level(found: list[Look], around: int) -> tuple[float, float]:
    """Medians of the memory, in MiB, when about ``around`` documents were done."""
    near = [(own, below) for done, own, below in found if own and abs(done - around) < AROUND]
    return median(own for own, _ in near) / 2**20, median(below for _, below in near) / 2**20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--early", type=int, default=50)
    parser.add_argument("--drafter", default="auto")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        from training.reader.checkpoint import init

        folder = Path(temporary)
        init(folder / "model", size="tiny", seed=1)
        source, out = written(folder / "in", asked.documents), folder / "out"
        command = [sys.executable, "-m", "docspec", "parse", str(source), "-o", str(out), "-q"]
        command += ["--model", str(folder / "model"), "--max-tokens", "16", "--dpi", "100"]
        command += ["--drafter", asked.drafter]
        found = measured(command, out / MANIFEST)
    end = asked.documents - AROUND  # children end with the last document
    early, late = sum(level(found, asked.early)), sum(level(found, end))
    for done in range(asked.early, asked.documents, max(1, asked.documents // 10)):
        own, below = level(found, done)
        print(f"{done:5} documents: {own:5.0f} MiB, children {below:5.0f}")
    print(f"{late:.0f} MiB after {end} documents, {early:.0f} after {asked.early}: {late / early:.3f}")
    return 0 if late <= MOST * early else 1


if __name__ == "__main__":
    sys.exit(main())
