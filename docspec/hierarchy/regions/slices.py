"""Regions cut into what a reader likes: runs of whole lines, scaled so that its lines are as high as it was taught.

A cut never goes through a line. A line too long for the reader is cut at a gap between words, and scaled down only
where it has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from PIL import Image

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.hierarchy.regions.ink import ink_of, line_boxes, usual_pitch, widest_gap

WHOLE = frozenset({Category.TABLE, Category.FORMULA, Category.PICTURE})
"""Regions that are never cut: their parts mean nothing alone."""

TYPE_OF_PITCH = 0.84
"""Size of type over line pitch in tightly set print: what a line alone is scaled by."""

SIDE = 4
"""Pixels of the page left and right of a region that are shown with it."""

MOST_ENLARGED = 4.0
"""Small print is not enlarged beyond this: it would show pixels, not letters."""


@dataclass(frozen=True, slots=True)
class CropLimits:
    """What a reader likes to see in one crop; pixels are those of the crop.

    ``pitch`` is the distance of text lines (``None``: any), ``lines`` the most lines, ``width`` and ``height`` the
    largest size, ``factor`` the patch grid that sides are multiples of.
    """

    factor: int
    pitch: int | None = None
    lines: int | None = None
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True, slots=True)
class Slice:
    """One crop of a region: its place on the page, crop pixels per page pixel, the drafts of what stands there.

    ``beside`` says that it goes on in the line of the slice before.
    """

    bbox: BBox
    scale: float
    drafts: tuple[str, ...] = ()
    beside: bool = False


def type_size(regions: Sequence[Region]) -> float:
    """The usual size of type of a page in pixels, 0 where nothing is known of it."""
    return median([line.size for region in regions for line in region.lines if line.size > 0] or [0.0])


def slices_of(image: Image.Image, region: Region, limits: CropLimits, usual_size: float = 0.0) -> list[Slice]:
    """The crops of ``region`` in reading order; none where the region has no pixels on the page.

    ``usual_size`` is the page's size of type (:func:`type_size`): tables and formulas are scaled by it.
    """
    box = region.bbox.clamped(image.width, image.height)
    if box.width < 2 or box.height < 2:
        return []
    lines = list(region.lines) or [PrintedLine(line, "") for line in line_boxes(image, box)]
    if region.category in WHOLE or not lines:
        known = [PrintedLine(box, "", usual_size)] if usual_size > 0 else lines
        return [Slice(box.grown(SIDE), _fitting(box, _scale(known, limits), limits), region.texts)]
    scale = _scale(lines, limits)
    groups = _groups(lines, scale, limits)
    found: list[Slice] = []
    for group in groups:
        text = "\n".join(line.text for line in group if line.text)
        drafts = region.texts if len(groups) == 1 or not text else (text,)
        found += _across(image, _room(group, lines, box), scale, limits, drafts)
    return found


def _scale(lines: Sequence[PrintedLine], limits: CropLimits) -> float:
    """Crop pixels per page pixel that give the lines the pitch that the reader likes."""
    if limits.pitch is None or not lines:
        return 1.0
    heights = sorted(line.bbox.height for line in lines)
    size = median([line.size for line in lines if line.size > 0] or heights[len(heights) // 2 :])
    pitch = size / TYPE_OF_PITCH
    if limits.lines != 1 and (set_at := usual_pitch([line.bbox for line in lines])) > 0:
        pitch = min(pitch, set_at)  # two lines in one row of the patch grid cannot be told apart
    return min(MOST_ENLARGED, limits.pitch / pitch) if pitch > 0 else 1.0


def _fitting(box: BBox, scale: float, limits: CropLimits) -> float:
    """``scale``, or what still fits the largest crop."""
    if limits.width is not None:
        scale = min(scale, limits.width / (box.width + 2 * SIDE))
    if limits.height is not None:
        scale = min(scale, limits.height / (box.height + 2 * SIDE))
    return scale


def _groups(lines: Sequence[PrintedLine], scale: float, limits: CropLimits) -> list[list[PrintedLine]]:
    """Runs of lines that share a crop: as many as the reader likes, of about the same length each."""
    most = limits.lines or len(lines)
    if limits.height is not None:
        pitch = usual_pitch([line.bbox for line in lines]) or lines[0].bbox.height
        most = max(1, min(most, int(limits.height / max(1.0, scale * pitch))))
    count = -(-len(lines) // most)
    bounds = [round(index * len(lines) / count) for index in range(count + 1)]
    return [list(lines[a:b]) for a, b in pairwise(bounds)]


def _room(group: Sequence[PrintedLine], lines: Sequence[PrintedLine], box: BBox) -> BBox:
    """The part of the page that shows ``group`` and as little as possible of the lines above and below."""
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


def _across(
    image: Image.Image, room: BBox, scale: float, limits: CropLimits, drafts: tuple[str, ...]
) -> list[Slice]:
    """``room`` as one slice, or as several side by side where it is too wide for the reader."""
    room = room.clamped(image.width, image.height)
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


def crop_of(image: Image.Image, piece: Slice, factor: int) -> Image.Image:
    """The picture of ``piece``, scaled, on a white canvas whose sides are multiples of ``factor`` pixels."""
    left, top, right, bottom = piece.bbox.clamped(image.width, image.height).rounded()
    right, bottom = max(right, left + 1), max(bottom, top + 1)
    size = (max(1, round((right - left) * piece.scale)), max(1, round((bottom - top) * piece.scale)))
    part = image.crop((left, top, right, bottom))
    if size != part.size:
        part = part.resize(size, Image.Resampling.LANCZOS)
    canvas = Image.new("RGB", (-(-size[0] // factor) * factor, -(-size[1] // factor) * factor), "white")
    canvas.paste(part, (0, (canvas.height - size[1]) // 2))
    return canvas
