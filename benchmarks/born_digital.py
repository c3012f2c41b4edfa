"""Folders of born-digital pages and the first page of a cold start, beside pymupdf4llm with the same layout model."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from benchmarks.race import Contestant, ContestantTiming, race
from docspec.core import UsageError

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


def contestants(paths: Sequence[Path], processes: int, script: Path) -> Iterator[Contestant]:
    """docspec's bare command, and ``pymupdf4llm.to_markdown`` as it is called without arguments and without recognition
    (``use_ocr=False``), in one process and in ``processes``; for all files, and for the first page of the first one.

    ``script`` is where pymupdf4llm's program is written. Raises :class:`docspec.core.UsageError` where it is missing.
    """
    if find_spec("pymupdf4llm") is None:
        raise UsageError("pymupdf4llm is not installed, there is nothing to compare with: pip install pymupdf4llm")
    script.write_text(_OTHER, encoding="utf-8")

    def own(files: Sequence[Path], *more: str) -> Callable[[Path], Sequence[str]]:
        words = [sys.executable, "-m", "docspec", "parse", *map(str, files), "--set", "manifest=none", "-q", *more]
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
    """Each contestant ``repeats`` times, taking turns; raises as :func:`benchmarks.race.race` does."""
    with tempfile.TemporaryDirectory(prefix="docspec-bench-") as place:
        return race(list(contestants(paths, processes, Path(place) / "other.py")), repeats)
