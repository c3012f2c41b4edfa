"""Words that are struck through: by a line drawn through their middle, or by an annotation.

Rules of tables, bars of fractions, frames and underlines are lines, too. A strike lies within the height of low
letters, and ends where words do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docspec.core import BBox
from docspec.documents.painting import boxes_of, drawings_of

LOWEST, HIGHEST = 0.12, 0.5
"""The middle of a strike over the base line, in sizes of the type."""
THICKEST = 0.2
"""Of a strike, in sizes of the type."""
OVERHANG = 0.6
"""How far a strike may reach beyond its words, in sizes of the type."""
LEAST_COVERED = 0.5
"""Share of a strike's length that letters cover; the rest are spaces."""
MOST_PATHS = 3000
"""Paths of a page that is looked at; more are a drawing or a map."""
THIN = 3.0  # points
SHORTEST = 1.5  # points: an underscore that is drawn as a line
LEVEL = 0.5  # most points between the heights of the ends of a level line

_STRIKEOUT = 11  # PDF_ANNOT_STRIKE_OUT


def strokes_of(page: Any) -> tuple[BBox, ...]:
    """The level lines on a ``pymupdf.Page`` that are thin enough for a strike, and the middles of its annotations that
    strike out."""
    strokes: list[BBox] = []
    thin = [box for kind, box, *_ in boxes_of(page) if kind in ("fill-path", "stroke-path")][: MOST_PATHS + 1]
    if 0 < len(thin) <= MOST_PATHS:
        for path in drawings_of(page):
            wide = float(path.get("width") or 0) / 2 if path["type"] == "s" else 0.0
            level = [(item, box) for item in path["items"] if (box := _level(item, wide)) is not None]
            corners = _corners(path["items"]) if level else set()
            strokes += [box for item, box in level if item[0] != "l" or corners.isdisjoint(_ends(item))]
    for annotation in page.annots(types=(_STRIKEOUT,)) if page.first_annot else ():
        points = annotation.vertices or []
        for at in range(0, len(points) - 3, 4):
            x0, x1 = (side(point[0] for point in points[at : at + 4]) for side in (min, max))
            y0, y1 = (side(point[1] for point in points[at : at + 4]) for side in (min, max))
            middle = y0 + 0.55 * (y1 - y0)
            strokes.append(BBox(x0, middle, x1, middle + 0.5))
    return tuple(strokes)


def mark_struck(blocks: Sequence[dict[str, Any]], strokes: Sequence[BBox]) -> None:
    """Says of the characters of ``blocks``, a page as MuPDF's raw dictionary, that ``strokes`` go through them."""
    for line in (line for block in blocks for line in block.get("lines", ())) if strokes else ():
        struck = _struck(line, strokes)
        for char in (char for span in line["spans"] for char in span["chars"]) if struck else ():
            char["struck"] = id(char) in struck


def _corners(items: Sequence[Any]) -> set[tuple[int, int]]:
    """The ends, in whole points, of the lines of a path that are not level: a level one that begins or ends there is a
    side of a frame."""
    lines = [item for item in items if item[0] == "l" and abs(item[1][1] - item[2][1]) > LEVEL]
    return {end for item in lines for end in _ends(item)}


def _ends(line: Sequence[Any]) -> list[tuple[int, int]]:
    return [(round(x), round(y)) for x, y in line[1:3]]


def _level(item: Sequence[Any], half: float) -> BBox | None:
    if item[0] == "l":
        (x0, y0), (x1, y1) = item[1], item[2]
        if abs(y0 - y1) > LEVEL or abs(x0 - x1) < SHORTEST:
            return None
        return BBox(min(x0, x1), min(y0, y1) - half, max(x0, x1), max(y0, y1) + half)
    if item[0] == "re":
        x0, y0, x1, y1 = item[1]
        box = BBox(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
        return box if box.height <= THIN and box.width > box.height else None
    return None


def _struck(line: dict[str, Any], strokes: Sequence[BBox]) -> set[int]:
    """The characters of ``line``, by their identity, that one of ``strokes`` goes through."""
    struck: set[int] = set()
    if abs(line["dir"][1]) > 0.01 or line["dir"][0] < 0:
        return struck
    box = BBox(*line["bbox"])
    chars = [(char, span["size"]) for span in line["spans"] for char in span["chars"] if char["c"].strip()]
    for stroke in strokes:
        if not (box.y0 < stroke.center_y < box.y1) or stroke.x1 <= box.x0 or stroke.x0 >= box.x1:
            continue
        own = [(char, size) for char, size in chars if _goes_through(stroke, char, size)]
        if not any(char["c"].isalnum() for char, _ in own):
            continue
        size = own[0][1]
        left, right = min(char["bbox"][0] for char, _ in own), max(char["bbox"][2] for char, _ in own)
        covered = sum(char["bbox"][2] - char["bbox"][0] for char, _ in own)
        fits = stroke.x0 > left - OVERHANG * size and stroke.x1 < right + OVERHANG * size
        if fits and stroke.height <= THICKEST * size and covered >= LEAST_COVERED * stroke.width:
            struck |= {id(char) for char, _ in own}
    return struck


def _goes_through(stroke: BBox, char: dict[str, Any], size: float) -> bool:
    middle = (char["bbox"][0] + char["bbox"][2]) / 2
    rise = char["origin"][1] - stroke.center_y
    return stroke.x0 <= middle <= stroke.x1 and LOWEST * size <= rise <= HIGHEST * size
