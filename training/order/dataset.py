"""Boxes of made pages with their place in the order of reading: ``python -m training.order.dataset FOLDER...`` reads
the PDFs of folders (``python -m training.structure.pages FOLDER --flows``) once.

Boxes are those that docspec has of a page when it puts them into order, with what is drawn there; a box has the place
of what most of its characters are. Running heads come first, feet last. Where a box holds texts that are not next to
each other, nothing is learned of it.
"""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from docspec.core import BBox
from docspec.drafting import text_layer
from docspec.drafting.frames import NONE, Bounds
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine
from training.structure.drafted import Told, drafted

UNKNOWN, HEAD, FOOT = -2.0, -1.0, 1e6
"""The places of a box of which nothing is known, of running heads, and of feet."""


@dataclass(frozen=True)
class Example:
    """Boxes as docspec put them into order, the texts of the page, what is drawn, and the place of each box."""

    boxes: tuple[LayoutBox, ...]
    texts: dict[BBox, str]
    bounds: Bounds
    places: NDArray[np.float32]


def examples(folder: Path) -> Iterator[Example]:
    """Those of all PDFs of ``folder``."""
    for path in sorted(folder.glob("*.pdf")):
        yield from kept(path)


def kept(path: Path) -> list[Example]:
    """The boxes of a PDF, from the file beside it or read now."""
    cache = path.with_suffix(".order")
    if not cache.exists():
        cache.write_bytes(pickle.dumps(list(_made(path))))
    return pickle.loads(cache.read_bytes())  # type: ignore[no-any-return]


def _made(path: Path) -> Iterator[Example]:
    seen: list[tuple[Sequence[LayoutBox], Sequence[TextLine], Bounds]] = []
    usual = text_layer.in_order

    def watched(boxes: Sequence[LayoutBox], lines: Sequence[TextLine], bounds: Bounds = NONE) -> list[LayoutBox]:
        seen.append((boxes, lines, bounds))
        return usual(boxes, lines, bounds)

    vars(text_layer)["in_order"] = watched
    try:
        for told in drafted(path):
            for boxes, lines, bounds in seen:
                places = _places(boxes, told)
                if (places != UNKNOWN).sum() > 1:
                    texts = {line.bbox: line.text for line in lines}
                    yield Example(tuple(boxes), texts, Bounds(list(bounds.frames), list(bounds.rules)), places)
            seen.clear()
    finally:
        vars(text_layer)["in_order"] = usual


def _places(boxes: Sequence[LayoutBox], told: Told) -> NDArray[np.float32]:
    middles = np.array([((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for _, _, box in told.signs]).reshape(-1, 2)
    entries = [told.entries.get(sign[0], {}) for sign in told.signs]
    body = [y for (_, y), entry in zip(middles, entries, strict=True) if entry.get("kind") != "furniture"]
    middle_of_text = float(np.median(body)) if body else 0.0
    result = np.full(len(boxes), UNKNOWN, np.float32)
    for at, box in enumerate(boxes):
        inside = np.zeros(len(middles), bool)
        for member in box.members or (box.bbox,):
            x, y = middles.T
            inside |= (member.x0 <= x) & (x <= member.x1) & (member.y0 <= y) & (y <= member.y1)
        counts: Counter[float] = Counter()
        for number in np.nonzero(inside)[0].tolist():
            entry = entries[number]
            if not entry:
                continue
            if entry["kind"] == "cell":
                counts[told.tables[entry["table"]]["order"]] += 1
            elif entry["kind"] == "furniture":
                counts[HEAD if middles[number, 1] < middle_of_text else FOOT] += 1
            else:
                counts[entry["order"]] += 1
        if counts:
            own = sorted(counts)
            whole = sum(counts.values())
            middle = next(one for one in own if sum(counts[other] for other in own if other <= one) >= whole / 2)
            near = sum(count for place, count in counts.items() if abs(place - middle) <= 6)
            result[at] = middle if near > 0.9 * whole else UNKNOWN
    return result


if __name__ == "__main__":
    from training.order.dataset import kept as reader  # so that what it writes has the module's name

    for folder in map(Path, sys.argv[1:]):
        with get_context("spawn").Pool(2) as pool:
            print(folder, sum(map(len, pool.imap_unordered(reader, sorted(folder.glob("*.pdf"))))), flush=True)
