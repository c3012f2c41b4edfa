"""The order of reading of scanned forms that people told: ROOR (Zhang et al., *Modeling Layout Reading Order as
Ordering Relations for Visually-rich Document Understanding*, EMNLP 2024).

Its JSONs (github.com/chongzhangFDU/ROOR-Datasets, ``data/jsons``) have segments, labels and values alike, which are
given as boxes with their words. A link says that one segment is read right after another; a form has several texts, so
that links tell of some pairs alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.reading_order.score import PlaceScore
from docspec.core import BBox, Category
from docspec.core.geometry import in_rows
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.order import in_order


def measured(path: Path) -> tuple[PlaceScore, PlaceScore]:
    """How docspec orders the segments of a form, and how whoever reads row by row does."""
    told = json.loads(path.read_text("utf-8"))
    boxes = {segment["id"]: _box(segment) for segment in told["document"]}
    names = {id(box): name for name, box in boxes.items()}
    ours = [names[id(box)] for box in in_order(list(boxes.values()), given=False)]
    rows = [names[id(box)] for row in in_rows(boxes.values(), lambda box: box.bbox) for box in row]
    links = [tuple(link) for link in told["ro_linkings"]]
    return _score(ours, links), _score(rows, links)


def _box(segment: dict[str, Any]) -> LayoutBox:
    words = [(BBox(*map(float, word["box"])), str(word["text"])) for word in segment["words"]]
    rows = in_rows(words, lambda word: word[0])
    lines = [TextLine(BBox.union(box for box, _ in row), " ".join(text for _, text in row)) for row in rows]
    if not lines:
        lines = [TextLine(BBox(*map(float, segment["box"])), str(segment["text"]))]
    return LayoutBox.around(lines, Category.TEXT)


def _score(order: Sequence[int], links: Sequence[tuple[int, ...]]) -> PlaceScore:
    place = {name: at for at, name in enumerate(order)}
    after: dict[int, set[int]] = {}
    for one, other in links:
        after.setdefault(one, set()).add(other)
    pairs = [(name, other) for name in place for other in _reached(name, after) if other != name]
    return PlaceScore.of(*([place[a] < place[b] for a, b in told] for told in (links, pairs)))


def _reached(name: int, after: dict[int, set[int]]) -> set[int]:
    found, new = set[int](), {name}
    while new:
        new = {other for one in new for other in after.get(one, ())} - found
        found |= new
    return found
