"""Programs that turn files into Markdown, in turn, so that what else the machine does meets all of them: each a process
of its own, started anew for every run, interpreter and imports included.
"""

from __future__ import annotations

import compileall
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import docspec
from docspec.core import DocspecError


@dataclass(frozen=True, slots=True)
class Contestant:
    """A program that turns files into Markdown; ``command`` gives its command line for an output folder."""

    name: str
    task: str
    command: Callable[[Path], Sequence[str]]


@dataclass(slots=True)
class ContestantTiming:
    """What each run of a contestant took, in seconds on the clock and of all processors together (its own and those of
    its children), and the Markdown that the last run wrote, by file."""

    name: str
    task: str
    wall: list[float]
    processor: list[float]
    written: dict[str, str]

    @property
    def median(self) -> float:
        """Of the seconds on the clock."""
        return median(self.wall)


def race(racing: Sequence[Contestant], repeats: int) -> list[ContestantTiming]:
    """Each of ``racing`` so many times, taking turns. Raises :class:`docspec.core.DocspecError` where one of them fails
    or writes nothing."""
    compileall.compile_dir(Path(docspec.__file__).parent, quiet=2)  # as every installed package is
    timings = [ContestantTiming(one.name, one.task, [], [], {}) for one in racing]
    for _ in range(repeats):
        for one, timing in zip(racing, timings, strict=True):
            with tempfile.TemporaryDirectory(prefix="docspec-bench-") as place:
                wall, processor, timing.written = timed(one, Path(place))
            timing.wall.append(wall)
            timing.processor.append(processor)
    return timings


def timed(one: Contestant, folder: Path) -> tuple[float, float, dict[str, str]]:
    """Seconds of one run, on the clock and of processors, and what it wrote."""
    before = os.times()
    began = time.perf_counter()
    done = subprocess.run(one.command(folder), capture_output=True, text=True, check=False)
    wall = time.perf_counter() - began
    after = os.times()
    written = {str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in folder.rglob("*.md")}
    if done.returncode != 0 or not written:
        raise DocspecError(f"{one.name} failed ({done.returncode}): {done.stderr.strip()[-400:]}")
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, processor, written
