"""What is drawn on a page to part its text, for its order of reading: frames and level rules; and whether more than
that is drawn in a supposed picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docspec.core import BBox
from docspec.drafting.layout import SENTENCE
from docspec.drafting.structure.tokens import Floats, PageTokens

SIDE = 3.0
"""Most points between two rules that meet at a corner."""

LEAST, LARGEST = 15.0, 0.7
"""Least points that a frame is wide and high, and the largest share of the page that it takes: a larger one is drawn
around all of the page."""

LONG = 72.0
"""Least points of an upright rule that parts columns."""

MOST = 300
"""Most rules of a direction, and most frames: with more the page is a drawing, or a table."""

SHOWN = 0.05
"""Least share of a picture that images in it take."""

SLOPE = 0.05
"""Points in both directions from which on a drawn line is sloping."""

MARK, MARKS = 20.0, 8
"""Most points of a tick or an arrow, and most sloping or curved lines of all of these in a form."""

THICK, FILLS = 3.0, 3
"""Least points of both sides of a filled area without words that is a bar or a part of a drawing, and least number of
these in a picture."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The ``frames`` of a page, larger ones first, its level ``rules``, and its long upright ones, in points."""

    frames: Sequence[BBox] = ()
    rules: Sequence[BBox] = ()
    uprights: Sequence[BBox] = ()


NONE = Bounds()


def bounds_of(page: PageTokens, drawings: Iterable[Mapping[str, Any]]) -> Bounds:
    """What parts the text of a page with these ``drawings``."""
    level = page.level if len(page.level) <= MOST else ()
    upright = page.upright[page.upright[:, 1] - page.upright[:, 0] >= LONG] if len(page.upright) <= MOST else ()
    return Bounds(
        frames_of(page, drawings),
        [BBox(*map(float, (x0, y, x1, y))) for x0, x1, y in level],
        [BBox(*map(float, (x, y0, x, y1))) for y0, y1, x in upright],
    )


def frames_of(page: PageTokens, drawings: Iterable[Mapping[str, Any]]) -> list[BBox]:
    """The frames of a page with these ``drawings``, larger ones first: rectangles with round corners, filled areas, and
    rules that meet at four corners."""
    frames = {BBox(*map(float, area)) for area in page.fills[:MOST]}
    for drawing in drawings:
        kinds = [item[0] for item in drawing["items"]]
        if "s" in drawing["type"] and len(kinds) >= 4 and set(kinds) == {"l", "c"}:
            frames.add(BBox(*drawing["rect"]))
    frames |= set(_closed(page.level, page.upright))
    most = LARGEST * page.width * page.height
    frames = {one for one in frames if min(one.width, one.height) > LEAST and one.area < most}
    return sorted(frames, key=lambda one: (-one.area, one.y0, one.x0))[:MOST]


def _closed(level: Floats, upright: Floats) -> Iterable[BBox]:
    """The rectangles between neighbouring ``upright`` rules of one height that ``level`` ones close."""
    if not (len(level) and len(upright) > 1 and max(len(level), len(upright)) <= MOST):
        return
    for rule in upright:
        same = upright[(np.abs(upright[:, :2] - rule[:2]) <= SIDE).all(axis=1) & (upright[:, 2] > rule[2] + SIDE)]
        if len(same):
            x0, x1 = float(rule[2]), float(same[:, 2].min())
            if all(_runs(level, x0, x1, float(y)) for y in rule[:2]):
                yield BBox(x0, float(rule[0]), x1, float(rule[1]))


def _runs(level: Floats, x0: float, x1: float, y: float) -> bool:
    across: NDArray[np.bool_] = (np.abs(level[:, 2] - y) <= SIDE) & (level[:, 0] <= x0 + SIDE)
    return bool((across & (level[:, 1] >= x1 - SIDE)).any())


def is_painted(
    box: BBox, lines: Iterable[Sequence[BBox]], drawings: Iterable[Mapping[str, Any]], images: Sequence[BBox]
) -> bool:
    """Whether more is painted in ``box`` (points) than the words of ``lines``, with rules, frames and shades for them:
    an image; and, unless most words are prose that reaches over half of ``box``, sloping or curved lines other than
    ticks, or several areas without words. Forms and invoices have nothing of these, and the layout model, which sees
    mostly where text is, takes some for pictures."""
    shown = sum(common.area for one in images if (common := box.intersection(one)) is not None)
    if shown > SHOWN * box.area:
        return True
    rows = list(lines)
    words = [word for row in rows for word in row]
    prose = [row for row in rows if len(row) >= SENTENCE]
    if sum(map(len, prose)) > len(words) / 2 and BBox.union(row[0] for row in prose).height > box.height / 2:
        return False
    fills = small = 0
    for drawing in drawings:
        area = BBox(*drawing["rect"])
        if not box.has_center_of(area):
            continue
        holds = any(area.has_center_of(word) for word in words)
        curved = not holds and any(item[0] == "c" for item in drawing["items"])
        if curved or any(map(_slopes, drawing["items"])):
            small += len(drawing["items"])
            if small > MARKS or max(area.width, area.height) > MARK:
                return True
        shade = min(drawing.get("fill") or [1.0])
        fills += not holds and shade < 1 and min(area.width, area.height) > THICK
    return fills >= FILLS


def _slopes(item: Sequence[Any]) -> bool:
    """Whether an ``item`` of a drawing is a line that is neither level nor upright."""
    return item[0] == "l" and bool(min(abs(item[1].x - item[2].x), abs(item[1].y - item[2].y)) > SLOPE)
