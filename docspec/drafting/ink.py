"""Finds print on a picture, as rows, columns and boxes of ink and by its contrast, without any model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np
from PIL import Image

from docspec.core import BBox

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
    import cv2

    marks: Any = ink.astype(np.uint8)
    for along, across in (((length, 1), (1, THIN)), ((1, length), (THIN, 1))):
        strokes: Any = cv2.morphologyEx(marks, cv2.MORPH_OPEN, np.ones(along[::-1], np.uint8))
        solid: Any = cv2.morphologyEx(strokes, cv2.MORPH_OPEN, np.ones(across[::-1], np.uint8))
        marks &= ~(strokes & ~solid) & 1
    return marks.astype(bool)


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
