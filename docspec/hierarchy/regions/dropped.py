"""Dropped capitals: the large first letter of a paragraph and the lines beside it.

A model that reads line by line would see a slice of the letter in each of these lines. So the letter is shown alone,
and the lines without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from PIL import Image

from docspec.core import BBox, PrintedLine
from docspec.drafting.ink import LEAST_INK, ink_of

LEAST_HEIGHT = 1.7
"""Least height of a dropped capital over the height of a usual line."""

SLENDER, BROAD = 0.25, 1.6
"""Limits of a letter's width over its height: narrower ink is a rule, wider ink a drawing."""


REACH = 0.4
"""How far a letter may stand out of its paragraph, or within it, in usual line heights."""


@dataclass(frozen=True, slots=True)
class Capital:
    """A dropped capital: its ``bbox`` on the page, its ``letter`` in the draft (empty if the draft has none), and
    whether it is a ``word`` by itself."""

    bbox: BBox
    letter: str
    word: bool

    def stands_beside(self, line: BBox) -> bool:
        """Whether ``line`` begins to the right of the letter."""
        return self.bbox.y0 <= line.center_y <= self.bbox.y1


def dropped_capital(image: Image.Image, lines: Sequence[PrintedLine]) -> Capital | None:
    """The dropped capital of a paragraph's ``lines`` (top to bottom), found by its ink; ``None`` if there is none."""
    if len(lines) < 3:
        return None
    usual = median(line.bbox.height for line in lines)
    area = BBox.union(line.bbox for line in lines).grown(REACH * usual)
    left, top, right, bottom = area.clamped(image.width, image.height).rounded()
    bottom = min(bottom, round(top + 6 * usual))
    right = min(right, round(left + BROAD * (bottom - top)))
    if right - left < 2 or bottom - top < 2:
        return None
    box = _letter(ink_of(image.crop((left, top, right, bottom))), usual)
    if box is None:
        return None
    box = BBox(left + box.x0, top + box.y0, left + box.x1, top + box.y1)
    found = Capital(box, "", False)
    beside = [line for line in lines if found.stands_beside(line.bbox)]
    if len(beside) < 2 or beside[0] is not lines[0] or len(beside) == len(lines):
        return None
    drafted = lines[0].bbox.x0 < box.center_x
    text = lines[0].text.lstrip() if drafted else ""
    return Capital(box, text[:1], text[1:2].isspace() and text[:1] in "AI")


def _letter(ink: np.ndarray, usual: float) -> BBox | None:
    """The letter in the upper left corner of the ink, boolean ``(height, width)``, if it is higher than a ``usual``
    line."""
    import cv2

    marks: Any = ink.astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(marks, connectivity=8)
    for x, y, width, height, count in stats[1:].tolist():
        shape = width / height
        tall = LEAST_HEIGHT * usual <= height < ink.shape[0]
        if (
            tall
            and max(x, y) <= 2 * REACH * usual
            and SLENDER <= shape <= BROAD
            and count >= LEAST_INK
            and x + width < ink.shape[1]
        ):
            return BBox(x, y, x + width, y + height)
    return None
