"""Folders of born-digital pages and the first page of a cold start, beside pymupdf4llm with the same layout model.

Each contestant is a process of its own, started anew for every run, interpreter and imports included; they take turns,
so that what else the machine does meets all of them. Processor time is that of a process and of all its children.
"""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import docspec
from docspec.core import DocspecError, UsageError

_OTHER = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

def read(path, folder, settings):
    import pymupdf4llm
    (Path(folder) / (Path(path).stem + ".md")).write_text(pymupdf4llm.to_markdown(path, **settings), encoding="utf-8")

if __name__ == "__main__":
    folder, processes, settings, *paths = sys.argv[1:]
    settings = eval(settings)
    if processes == "1":
        for path in paths:
            read(path, folder, settings)
    else:
        with ProcessPoolExecutor(int(processes), get_context("spawn")) as pool:
            list(pool.map(read, paths, [folder] * len(paths), [settings] * len(paths)))
"""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A program that turns files into Markdown; ``command`` gives its command line for an output folder."""

    name: str
    task: str
    command: Callable[[Path], Sequence[str]]


@dataclass(slots=True)
class ContestantTiming:
    """What each run of a contestant took, in seconds on the clock and of all processors together."""

    name: str
    task: str
    wall: list[float]
    processor: list[float]

    @property
    def median(self) -> float:
        """Of the seconds on the clock."""
        return median(self.wall)


def contestants(paths: Sequence[Path], processes: int, script: Path) -> Iterator[Contestant]:
    """docspec's bare command, and ``pymupdf4llm.to_markdown`` as it is called without arguments and without recognition
    (``use_ocr=False``), in one process and in ``processes``; for all files, and for the first page of the first one.

    ``script`` is where pymupdf4llm's program is written. Raises :class:`docspec.core.UsageError` where it is missing.
    """
    if find_spec("pymupdf4llm") is None:
        raise UsageError("pymupdf4llm is not installed, there is nothing to compare with: pip install pymupdf4llm")
    script.write_text(_OTHER, encoding="utf-8")

    def own(files: Sequence[Path], *more: str) -> Callable[[Path], Sequence[str]]:
        words = [sys.executable, "-m", "docspec", "parse", *map(str, files), "--manifest", "none", "-q", *more]
        return lambda folder: [*words, "-o", f"{folder}/"]

    def other(files: Sequence[Path], count: int, **settings: object) -> Callable[[Path], Sequence[str]]:
        return lambda folder: [
            sys.executable, str(script), str(folder), str(count), repr(settings), *map(str, files)
        ]  # fmt: skip

    every = f"{len(paths)} files"
    yield Contestant("docspec", every, own(paths))
    yield Contestant("pymupdf4llm", every, other(paths, 1))
    yield Contestant("pymupdf4llm, no OCR", every, other(paths, 1, use_ocr=False))
    if processes > 1:
        yield Contestant(f"pymupdf4llm, {processes} processes", every, other(paths, processes))
        yield Contestant(f"pymupdf4llm, no OCR, {processes} processes", every, other(paths, processes, use_ocr=False))
    first = "first page, cold"
    yield Contestant("docspec", first, own(paths[:1], "--pages", "1"))
    yield Contestant("pymupdf4llm", first, other(paths[:1], 1, pages=[0]))


def compare(paths: Sequence[Path], repeats: int = 3, processes: int = 1) -> list[ContestantTiming]:
    """Each contestant ``repeats`` times, taking turns. Raises :class:`docspec.core.DocspecError` where one of them
    fails or writes nothing."""
    compileall.compile_dir(Path(docspec.__file__).parent, quiet=2)  # as every installed package is
    with tempfile.TemporaryDirectory(prefix="docspec-bench-") as place:
        racing = list(contestants(paths, processes, Path(place) / "other.py"))
        timings = [ContestantTiming(one.name, one.task, [], []) for one in racing]
        for turn in range(repeats):
            for number, one in enumerate(racing):
                folder = Path(place) / f"{turn}-{number}"
                folder.mkdir()
                wall, processor = _timed(one, folder)
                timings[number].wall.append(wall)
                timings[number].processor.append(processor)
    return timings


def _timed(one: Contestant, folder: Path) -> tuple[float, float]:
    """Seconds of one run, on the clock and of processors."""
    before = os.times()
    began = time.perf_counter()
    done = subprocess.run(one.command(folder), capture_output=True, text=True, check=False)
    wall = time.perf_counter() - began
    after = os.times()
    if done.returncode != 0 or not any(folder.rglob("*.md")):
        raise DocspecError(f"{one.name} failed ({done.returncode}): {done.stderr.strip()[-400:]}")
    return wall, after.children_user + after.children_system - before.children_user - before.children_system
