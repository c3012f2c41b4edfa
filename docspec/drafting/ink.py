"""Finds print on a picture, as rows, columns and boxes of ink and by its contrast, without any model; and print outside
all regions, of which it makes regions, so that all of the page is read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np
from PIL import Image

from docspec.core import BBox, Category, Region
from docspec.drafting.blank import in_cells

CONTRAST = 60
"""How much darker (or lighter) than the paper, of 255, a pixel must be to count as ink."""

LEAST_INK = 24
"""Pixels of ink below which a mark is a speck."""

THIN = 5
"""Pixels: a thinner mark is a rule."""

ACCENT = 0.45
"""A band of ink lower than this share of the usual one is an accent, a dot or a rule and belongs to its neighbour."""


def ink_of(image: Image.Image, contrast: int = CONTRAST) -> np.ndarray:
    """Boolean ``(height, width)``: true where ``image`` differs from its paper, the commonest grey."""
    grey = image.convert("L")
    ground = ground_of(grey.histogram())
    return np.asarray(grey.point([255 * (abs(level - ground) > contrast) for level in range(256)])).astype(bool)


def bands(filled: np.ndarray) -> list[tuple[int, int]]:
    """The stretches ``[start, end)`` of a boolean ``(length,)`` that are true."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], filled, [False])).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def line_boxes(image: Image.Image, box: BBox) -> list[BBox]:
    """The printed lines inside ``box`` of an upright page ``image``, top to bottom, by the white between them."""
    left, top, right, bottom = box.clamped(image.width, image.height).rounded()
    if right - left < 2 or bottom - top < 2:
        return []
    ink = ink_of(image.crop((left, top, right, bottom)))
    rows = joined_rows(bands(np.asarray(ink.any(axis=1))))
    lines = []
    for start, end in rows:
        across = np.flatnonzero(ink[start:end].any(axis=0))
        lines.append(BBox(left + int(across[0]), top + start, left + int(across[-1]) + 1, top + end))
    return lines


