"""How often docspec joins lines that go on, and parts those that end: ``python -m training.line_ends.measure FOLDERS``.

The folders hold made pages (``python -m training.structure.pages FOLDER --lines``). They are drafted as others are,
with all steps of :mod:`docspec.drafting.assembly`; what a line belongs to is told by its colours.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from docspec.core import BBox, Region
from docspec.drafting import assembly
from docspec.drafting.line_ends import BREAKS, GOES_ON, PARTS, is_open, with_line_ends
from training.line_ends.dataset import meanings_of
from training.structure.drafted import drafted

Places = dict[BBox, tuple[int, bool]]
"""The number of the written region of each line, and whether its lines stay lines."""


def counted(path: Path) -> NDArray[np.int64]:
    """How often lines of a PDF that mean the one (rows) are written as the other (3, 3)."""
    seen: list[Region] = []
    written: Places = {}
    steps = assembly.REGION_STEPS

    def watched(regions: Sequence[Region]) -> list[Region]:
        if len(regions) > len(seen):  # not those of a part of the page
            seen[:] = regions
        return list(regions)

    def kept(regions: Sequence[Region]) -> list[Region]:
        written.update((line.bbox, (at, one.broken)) for at, one in enumerate(regions) for line in one.lines)
        return list(regions)

    table = np.zeros((3, 3), np.int64)
    assembly.REGION_STEPS = (*steps[: steps.index(with_line_ends)], watched, with_line_ends, kept)
    try:
        for told in drafted(path):
            for region in filter(is_open, seen):
                for (a, b), truth in zip(pairwise(region.lines), meanings_of(region, told), strict=True):
                    if truth >= 0 and a.bbox in written and b.bbox in written:
                        (first, broken), (second, _) = written[a.bbox], written[b.bbox]
                        table[truth, PARTS if first != second else BREAKS if broken else GOES_ON] += 1
            seen.clear()
            written.clear()
    finally:
        assembly.REGION_STEPS = steps
    return table


def main() -> None:
    """The command."""
    total = np.zeros((3, 3), np.int64)
    with get_context("spawn").Pool(2) as pool:
        for folder in map(Path, sys.argv[1:]):
            own = sum(pool.imap_unordered(counted, sorted(folder.glob("*.pdf"))), np.zeros((3, 3), np.int64))
            total += own
            _say(folder.name, own)
    _say("all", total)


def _say(name: str, table: NDArray[np.int64]) -> None:
    goes_on, ends = table[GOES_ON], table[BREAKS:]
    print(
        f"{name}: of {goes_on.sum()} that go on {goes_on[BREAKS:].sum()} are parted, "
        f"of {ends.sum()} that end {ends[:, GOES_ON].sum()} are joined",
        flush=True,
    )


if __name__ == "__main__":
    main()
