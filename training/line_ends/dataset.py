"""Ends of lines on made pages with what they mean: ``python -m training.line_ends.dataset FOLDER...`` reads the PDFs of
folders (``python -m training.structure.pages FOLDER --lines``) once.

Regions are those that docspec makes of a page; what a line belongs to is told by its colours. The last sign of a line
and the first of the next one count.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docspec.core import BBox, PrintedLine, Region
from docspec.drafting import assembly
from docspec.drafting.breaks import pitch_of
from docspec.drafting.line_ends import (
    BREAKS,
    GOES_ON,
    PARTS,
    Column,
    Floats,
    column_of,
    features_of,
    is_open,
    with_line_ends,
)
from training.structure.drafted import Told, drafted
from training.structure.pages.colours import Colour

Example = tuple[Floats, NDArray[np.int64]]
"""The features of the ends of a region's lines, and what they mean (-1: nobody knows)."""

Read = tuple[tuple[PrintedLine, ...], Column, list[int]]
"""The lines of a region, its column, and what their ends mean."""

FREE, ROOM, MOST = 3, 1.5, 0.2
"""The feature that tells how much room is left behind the next word, in sizes of type, the usual most room of a line
that goes on, and the largest share of lines with more (before a figure that is not parted from its unit) but one: with
more of them, lines of several widths have become one region."""

LINES_OF_THEIR_OWN = ("address", "code", "entry", "label", "value")
"""Blocks whose lines stay lines."""


def examples(folder: Path) -> Iterator[Example]:
    """Those of all PDFs of ``folder``."""
    for path in sorted(folder.glob("*.pdf")):
        for lines, column, meanings in kept(path):
            features, truth = features_of(lines, column), np.array(meanings)
            wide = features[truth == GOES_ON, FREE] > ROOM
            if wide.sum() <= max(1, MOST * len(wide)):
                yield features, truth


def kept(path: Path) -> list[Read]:
    """The lines of a PDF, from the file beside it or read now."""
    cache = path.with_suffix(".ends")
    if not cache.exists():
        cache.write_bytes(pickle.dumps(list(_made(path))))
    return pickle.loads(cache.read_bytes())  # type: ignore[no-any-return]


def _made(path: Path) -> Iterator[Read]:
    seen: list[Region] = []

    def watched(regions: Sequence[Region]) -> list[Region]:
        if len(regions) > len(seen):  # not those of a part of the page
            seen[:] = regions
        return list(regions)

    steps = assembly.REGION_STEPS
    assembly.REGION_STEPS = (*steps[: steps.index(with_line_ends)], watched)
    try:
        for told in drafted(path):
            yield from _of_page(seen, told)
            seen.clear()
    finally:
        assembly.REGION_STEPS = steps


def _of_page(regions: Sequence[Region], told: Told) -> Iterator[Read]:
    pitch = pitch_of(regions)
    for region in filter(is_open, regions):
        truth = meanings_of(region, told)
        if any(one >= 0 for one in truth):
            yield region.lines, column_of(region, regions, pitch), truth


def meanings_of(region: Region, told: Told) -> list[int]:
    """What the end of each line of a ``region`` but the last one means on the page that is ``told``; -1: unknown."""
    middles = np.array([((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for _, _, box in told.signs]).reshape(-1, 2)
    ends = [_ends_of(line.bbox, middles, [sign[0] for sign in told.signs]) for line in region.lines]
    return [_meaning(told.entries.get(a, {}), told.entries.get(b, {})) for (_, a), (b, _) in pairwise(ends)]


def _ends_of(box: BBox, middles: NDArray[np.float64], colours: Sequence[Colour]) -> tuple[Colour, Colour]:
    """The colours of the first and the last sign in a line's ``box``."""
    x, y = middles.T
    inside = np.nonzero((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1))[0]
    if not len(inside):
        return (-1, -1, -1), (-1, -1, -1)
    return colours[inside[x[inside].argmin()]], colours[inside[x[inside].argmax()]]


def _meaning(above: dict[str, Any], below: dict[str, Any]) -> int:
    kinds = {above.get("kind"), below.get("kind")}
    if None in kinds or kinds & {"cell", "formula", "other"}:
        return -1
    if above["block"] == below["block"]:
        if above["kind"] == "address" and "line" not in above:
            return -1
        return GOES_ON if above.get("line") == below.get("line") and above["kind"] != "code" else BREAKS
    if "pair" in above and above.get("pair") == below.get("pair"):
        return -1  # a label above its value
    return BREAKS if kinds <= set(LINES_OF_THEIR_OWN[2:]) else PARTS


if __name__ == "__main__":
    for folder in map(Path, sys.argv[1:]):
        with get_context("spawn").Pool(2) as pool:
            print(folder, sum(map(len, pool.imap_unordered(kept, sorted(folder.glob("*.pdf"))))), flush=True)