def joined_rows(rows: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Bands of ink, in which low ones (accents, dots, underlines) are joined to the nearer neighbour."""
    if len(rows) < 2:
        return list(rows)
    usual = median(sorted(end - start for start, end in rows)[len(rows) // 3 :])
    merged = list(rows)
    index = 0
    while index < len(merged) and len(merged) > 1:
        start, end = merged[index]
        if end - start >= ACCENT * usual:
            index += 1
            continue
        above = start - merged[index - 1][1] if index else usual
        below = merged[index + 1][0] - end if index + 1 < len(merged) else usual
        if min(above, below) > 0.5 * usual:
            index += 1  # a rule or a dash that stands alone
        elif above < below:
            merged[index - 1 : index + 1] = [(merged[index - 1][0], end)]
        else:
            merged[index : index + 2] = [(start, merged[index + 1][1])]
    return merged


def without_rules(ink: np.ndarray, length: int) -> np.ndarray:
    """``ink`` without straight thin strokes of ``length`` pixels or more, across or down."""
    marks = ink.astype(bool)
    for along, across in (((1, length), (THIN, 1)), ((length, 1), (1, THIN))):
        strokes = opened(marks, *along)
        marks = marks & (~strokes | opened(strokes, *across))
    return marks


def opened(ink: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """The pixels of ``ink`` (rows, columns) in full rectangles of ``rows`` times ``columns``, as booleans; what lies
    beyond an edge counts as ink. It is OpenCV's opening, in time that grows with the logarithm of the sides, not with
    them: pages are large, and frames are sought in them."""
    for what, beyond in ((np.logical_and, True), (np.logical_or, False)):
        for axis, length in enumerate((rows, columns)):
            if length > 1:
                around = [(0, 0), (0, 0)]
                around[axis] = (length // 2, length - 1 - length // 2)
                ink = _of_windows(np.pad(ink, around, constant_values=beyond), length, axis, what)
    return ink


def _of_windows(ink: np.ndarray, length: int, axis: int, what: np.ufunc) -> np.ndarray:
    """What ``what`` (a logical function of two) says of each window of so many rows (``axis`` 0) or columns."""
    covered = 1
    while covered < length:
        step = min(covered, length - covered)
        ink = what(ink[:-step], ink[step:]) if axis == 0 else what(ink[:, :-step], ink[:, step:])
        covered += step
    return ink


def widest_gap(ink: np.ndarray, start: int, end: int, least: int) -> int | None:
    """The middle of the widest stretch of columns without ink that begins in ``[start, end)``; ``None`` where none is
    ``least`` pixels wide."""
    gaps = [gap for gap in bands(~np.asarray(ink.any(axis=0))[start:end]) if gap[1] - gap[0] >= least]
    if not gaps:
        return None
    first, last = max(gaps, key=lambda gap: gap[1] - gap[0])
    return start + (first + last) // 2


def usual_pitch(lines: Sequence[BBox]) -> float:
    """The median distance of neighbouring lines in pixels; 0 where there are fewer than two."""
    middles = [line.center_y for line in lines]
    steps = [b - a for a, b in pairwise(middles) if b > a]
    return median(steps) if steps else 0.0


def contrast_of(grey: Any) -> Any:
    """The distance of each pixel of ``grey``, a signed array (rows, columns) of 0..255, from the commonest grey."""
    return np.abs(grey - ground_of(np.bincount(grey.ravel(), minlength=256)))


def ground_of(histogram: Sequence[int] | np.ndarray) -> int:
    """The commonest grey of a picture, whose ``histogram`` counts the pixels of 256 levels; four of them are one."""
    fours = np.asarray(histogram).reshape(64, 4).sum(axis=1)
    return int(fours.argmax()) * 4 + 2


SMALL = 4
"""Pixels of the page per pixel of the map of ink."""

RULE = 6.0
"""A straight stroke longer than so many usual lines is a rule or a frame."""

LINE_OF_LETTER = 1.5
"""Height of a line over that of most of its letters, which are low ones."""

FLAT = 0.45
"""A mark that long and lower than so many usual lines is a rule of dots, dashes or leaves."""

FAINT = 30
"""Contrast (of 255) from which on a sketch shows ink."""

COMPACT = 1.5
"""Largest ratio of a bullet's length to its width."""

MOST_BULLETS = 100
"""Most bullets of one patch of ink; more marks are a pattern."""

OTHER_INK = 0.2
"""Most ink outside of lines in what is text and no picture, as a share of all."""

STROKE, FILLED, FILLED_LINES = 1.5, 3, 15
"""Least length of a straight stroke, in usual lines, least number of filled areas in a picture, and lines of text for
each that a form may have."""

EDGES, CORNERS, RECTANGLE, FLAT_GREY, OTHERS = 0.2, 16, 0.85, 24, 0.05
"""In decoration: most ink outside of straight strokes, as a share of all, and in how many marks; least share of its box
that a filled area takes; most difference of its greys (of 255) from the usual one, and most pixels that differ more."""

TALLEST = 3.0
"""A piece higher than so many usual lines that does not part into lines is a picture."""


def unread_regions(image: Image.Image, regions: Sequence[Region]) -> list[Region]:
    """Regions around the print of ``image`` outside ``regions``, without texts, top to bottom.

    Rules, bullets and specks are left out; a piece too high for text is a picture.
    """
    import cv2

    ink = ink_of(image)
    usual = median([line.bbox.height for region in regions for line in region.lines] or [line_height(ink)])
    _wipe(ink, [region.bbox for region in regions], usual)
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return []
    stroke = round(RULE * usual)  # rules are sought only within their reach from the remaining ink
    top, bottom = max(0, int(rows[0]) - stroke), int(rows[-1]) + stroke + 1
    left, right = max(0, int(columns[0]) - stroke), int(columns[-1]) + stroke + 1
    ink[top:bottom, left:right] = without_rules(ink[top:bottom, left:right], stroke)
    if not ink.any():
        return []
    reach = max(1, round(0.8 * usual / SMALL))  # letters of a line, and lines of a paragraph, hang together
    small: Any = np.pad(in_cells(ink, SMALL).any(axis=(1, 3)).astype(np.uint8), reach)
    linked = cv2.dilate(small, np.ones((reach, 2 * reach + 1), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(linked, connectivity=8)
    patches = []
    for left, top, width, height, _ in stats[1:].tolist():
        # The ink itself: dilation grew it by ``reach`` columns on both sides and by ``reach - 1`` rows, half above.
        x, y = left, top + (reach - 1) // 2 - reach
        box = BBox(x, y, x + width - 2 * reach, y + height - (reach - 1)).scaled(float(SMALL))
        box = box.clamped(image.width, image.height)
        category = _category(image, ink, box, usual)
        if category is not None:
            patches.append(Region(box, category))
    return sorted(patches, key=lambda region: (region.bbox.y0, region.bbox.x0))


def is_print_alone(image: Image.Image, box: BBox, lines: Sequence[BBox]) -> bool:
    """Whether nearly all ink in ``box`` of an ``image`` is that of its ``lines`` of text, rules, frames and a shade or
    two aside: a form or a framed list, and no picture. All in pixels."""
    left, top, right, bottom = box.clamped(image.width, image.height).rounded()
    if right - left < 2 or bottom - top < 2 or not lines:
        return False
    usual = median(line.height for line in lines)
    ink = without_rules(ink_of(image.crop((left, top, right, bottom))), round(RULE * usual))
    whole = int(ink.sum())
    _wipe(ink, [line.shifted(-left, -top) for line in lines], usual)
    most = max(FILLED, len(lines) / FILLED_LINES)
    return len(_filled(ink, usual)) < most and _drawn(ink, usual) <= OTHER_INK * whole


def is_decoration(grey: np.ndarray, ink: np.ndarray, usual: float) -> bool:
    """Whether the ``ink`` of a patch, whose pixels are ``grey`` (0..255) and whose known text is wiped out, is nothing
    but level and upright strokes and a flat rectangle or two: frames, bars and bands around text. A line is ``usual``
    pixels high."""
    import cv2

    fills, rest = _filled(ink, usual), _unruled(ink, usual)
    if len(fills) >= FILLED or int(rest.sum()) > EDGES * int(ink.sum()):
        return False
    corners = np.asarray(cv2.connectedComponentsWithStats(rest, connectivity=8)[2][1:])
    small = (corners[:, cv2.CC_STAT_WIDTH : cv2.CC_STAT_HEIGHT + 1] <= STROKE * usual).all()
    return bool(small) and len(corners) <= CORNERS and all(_is_flat(grey, ink, fill) for fill in fills.tolist())


def _is_flat(grey: np.ndarray, ink: np.ndarray, fill: Sequence[int]) -> bool:
    """Whether a filled area (left, top, width, height, pixels) is a rectangle of one grey, holes for its text aside."""
    import cv2

    left, top, width, height, _ = fill
    marks: Any = ink[top : top + height, left : left + width].astype(np.uint8)
    outlines, _ = cv2.findContours(np.pad(marks, 1), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    area = max(map(cv2.contourArea, outlines), default=0.0)
    inner = np.s_[top + 1 : top + height - 1, left + 1 : left + width - 1]  # edges are between two greys
    greys = grey[inner][ink[inner]]
    others = np.abs(greys.astype(np.int16) - np.median(greys)) > FLAT_GREY if greys.size else np.zeros(1)
    return area >= RECTANGLE * width * height and bool(others.mean() <= OTHERS)


def _filled(ink: np.ndarray, usual: float) -> np.ndarray:
    """The filled areas in ``ink`` (n, 5: left, top, width, height, pixels); a line is ``usual`` pixels high."""
    import cv2

    side = max(1, round(FLAT * usual))
    padded = np.pad(ink.astype(bool), side)  # what lies beyond the edges is no ink
    marks = np.ascontiguousarray(opened(padded, side, side)[side:-side, side:-side])
    return np.asarray(cv2.connectedComponentsWithStats(marks.astype(np.uint8))[2][1:])


def _drawn(ink: np.ndarray, usual: float) -> int:
    """The pixels of ``ink`` in marks that are no level or upright strokes, shades or specks."""
    import cv2

    marks = _unruled(ink, usual)
    _, _, stats, _ = cv2.connectedComponentsWithStats(marks, connectivity=8)
    specks = np.minimum(stats[1:, cv2.CC_STAT_WIDTH], stats[1:, cv2.CC_STAT_HEIGHT]) <= THIN
    return int(stats[1:, cv2.CC_STAT_AREA][~specks].sum())


def _unruled(ink: np.ndarray, usual: float) -> np.ndarray:
    """``ink`` without level and upright strokes and shades, as bytes."""
    whole = ink.astype(bool)
    length = max(1, round(STROKE * usual))
    return (whole & ~(opened(whole, 1, length) | opened(whole, length, 1))).astype(np.uint8)


def covers_all_ink(sketch: Image.Image, regions: Sequence[Region], share: float) -> bool:
    """Whether a ``sketch``, that ``share`` of the page's size, shows nothing outside ``regions`` but rules and specks
    far smaller than letters. Faint ink counts here too: in a small picture thin strokes are faint."""
    ink = ink_of(sketch, FAINT)
    heights = [share * line.bbox.height for region in regions for line in region.lines]
    usual = median(heights or [line_height(ink)])
    _wipe(ink, [region.bbox.scaled(share) for region in regions], usual)
    return not ink.any() or int(without_rules(ink, round(RULE * usual)).sum()) < LEAST_INK * share * share


def _wipe(ink: np.ndarray, boxes: Sequence[BBox], usual: float) -> None:
    """Takes the ink in and closely around ``boxes`` out of ``ink``; a line is ``usual`` pixels high."""
    for box in boxes:
        left, top, right, bottom = box.grown(0.25 * usual).clamped(ink.shape[1], ink.shape[0]).rounded()
        ink[top:bottom, left:right] = False


def line_height(ink: np.ndarray) -> float:
    """The usual height of a line in pixels, from the median height of all marks that are not specks."""
    import cv2

    _, _, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    heights = stats[1:, cv2.CC_STAT_HEIGHT]
    heights = heights[heights > THIN]
    usual = LINE_OF_LETTER * float(np.median(heights)) if len(heights) else ink.shape[0] / 80
    return min(usual, ink.shape[0] / 20)  # a page of nothing but pictures


def _category(image: Image.Image, ink: np.ndarray, box: BBox, usual: float) -> Category | None:
    """The category of ``box``: text, a picture, or ``None`` if nothing can be read."""
    left, top, right, bottom = box.rounded()
    own = ink[top:bottom, left:right]
    inked = own.any(axis=1).sum(), own.any(axis=0).sum()
    if own.sum() < LEAST_INK or min(inked) < THIN:
        return None
    if box.height < FLAT * usual and box.width > RULE * usual:
        return None
    patch = image.crop((left, top, right, bottom))
    if _are_bullets(patch, own, usual) or is_decoration(np.asarray(patch.convert("L")), own, usual):
        return None
    lines = line_boxes(image, box)
    tallest = max((line.height for line in lines), default=0.0)
    return Category.PICTURE if tallest > TALLEST * usual or own.mean() > 0.6 else Category.TEXT


def _are_bullets(image: Image.Image, ink: np.ndarray, usual: float) -> bool:
    """Whether the ``ink`` of an ``image`` is nothing but squares, discs, triangles and the like, each of one colour and
    no higher than a line: they fill the stretch between their outermost pixels, which no letter does."""
    import cv2

    marks = ink.astype(np.uint8)
    inner = cv2.erode(marks, np.ones((3, 3), np.uint8), borderValue=0).astype(bool)  # type: ignore[call-overload]
    greys = np.asarray(image.convert("L"))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(marks, connectivity=8)
    if count - 1 > MOST_BULLETS:
        return False
    for number in range(1, count):
        left, top, width, height, area = map(int, stats[number])
        if max(width, height) > min(usual, COMPACT * min(width, height)):
            return False
        own = labels[top : top + height, left : left + width] == number
        points: Any = cv2.findNonZero(own.astype(np.uint8))
        within = greys[top : top + height, left : left + width][own & inner[top : top + height, left : left + width]]
        if area < cv2.contourArea(cv2.convexHull(points)) or not len(within) or int(np.ptp(within)) > CONTRAST:
            return False
    return True
