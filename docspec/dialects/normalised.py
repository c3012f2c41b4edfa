"""Normalised boxes, as many dialects write them: whole numbers from 0 to a scale over the page's width and height."""

from __future__ import annotations

from collections.abc import Iterable

from docspec.core import BBox, Block, Category
from docspec.dialects.box_numbers import Box


def normalised_box(box: BBox, width: int, height: int, scale: int) -> Box:
    """``box``, in pixels of a page of that size, as left, top, right and bottom from 0 to ``scale``."""
    shares = box.x0 / width, box.y0 / height, box.x1 / width, box.y1 / height
    x0, y0, x1, y1 = (min(max(round(scale * share), 0), scale) for share in shares)
    return x0, y0, x1, y1


def pixel_box(numbers: Iterable[int | str], width: int, height: int, scale: int) -> BBox:
    """The normalised box ``numbers`` in pixels of the page, whichever of its edges comes first."""
    x0, y0, x1, y1 = (int(number) / scale for number in numbers)
    box = BBox(min(x0, x1) * width, min(y0, y1) * height, max(x0, x1) * width, max(y0, y1) * height)
    return box.clamped(width, height)


def boxed(category: Category, text: str, box: BBox | None) -> Block:
    """A block with the ``box`` that the model wrote for it; without it if the box has no area."""
    return Block(category, text) if box is None or box.area <= 0 else Block(category, text, box, "model")
