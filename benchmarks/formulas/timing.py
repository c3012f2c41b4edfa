"""How long the mathematics of a page takes: the processor time of looking for its fonts, and of reading and writing its
formulas. The page's text is read before, as for any page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import pymupdf

from docspec.mathematics.page import PageFormulas

REPEATS = 7
TEXT_FLAGS = (
    pymupdf.TEXT_PRESERVE_WHITESPACE
    | pymupdf.TEXT_PRESERVE_LIGATURES
    | pymupdf.TEXT_ACCURATE_BBOXES
    | pymupdf.TEXT_MEDIABOX_CLIP
    | pymupdf.TEXT_COLLECT_STYLES
)


@dataclass(frozen=True, slots=True)
class TimedPage:
    """Page ``number`` (from 1) of the file ``source``: how many formulas are found, whether any are looked for, and the
    median of the processor time in milliseconds."""

    source: str
    number: int
    formulas: int
    looked_at: bool
    milliseconds: float


def timed(file: Path) -> Iterator[TimedPage]:
    """The pages of ``file``. Raises what ``pymupdf`` does."""
    with pymupdf.open(file) as pdf:
        for page in pdf:
            runs = [_run(page) for _ in range(REPEATS)]
            found, looked_at, _ = runs[0]
            yield TimedPage(file.name, page.number + 1, found, looked_at, 1000 * median(taken for *_, taken in runs))


def _run(page: Any) -> tuple[int, bool, float]:
    """How many formulas are found on ``page``, whether any are looked for, and the seconds that it takes."""
    blocks = page.get_text("rawdict", flags=TEXT_FLAGS)["blocks"]
    formulas = PageFormulas()
    start = process_time()
    looked_at = formulas.are_on(page)
    if looked_at:
        formulas.put_in(page, blocks)
    return len(formulas.found), looked_at, process_time() - start
