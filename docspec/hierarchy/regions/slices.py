"""Cuts regions into crops that suit the model: runs of whole lines, scaled to the line height that it was trained on.

A cut never goes through a line. A line too long for the model is cut at a gap between words, and scaled down only where
it has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import numpy as np
from PIL import Image

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.dialects.tables import Table
from docspec.drafting.ink import ink_of, line_boxes, line_height, usual_pitch, widest_gap, without_rules
from docspec.hierarchy.regions.cells import cell_lines, structure_of
from docspec.hierarchy.regions.dropped import Capital, dropped_capital

WHOLE = frozenset({Category.TABLE, Category.FORMULA, Category.PICTURE})
"""Regions that are never cut: a part of one has no meaning."""

TYPE_OF_PITCH = 0.84
"""Type size over line pitch in tightly set print; a single line is scaled by it."""

SIDE = 4
"""Pixels of the page shown to the left and right of a region."""

MARGIN = 2
"""Pixels of the page shown above and below print."""

SNUG = 1.12
"""A line higher than a row of the patch grid by up to this factor is scaled to fit the row."""

DROPPED = 1.7
"""A first line higher than this many usual lines has a dropped capital; its other letters stand at its top."""

CAPITALS = 0.7
"""Height of capitals over the type size."""

MOST_ENLARGED = 4.0
"""Largest enlargement of small print: beyond it a crop shows pixels, not letters."""


@dataclass(frozen=True, slots=True)
class CropLimits:
    """The limits of a crop, in the crop's pixels.

    ``pitch`` is the distance of text lines (``None``: any), ``lines`` the most lines, ``width`` and ``height`` the
    largest size, ``least`` the fewest pixels, ``factor`` the patch grid that sides are multiples of. ``cells``: tables
    are shown cell by cell.
    """

    factor: int
    pitch: int | None = None
    lines: int | None = None
    width: int | None = None
    height: int | None = None
    least: int = 0
    cells: bool = False


@dataclass(frozen=True, slots=True)
class Slice:
    """One crop of a region: its box on the page, crop pixels per page pixel, and its drafts.

    ``beside``: it continues the line of the previous slice; ``close``: without a space between them. ``turns`` are the
    clockwise quarter turns that bring it upright, ``cell`` is the number of its table cell in the order of the HTML.
    """

    bbox: BBox
    scale: float
    drafts: tuple[str, ...] = ()
    beside: bool = False
    turns: int = 0
    cell: int | None = None
    close: bool = False


def type_size(regions: Sequence[Region]) -> float:
    """The usual type size of a page in pixels; 0 where only the size of its headings is known."""
    sized = [region for region in regions if any(line.size > 0 for line in region.lines)]
    if all(region.category.is_heading for region in sized):
        return 0.0
    return median(line.size for region in sized for line in region.lines if line.size > 0)


def slices_of(image: Image.Image, region: Region, limits: CropLimits, usual_size: float = 0.0) -> list[Slice]:
    """The crops of ``region`` in reading order; none if the region has no pixels on the page.

    ``usual_size`` is the page's type size (:func:`type_size`): tables and formulas are scaled by it.
    """
    box = region.bbox.clamped(image.width, image.height)
    if box.width < 2 or box.height < 2:
        return []
    table = structure_of(region) if limits.cells and region.category is Category.TABLE else None
    if table is not None:
        return _cells(image, region, table, limits, usual_size)
    lines = list(region.lines) or [PrintedLine(line, "") for line in line_boxes(image, box)]
    if region.category in WHOLE or not lines:
        known = [PrintedLine(box, "", usual_size)] if usual_size > 0 else lines
        return [Slice(box.grown(SIDE), _fitting(box, _scale(known, limits), limits), region.texts)]
    if any(line.turns for line in lines):
        return [_turned(line, limits) for line in lines]
    prose = region.category is Category.TEXT and not region.listing
    capital = dropped_capital(image, lines) if limits.lines == 1 and prose else None
    lines = _without_dropped(lines)
    scale = _scale(lines, limits)
    groups = _groups(lines, scale, limits)
    found: list[Slice] = []
    for group in groups:
        text = "\n".join(line.text for line in group if line.text)
        drafts = region.texts if len(groups) == 1 or not text else (text,)
        room = _room(group, lines, box)
        if capital is not None and capital.stands_beside(group[0].bbox):
            room = replace(room, x0=capital.bbox.x1 + 1)
        pieces = _across(image, room, scale, limits, drafts)
        if capital is not None and not found:
            pieces = _after(capital, pieces, limits)
        found += pieces
    return found


def _scale(lines: Sequence[PrintedLine], limits: CropLimits) -> float:
    """Crop pixels per page pixel that give the lines the model's pitch."""
    if limits.pitch is None or not lines:
        return 1.0
    heights = sorted(line.bbox.height for line in lines)
    size = median([line.size for line in lines if line.size > 0] or heights[len(heights) // 2 :])
    pitch = size / TYPE_OF_PITCH
    if limits.lines != 1 and (set_at := usual_pitch([line.bbox for line in lines])) > 0:
        pitch = min(pitch, set_at)  # two lines in one row of the patch grid cannot be told apart
    return min(MOST_ENLARGED, limits.pitch / pitch) if pitch > 0 else 1.0


def _cells(image: Image.Image, region: Region, table: Table, limits: CropLimits, size: float) -> list[Slice]:
    """The lines of a table's cells; ``size`` is the page's type size, 0 where it is unknown."""
    found = cell_lines(image, region, table, size or _own_height(image, region))
    if not found:
        return []
    heights = sorted(line.bbox.height for _, line in found)
    own = min(size or heights[-1], 1.5 * heights[len(heights) // 2])
    scale = _scale([PrintedLine(region.bbox, "", own)], limits)
    return [
        replace(piece, cell=cell)
        for cell, line in found
        for piece in _across(image, line.bbox.grown(SIDE), scale, limits, (line.text,) if line.text else ())
    ]


def _own_height(image: Image.Image, region: Region) -> float:
    """The usual line height of a table in pixels, measured by its letters."""
    left, top, right, bottom = region.bbox.clamped(image.width, image.height).rounded()
    ink = ink_of(image.crop((left, top, right, bottom)))
    lowest = min(row[0].height for row in region.grid)
    return min(line_height(without_rules(ink, max(8, round(lowest)))), lowest)


def _turned(line: PrintedLine, limits: CropLimits) -> Slice:
    """A line that does not run from left to right, uncut."""
    upright = line.bbox if line.turns == 2 else BBox(0, 0, line.bbox.height, line.bbox.width)
    scale = _scale([PrintedLine(upright, "", line.size)], limits)
    texts = (line.text,) if line.text else ()
    return Slice(line.bbox.grown(SIDE), _fitting(upright, scale, limits), texts, turns=line.turns)


def _without_dropped(lines: Sequence[PrintedLine]) -> list[PrintedLine]:
    """``lines``, with the boxes of lines that a dropped capital makes too high reduced to a usual line's height."""
    usual = median(line.bbox.height for line in lines)
    found = list(lines)
    for index, (line, after) in enumerate(pairwise(lines)):
        if line.bbox.height > DROPPED * usual and line.bbox.y1 > after.bbox.y0 + 0.5 * usual:
            box = line.bbox
            found[index] = replace(line, bbox=BBox(box.x0, box.y0, box.x1, box.y0 + usual))
    return found


def _after(capital: Capital, pieces: Sequence[Slice], limits: CropLimits) -> list[Slice]:
    """A dropped capital, scaled to the height of other capitals, followed by the pieces of its line."""
    first, *others = pieces
    scale = min(1.0, CAPITALS * (limits.pitch or capital.bbox.height) * TYPE_OF_PITCH / capital.bbox.height)
    drafts = (capital.letter,) if capital.letter else ()
    rest = tuple(text.lstrip()[1:].lstrip() for text in first.drafts) if drafts else first.drafts
    first = replace(first, drafts=rest, beside=True, close=not capital.word)
    return [Slice(capital.bbox.grown(MARGIN), scale, drafts), first, *others]


def _fitting(box: BBox, scale: float, limits: CropLimits) -> float:
    """``scale``, reduced if necessary to fit the largest crop."""
    if limits.width is not None:
        scale = min(scale, limits.width / (box.width + 2 * SIDE))
    if limits.height is not None:
        scale = min(scale, limits.height / (box.height + 2 * SIDE))
    return scale


def _groups(lines: Sequence[PrintedLine], scale: float, limits: CropLimits) -> list[list[PrintedLine]]:
    """Runs of lines that share a crop: up to the model's number of lines, of about equal length."""
    most = limits.lines or len(lines)
    if limits.height is not None:
        pitch = usual_pitch([line.bbox for line in lines]) or lines[0].bbox.height
        most = max(1, min(most, int(limits.height / max(1.0, scale * pitch))))
    count = -(-len(lines) // most)
    bounds = [round(index * len(lines) / count) for index in range(count + 1)]
    return [list(lines[a:b]) for a, b in pairwise(bounds)]


def _room(group: Sequence[PrintedLine], lines: Sequence[PrintedLine], box: BBox) -> BBox:
    """The part of the page that shows ``group`` and as little as possible of the lines above and below it."""
    own = BBox.union(line.bbox for line in group)
    margin = 0.2 * median(line.bbox.height for line in group)
    top, bottom = own.y0 - margin, own.y1 + margin
    for other in lines:
        if other in group:
            continue
        if other.bbox.y0 < own.y0:
            top = max(top, min((other.bbox.y1 + own.y0) / 2, own.y0 + margin))
        else:
            bottom = min(bottom, max((other.bbox.y0 + own.y1) / 2, own.y1 - margin))
    return BBox(min(box.x0, own.x0) - SIDE, top, max(box.x1, own.x1) + SIDE, bottom)


def _across(image: Image.Image, room: BBox, scale: float, limits: CropLimits, drafts: tuple[str, ...]) -> list[Slice]:
    """The print in ``room`` as one slice, or as several side by side if it is too wide for the model."""
    room = _inked(image, room)
    rows = room.height * scale / limits.factor
    if limits.pitch is not None and int(rows) and rows <= SNUG * int(rows):
        scale = int(rows) * limits.factor / room.height
    if limits.width is None or room.width * scale <= limits.width:
        return [Slice(room, scale, drafts)]
    left, top, right, bottom = room.rounded()
    ink = ink_of(image.crop((left, top, right, bottom)))
    parts = int(-(-room.width * scale // limits.width))
    least = max(2, round(0.2 * limits.factor / scale))
    cuts: list[int] = []
    for part in range(1, parts):
        middle, reach = part * ink.shape[1] // parts, ink.shape[1] // (4 * parts)
        cut = widest_gap(ink, middle - reach, middle + reach, least)
        if cut is None:
            return [Slice(room, limits.width / room.width, drafts)]
        cuts.append(left + cut)
    edges = [room.x0, *map(float, cuts), room.x1]
    pieces = [BBox(a, room.y0, b, room.y1) for a, b in pairwise(edges)]
    return [
        Slice(piece, min(scale, limits.width / piece.width), drafts, beside=index > 0)
        for index, piece in enumerate(pieces)
    ]


def _inked(image: Image.Image, room: BBox) -> BBox:
    """``room`` in whole pixels, without the blank paper around its print except for a narrow edge."""
    left, top, right, bottom = room.clamped(image.width, image.height).rounded()
    if right - left < 2 or bottom - top < 2:
        return BBox(left, top, right, bottom)
    ink = ink_of(image.crop((left, top, right, bottom)))
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return BBox(left, top, right, bottom)
    return BBox(
        max(left, left + int(columns[0]) - SIDE),
        max(top, top + int(rows[0]) - MARGIN),
        min(right, left + int(columns[-1]) + 1 + SIDE),
        min(bottom, top + int(rows[-1]) + 1 + MARGIN),
    )


def crop_of(image: Image.Image, piece: Slice, factor: int, least: int = 0) -> Image.Image:
    """The picture of ``piece``, upright and scaled, on a white canvas whose sides are multiples of ``factor`` pixels.
    It has at least ``least`` pixels, because models enlarge smaller pictures."""
    left, top, right, bottom = piece.bbox.clamped(image.width, image.height).rounded()
    right, bottom = max(right, left + 1), max(bottom, top + 1)
    part = image.crop((left, top, right, bottom))
    if piece.turns:
        part = part.rotate(-90 * piece.turns, expand=True)
    size = (max(1, round(part.width * piece.scale)), max(1, round(part.height * piece.scale)))
    if size != part.size:
        part = part.resize(size, Image.Resampling.LANCZOS)
    width, height = (-(-side // factor) * factor for side in size)
    width = max(width, -(-least // (height * factor)) * factor)
    canvas = Image.new("RGB", (width, height), "white")
    canvas.paste(part, (0, (canvas.height - size[1]) // 2))
    return canvas
